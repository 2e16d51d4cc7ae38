#define _GNU_SOURCE
#include "CPlatform.h"

#include <malloc.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

const char *platform_errno_name(int number) { return strerrorname_np(number); }

int platform_sync_file_system(int file) { return syncfs(file) == 0 ? 0 : errno; }

int platform_allocate(int file, int mode, int64_t offset, int64_t count) {
  return fallocate(file, mode, offset, count);
}

void platform_name_thread(unsigned long thread, const char *name) {
  pthread_setname_np((pthread_t)thread, name);
}

void platform_give_back_memory(void) { malloc_trim(0); }

int platform_status_at(int folder, const char *name, struct platform_status *status) {
  struct statx raw;
  int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (name[0] == 0 ? AT_EMPTY_PATH : 0);
  if (statx(folder, name, flags, STATX_BASIC_STATS | STATX_BTIME, &raw) != 0) return -1;
  int has_birth = (raw.stx_mask & STATX_BTIME) != 0;
  *status = (struct platform_status){
      .device = makedev(raw.stx_dev_major, raw.stx_dev_minor),
      .inode = raw.stx_ino,
      .size = raw.stx_size,
      .mode = raw.stx_mode,
      .links = raw.stx_nlink,
      .modified_seconds = raw.stx_mtime.tv_sec,
      .birth_seconds = has_birth ? raw.stx_btime.tv_sec : 0,
      .modified_nanoseconds = raw.stx_mtime.tv_nsec,
      .birth_nanoseconds = has_birth ? raw.stx_btime.tv_nsec : 0,
  };
  return 0;
}

int platform_clone(int from, int to) { return ioctl(to, FICLONE, from); }

int64_t platform_copy_range(int from, int to, int64_t offset, int64_t count) {
  off_t source = offset, destination = offset;
  return copy_file_range(from, &source, to, &destination, (size_t)count, 0);
}

int64_t platform_seek_data(int file, int64_t offset) { return lseek(file, offset, SEEK_DATA); }

int64_t platform_seek_hole(int file, int64_t offset) { return lseek(file, offset, SEEK_HOLE); }

const int platform_open_path = O_PATH;

int platform_event(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int platform_rename(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  return renameat2(from_folder, from, to_folder, to, flags);
}

const unsigned platform_rename_noreplace = RENAME_NOREPLACE;
const unsigned platform_rename_exchange = RENAME_EXCHANGE;

int platform_set_modified(int file, int64_t seconds, int64_t nanoseconds) {
  struct timespec times[2] = {
      {.tv_nsec = UTIME_OMIT}, {.tv_sec = seconds, .tv_nsec = nanoseconds}};
  return utimensat(file, "", times, AT_EMPTY_PATH);
}

// The kernel takes an O_PATH descriptor for many calls only by its name in /proc.
struct platform_path { char text[32]; };

static struct platform_path path_of(int file) {
  struct platform_path path;
  snprintf(path.text, sizeof path.text, "/proc/self/fd/%d", file);
  return path;
}

int platform_set_permissions(int file, uint32_t permissions) {
  return chmod(path_of(file).text, (mode_t)permissions);
}

/// What the kernel drops or computes anew when content changes is not copied.
static int is_copied(const char *name) {
  return strncmp(name, "security.", 9) != 0 || strcmp(name, "security.selinux") == 0;
}

int platform_copy_attributes(int from, int to) {
  struct platform_path path = path_of(from);
  ssize_t size = listxattr(path.text, NULL, 0);
  if (size <= 0) return 0;
  char *names = malloc((size_t)size), *value = malloc(XATTR_SIZE_MAX);
  int result = 0;
  size = names && value ? listxattr(path.text, names, (size_t)size) : 0;
  for (char *name = names; result == 0 && name < names + size; name += strlen(name) + 1) {
    ssize_t length = is_copied(name) ? getxattr(path.text, name, value, XATTR_SIZE_MAX) : -1;
    if (length < 0 || fsetxattr(to, name, value, (size_t)length, 0) == 0) continue;
    if (errno == ENOSPC || errno == EDQUOT) result = -1;
  }
  int error = errno;
  free(names);
  free(value);
  errno = error;
  return result;
}
