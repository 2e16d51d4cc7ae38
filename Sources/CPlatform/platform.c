#define _GNU_SOURCE
#include "CPlatform.h"

#include <malloc.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

const char *platform_errno_name(int number) { return strerrorname_np(number); }

int platform_sync_file_system(int file) { return syncfs(file) == 0 ? 0 : errno; }

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
