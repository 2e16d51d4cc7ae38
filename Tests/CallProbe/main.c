// Makes exactly one call on a path and prints what came of it: "present" and what the call told, or the
// name of the error.
//
//   CallProbe CALL PATH        CALL is one of the names in the table at the end
//   CallProbe --catch CALL PATH   with a handler for SIGUSR1 that does not restart calls

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static int failed(void) {
  printf("%s\n", strerrorname_np(errno));
  return 1;
}

static int present(void) {
  puts("present");
  return 0;
}

static int call_lookup(const char *path) {
  return open(path, O_PATH | O_CLOEXEC) < 0 ? failed() : present();
}

static int call_statx_dont_sync(const char *path) {
  struct statx found;
  if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &found) != 0) return failed();
  printf("present %llu bytes, %llu blocks\n", (unsigned long long)found.stx_size,
         (unsigned long long)found.stx_blocks);
  return 0;
}

static int tell_stat(const struct stat *found) {
  printf("present %lld bytes, %lld blocks\n", (long long)found->st_size,
         (long long)found->st_blocks);
  return 0;
}

static int call_stat(const char *path) {
  struct stat found;
  return stat(path, &found) != 0 ? failed() : tell_stat(&found);
}

static int call_access(const char *path) {
  return faccessat(AT_FDCWD, path, R_OK, 0) != 0 ? failed() : present();
}

static int call_access_write(const char *path) {
  return faccessat(AT_FDCWD, path, W_OK, 0) != 0 ? failed() : present();
}

static int call_open(const char *path) {
  return open(path, O_RDONLY | O_CLOEXEC) < 0 ? failed() : present();
}

static int tell_content(int file) {
  char bytes[4096];
  ssize_t count = read(file, bytes, sizeof bytes);
  if (count < 0) return failed();
  printf("present %.*s", (int)count, bytes);
  return 0;
}

// Stops itself while the document is open; whoever started it lets it go on, and it reads.
static int call_open_and_wait(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed();
  raise(SIGSTOP);
  return tell_content(file);
}

static int call_open_fstat(const char *path) {
  struct stat found;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &found) != 0) return failed();
  return tell_stat(&found);
}

static int call_read(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  return file < 0 ? failed() : tell_content(file);
}

static int call_write(const char *path) {
  return open(path, O_WRONLY | O_CLOEXEC) < 0 ? failed() : present();
}

static int call_write_byte(const char *path) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  return file < 0 || write(file, "x", 1) != 1 ? failed() : present();
}

static int call_truncate(const char *path) {
  return open(path, O_WRONLY | O_TRUNC | O_CLOEXEC) < 0 ? failed() : present();
}

static int call_readdir(const char *path) {
  char entries[4096];
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return failed();
  long count = syscall(SYS_getdents64, folder, entries, sizeof entries);
  if (count < 0) return failed();
  printf("present");
  for (long at = 0; at < count;) {
    struct dirent64 *entry = (struct dirent64 *)(entries + at);
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      printf(" %s", entry->d_name);
    }
    at += entry->d_reclen;
  }
  puts("");
  return 0;
}

static int call_xattr(const char *path) {
  char value[256];
  return getxattr(path, "user.comment", value, sizeof value) < 0 ? failed() : present();
}

static int call_request_download(const char *path) {
  return setxattr(path, "user.fauxdrive.request", "download", 8, 0) != 0 ? failed() : present();
}

// The other name of a call that takes two.
static const char *beside(const char *path) {
  static char other[4096];
  snprintf(other, sizeof other, "%s.other", path);
  return other;
}

static int call_rename(const char *path) {
  return rename(path, beside(path)) != 0 ? failed() : present();
}

static int call_unlink(const char *path) { return unlink(path) != 0 ? failed() : present(); }

static int call_link(const char *path) {
  return link(path, beside(path)) != 0 ? failed() : present();
}

static const struct {
  const char *name;
  int (*run)(const char *path);
} calls[] = {
    {"lookup", call_lookup},
    {"statx-dont-sync", call_statx_dont_sync},
    {"stat", call_stat},
    {"access", call_access},
    {"access-write", call_access_write},
    {"open", call_open},
    {"open-and-wait", call_open_and_wait},
    {"open-fstat", call_open_fstat},
    {"read", call_read},
    {"write", call_write},
    {"write-byte", call_write_byte},
    {"truncate", call_truncate},
    {"readdir", call_readdir},
    {"xattr", call_xattr},
    {"request-download", call_request_download},
    {"rename", call_rename},
    {"unlink", call_unlink},
    {"link", call_link},
};

static void caught(int number) { (void)number; }

int main(int count, char **words) {
  if (count > 1 && strcmp(words[1], "--catch") == 0) {
    struct sigaction action = {.sa_handler = caught};
    sigaction(SIGUSR1, &action, NULL);
    words++;
    count--;
  }
  for (size_t i = 0; count == 3 && i < sizeof calls / sizeof *calls; i++) {
    if (strcmp(words[1], calls[i].name) == 0) return calls[i].run(words[2]);
  }
  fprintf(stderr, "usage: CallProbe [--catch] CALL PATH\n");
  return 64;
}
