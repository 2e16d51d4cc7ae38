// Does one call for each line of standard input, and answers in one line: "ok VALUES" or "error NAME".
//
// What was read is told as the version that it is the whole of, else as a hash.
// Open files and mappings are kept under numbers. A call that waits makes the session wait.

#define _GNU_SOURCE
#include "hands.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLOTS 256
static int files[SLOTS];
static char *maps[SLOTS];
static size_t mapSizes[SLOTS];
static sigjmp_buf afterBus;

static void bus(int number) {
  (void)number;
  siglongjmp(afterBus, 1);
}

static void fail(void) { printf("error %s\n", strerrorname_np(errno)); }

static void tell_status(const struct stat *status) {
  printf("ok %lld %llu %o %lld %lld.%09ld\n", (long long)status->st_size, (unsigned long long)status->st_ino,
         status->st_mode, (long long)status->st_blocks, (long long)status->st_mtim.tv_sec, status->st_mtim.tv_nsec);
}

static void tell_bytes(const char *bytes, size_t count) {
  long version = whole_version(bytes, count);
  if (version >= 0) printf("ok %zu %ld\n", count, version);
  else printf("ok %zu #%016llx\n", count, (unsigned long long)hash_bytes(HASH_START, bytes, count));
}

static void read_range(int file, long long offset, size_t count) {
  char *bytes = malloc(count + 1);
  size_t done = 0;
  ssize_t now = 0;
  while (done < count && (now = pread(file, bytes + done, count - done, offset + done)) > 0) done += now;
  if (now < 0) {
    fail();
  } else {
    tell_bytes(bytes, done);
  }
  free(bytes);
}

static void read_whole(const char *path) {
  struct stat status;
  int file = open(path, O_RDONLY);
  if (file < 0) return fail();
  if (fstat(file, &status) != 0) {
    fail();
  } else {
    // One byte more, so that a file that is longer than it says is found out.
    read_range(file, 0, status.st_size + 1);
  }
  close(file);
}

static void peek(int slot, size_t offset, size_t count) {
  if (sigsetjmp(afterBus, 1) != 0) {
    printf("error SIGBUS\n");
    return;
  }
  tell_bytes(maps[slot] + offset, count);
}

static void map(int slot, int target, const char *how) {
  struct stat status;
  if (fstat(files[slot], &status) != 0) return fail();
  int flags = strcmp(how, "shared") == 0 ? MAP_SHARED : MAP_PRIVATE;
  char *bytes = mmap(NULL, status.st_size, PROT_READ, flags, files[slot], 0);
  if (bytes == MAP_FAILED) return fail();
  maps[target] = bytes;
  mapSizes[target] = status.st_size;
  printf("ok %lld\n", (long long)status.st_size);
}

static void list(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) return fail();
  int count = 0;
  errno = 0;
  while (readdir(folder)) count++;
  int error = errno;
  closedir(folder);
  errno = error;
  if (error) return fail();
  printf("ok %d\n", count - 2);
}

static void answer(int result) {
  if (result < 0) fail();
  else printf("ok %d\n", result);
}

static void act(char *line) {
  char *words[5] = {0};
  int count = 0;
  for (char *word = strtok(line, " \n"); word && count < 5; word = strtok(NULL, " \n")) words[count++] = word;
  const char *verb = count ? words[0] : "";
  struct stat status;
#define IS(name, operands) (strcmp(verb, name) == 0 && count == operands + 1)
  if (IS("stat", 1)) {
    if (stat(words[1], &status) == 0) tell_status(&status);
    else fail();
  } else if (IS("fstat", 1)) {
    if (fstat(files[atoi(words[1])], &status) == 0) tell_status(&status);
    else fail();
  } else if (IS("access", 1)) {
    answer(access(words[1], R_OK));
  } else if (IS("open", 2)) {
    int file = open(words[2], O_RDONLY);
    if (file >= 0) files[atoi(words[1])] = file;
    answer(file);
  } else if (IS("create", 1)) {
    int file = open(words[1], O_WRONLY | O_CREAT | O_EXCL, 0644);
    answer(file);
    if (file >= 0) close(file);
  } else if (IS("rename", 2)) {
    answer(rename(words[1], words[2]));
  } else if (IS("list", 1)) {
    list(words[1]);
  } else if (IS("pread", 3)) {
    read_range(files[atoi(words[1])], atoll(words[2]), strtoul(words[3], NULL, 10));
  } else if (IS("whole", 1)) {
    read_whole(words[1]);
  } else if (IS("map", 3)) {
    map(atoi(words[1]), atoi(words[2]), words[3]);
  } else if (IS("peek", 3)) {
    peek(atoi(words[1]), strtoul(words[2], NULL, 10), strtoul(words[3], NULL, 10));
  } else if (IS("unmap", 1)) {
    answer(munmap(maps[atoi(words[1])], mapSizes[atoi(words[1])]));
  } else if (IS("close", 1)) {
    answer(close(files[atoi(words[1])]));
  } else {
    printf("error EINVAL\n");
  }
}

int session(void) {
  char line[4096];
  struct sigaction action = {.sa_handler = bus};
  sigaction(SIGBUS, &action, NULL);
  while (fgets(line, sizeof line, stdin)) act(line);
  return 0;
}
