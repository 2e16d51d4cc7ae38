#pragma once

// A file system for SQLite that fails when a test says so. Everything else it hands to the system's.

/// What a file system does; a plan says which of these count.
enum faulty_disk_call {
  faulty_disk_open = 1,
  faulty_disk_write = 2,
  faulty_disk_sync = 4,
  faulty_disk_truncate = 8,
  faulty_disk_read = 16,
};

/// Makes the file system known to SQLite under the name "faulty"; a second time does nothing.
void faulty_disk_register(void);

/// Counts the calls on files whose path begins with a prefix, from now on, and lets none fail.
///
/// Returns the number of the plan, to be given to the others and at last to `faulty_disk_forget`; -1 when
/// there are too many.
int faulty_disk_watch(const char *_Nonnull prefix, int calls);

/// Lets `count` calls fail with SQLite's `result`, beginning with the `first` one from now on (1 is the
/// next); a negative count means all that come. Of a write that is `torn` the first half is done.
void faulty_disk_fail(int plan, long first, long count, int result, int torn);

/// How many calls there were since the plan was made or was told what fails.
long faulty_disk_calls(int plan);

/// Ends a plan; files that are open under it go on without.
void faulty_disk_forget(int plan);
