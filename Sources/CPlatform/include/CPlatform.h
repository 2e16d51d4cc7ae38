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

/// fallocate(2). Returns 0, or -1 with errno.
int platform_allocate(int file, int mode, int64_t offset, int64_t count);

/// The flag O_PATH of open(2).
extern const int platform_open_path;

/// A descriptor that a write of 8 bytes makes readable, as eventfd(2), non-blocking; -1 with errno.
int platform_event(void);

/// renameat2(2). Returns 0, or -1 with errno.
int platform_rename(
    int from_folder, const char *_Nonnull from, int to_folder, const char *_Nonnull to,
    unsigned flags);

/// The flag RENAME_NOREPLACE of renameat2(2).
extern const unsigned platform_rename_noreplace;

/// The flag RENAME_EXCHANGE of renameat2(2).
extern const unsigned platform_rename_exchange;

/// Sets the time of the last modification through any descriptor, also one of O_PATH or of a symbolic
/// link. Returns 0, or -1 with errno.
int platform_set_modified(int file, int64_t seconds, int64_t nanoseconds);

/// Sets the permission bits through any descriptor but that of a symbolic link. Returns 0, or -1 with
/// errno.
int platform_set_permissions(int file, uint32_t permissions);

/// Copies extended attributes and access control lists to another file, as far as the process may; what
/// it may not, and what the file system does not keep, is left out. Returns 0, or -1 with errno when
/// there is no room.
int platform_copy_attributes(int from, int to);
