#pragma once

#include <stdint.h>

// What glibc declares only with _GNU_SOURCE, which Swift's Glibc module does not set.

/// The C name of an error number, or NULL; as strerrorname_np(3).
const char *_Nullable platform_errno_name(int number);

/// Writes out the file system that holds an open file, as syncfs(2); 0 or an error number.
int platform_sync_file_system(int file);

/// Names a thread (a pthread_t); the kernel takes at most 15 bytes.
void platform_name_thread(unsigned long thread, const char *_Nonnull name);

/// Gives memory that nobody uses back to the system, as malloc_trim(3).
void platform_give_back_memory(void);

/// What statx(2) tells, in types that do not depend on feature macros.
struct platform_status {
  uint64_t device;
  uint64_t inode;
  uint64_t size;
  uint32_t mode;
  uint32_t links;
  int64_t modified_seconds;
  int64_t birth_seconds;
  uint32_t modified_nanoseconds;
  /// 0 seconds and 0 nanoseconds when the file system does not keep the birth time.
  uint32_t birth_nanoseconds;
};

/// statx(2) of a name in a folder, not following a symbolic link; of the descriptor itself when the
/// name is empty. Returns 0, or -1 with errno.
int platform_status_at(
    int folder, const char *_Nonnull name, struct platform_status *_Nonnull status);

/// Gives one file the blocks of another, as ioctl FICLONE. Returns 0, or -1 with errno.
int platform_clone(int from, int to);

/// copy_file_range(2) between equal positions of two files. Returns the count, or -1 with errno.
int64_t platform_copy_range(int from, int to, int64_t offset, int64_t count);

/// Where the next data of a file begin from a position (lseek SEEK_DATA), or -1 with errno.
int64_t platform_seek_data(int file, int64_t offset);

/// Where the next hole of a file begins from a position (lseek SEEK_HOLE), or -1 with errno.
int64_t platform_seek_hole(int file, int64_t offset);

/// The flag O_PATH of open(2).
extern const int platform_open_path;

/// A descriptor that a write of 8 bytes makes readable, as eventfd(2), non-blocking; -1 with errno.
int platform_event(void);
