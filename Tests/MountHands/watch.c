// Reads a document again and again while its versions come and go, and checks each reading as a whole.
//
// Prints "ready VERSION" after the first reading, and at the end of standard input
// "seen READINGS VERSIONS TORN BACKWARDS STALE ERROR": how many readings and different versions there were,
// how many readings were of no whole version, how often an older version came after a newer one, how
// often the version was gone while it was opened or read (ESTALE), and the last other error (0 for none).
// Every other error is told on standard error, too.

#define _GNU_SOURCE
#include "hands.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char bytes[1 << 20];
static long readings, versions, torn, backwards, stale, error;
static long last = -1;

static void fail(const char *call) {
  if (errno == ESTALE) {
    stale++;
    return;
  }
  error = errno;
  fprintf(stderr, "%s after version %ld: %s\n", call, last, strerror(errno));
}

static void note(long version) {
  readings++;
  if (version < 0) {
    torn++;
  } else {
    if (version != last) versions++;
    if (version < last) backwards++;
    last = version;
  }
}

// One reading in small steps, so that a version can change in between.
static void read_version(int file) {
  struct stat status;
  if (fstat(file, &status) != 0) return fail("fstat");
  size_t done = 0;
  while (done < sizeof bytes) {
    ssize_t count = pread(file, bytes + done, 4096, done);
    if (count < 0) return fail("pread");
    if (count == 0) break;
    done += count;
  }
  note((off_t)done == status.st_size ? whole_version(bytes, done) : -1);
}

static int is_over(void) {
  struct pollfd input = {.fd = 0, .events = POLLIN};
  return poll(&input, 1, 0) > 0;
}

int watch(const char *how, const char *path) {
  int isByPath = strcmp(how, "path") == 0;
  int isReady = 0;
  int file = -1;
  do {
    if (file < 0) file = open(path, O_RDONLY);
    if (file < 0) {
      fail("open");
      continue;
    }
    read_version(file);
    if (!isReady) printf("ready %ld\n", last);
    isReady = 1;
    if (isByPath) {
      close(file);
      file = -1;
    }
  } while (!is_over());
  printf("seen %ld %ld %ld %ld %ld %ld\n", readings, versions, torn, backwards, stale, error);
  return 0;
}
