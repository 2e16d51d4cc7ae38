// Many processes that do one thing each, and what became of them.
//
// Prints "started PID..." once all run, "result PID ERRNO COUNT HASH SIGNALS" for each that came to an end
// of its own, and "ended PID exit|signal NUMBER" for each. It ends with the last of them.

#define _GNU_SOURCE
#include "hands.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t signals;
static void note(int number) {
  (void)number;
  signals++;
}

static long read_all(int file, uint64_t *hash) {
  static char buffer[1 << 17];
  long total = 0;
  for (;;) {
    ssize_t count = read(file, buffer, sizeof buffer);
    if (count < 0) return -1;
    if (count == 0) return total;
    *hash = hash_bytes(*hash, buffer, count);
    total += count;
  }
}

// Mapped before there are members, since mmap(2) itself may wait for a page that another one wants.
static char *mapping;
static struct stat mapped;

static int map(const char *what, const char *path) {
  int file = open(path, O_RDONLY);
  if (file < 0 || fstat(file, &mapped) != 0) return -1;
  int flags = strstr(what, "map-shared") ? MAP_SHARED : MAP_PRIVATE;
  mapping = mmap(NULL, mapped.st_size, PROT_READ, flags, file, 0);
  return mapping == MAP_FAILED ? -1 : 0;
}

// Returns a count, or -1 with errno.
static long act(int number, const char *what, const char *path, uint64_t *hash) {
  struct stat status;
  char bytes[4096];
  if (strcmp(what, "stat") == 0) return stat(path, &status);
  if (strcmp(what, "access") == 0) return access(path, R_OK);
  if (strcmp(what, "opendir") == 0) return opendir(path) ? 0 : -1;
  if (mapping) {
    *hash = hash_bytes(*hash, mapping, mapped.st_size);
    return mapped.st_size;
  }
  int file = open(path, O_RDONLY);
  if (file < 0) return -1;
  if (strcmp(what, "open") == 0) return 0;
  if (strcmp(what, "read") == 0) return read_all(file, hash);
  if (strcmp(what, "scatter") == 0) return pread(file, bytes, sizeof bytes, (off_t)number << 18);
  errno = EINVAL;
  return -1;
}

static void member(int number, const char *what, const char *path) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // "handling-": SIGINT runs a handler, and interrupted calls are not begun again.
  const char *handling = "handling-";
  if (strncmp(what, handling, strlen(handling)) == 0) {
    struct sigaction action = {.sa_handler = note};
    sigaction(SIGINT, &action, NULL);
    what += strlen(handling);
  }
  uint64_t hash = HASH_START;
  long count = act(number, what, path, &hash);
  int error = count < 0 ? errno : 0;
  char line[128];
  int length = snprintf(line, sizeof line, "result %d %d %ld %016llx %d\n", (int)getpid(), error, count,
                        (unsigned long long)hash, (int)signals);
  // One write, so that lines of many processes do not mix.
  if (write(1, line, length) != length) _exit(99);
  _exit(0);
}

int crowd(int count, const char *what, const char *path) {
  if (strstr(what, "map-") && map(what, path) != 0) return 1;
  pid_t *members = calloc(count, sizeof *members);
  for (int i = 0; i < count; i++) {
    members[i] = fork();
    if (members[i] < 0) return 71;
    if (members[i] == 0) member(i, what, path);
  }
  // In pieces, each written at once, so that results come between lines.
  char *line = malloc(count * 12 + 32);
  int length = sprintf(line, "started");
  for (int i = 0; i < count; i++) length += sprintf(line + length, " %d", (int)members[i]);
  line[length++] = '\n';
  for (int done = 0; done < length;) {
    ssize_t written = write(1, line + done, length - done);
    if (written < 0) return 74;
    done += written;
  }
  int status;
  pid_t ended;
  while ((ended = wait(&status)) > 0) {
    int isSignal = WIFSIGNALED(status);
    dprintf(1, "ended %d %s %d\n", (int)ended, isSignal ? "signal" : "exit",
            isSignal ? WTERMSIG(status) : WEXITSTATUS(status));
  }
  free(line);
  free(members);
  return 0;
}
