#include "FaultyDisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

#define PLANS 64

struct plan {
  int is_used;
  char prefix[512];
  int calls;
  long seen, first, count;
  int result, torn;
};

static struct plan plans[PLANS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct file {
  sqlite3_file base;
  int plan;
  sqlite3_file real;  // The system's file begins here, and is longer than that.
};

#define REAL(opened) (&((struct file *)(opened))->real)
#define METHODS(opened) (REAL(opened)->pMethods)

static sqlite3_vfs *system_disk;

int faulty_disk_watch(const char *prefix, int calls) {
  int found = -1;
  pthread_mutex_lock(&lock);
  for (int number = 0; number < PLANS && found < 0; number++) {
    if (plans[number].is_used || strlen(prefix) >= sizeof plans[number].prefix) continue;
    plans[number] = (struct plan){.is_used = 1, .calls = calls};
    strcpy(plans[number].prefix, prefix);
    found = number;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

void faulty_disk_fail(int number, long first, long count, int result, int torn) {
  pthread_mutex_lock(&lock);
  struct plan *plan = &plans[number];
  plan->seen = 0;
  plan->first = first;
  plan->count = count;
  plan->result = result;
  plan->torn = torn;
  pthread_mutex_unlock(&lock);
}

long faulty_disk_calls(int number) {
  pthread_mutex_lock(&lock);
  long seen = plans[number].seen;
  pthread_mutex_unlock(&lock);
  return seen;
}

void faulty_disk_forget(int number) {
  pthread_mutex_lock(&lock);
  plans[number].is_used = 0;
  pthread_mutex_unlock(&lock);
}

/// Counts a call; returns how it fails, or SQLITE_OK.
static int meet(int number, int call, int *torn) {
  if (number < 0) return SQLITE_OK;
  int result = SQLITE_OK;
  pthread_mutex_lock(&lock);
  struct plan *plan = &plans[number];
  if (plan->is_used && (plan->calls & call)) {
    plan->seen++;
    int is_over = plan->count >= 0 && plan->seen >= plan->first + plan->count;
    if (plan->first > 0 && plan->seen >= plan->first && !is_over) {
      result = plan->result;
      if (torn) *torn = plan->torn;
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

static int plan_of(const char *path) {
  int found = -1;
  if (!path) return found;
  pthread_mutex_lock(&lock);
  for (int number = 0; number < PLANS && found < 0; number++) {
    struct plan *plan = &plans[number];
    if (plan->is_used && strncmp(path, plan->prefix, strlen(plan->prefix)) == 0) found = number;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

// The calls of a file.

static int file_close(sqlite3_file *file) { return METHODS(file) ? METHODS(file)->xClose(REAL(file)) : SQLITE_OK; }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  int result = meet(((struct file *)file)->plan, faulty_disk_read, NULL);
  return result != SQLITE_OK ? result : METHODS(file)->xRead(REAL(file), bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  int torn = 0;
  int result = meet(((struct file *)file)->plan, faulty_disk_write, &torn);
  if (result == SQLITE_OK) return METHODS(file)->xWrite(REAL(file), bytes, count, offset);
  if (torn) METHODS(file)->xWrite(REAL(file), bytes, count / 2, offset);
  return result;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int result = meet(((struct file *)file)->plan, faulty_disk_truncate, NULL);
  return result != SQLITE_OK ? result : METHODS(file)->xTruncate(REAL(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
  int result = meet(((struct file *)file)->plan, faulty_disk_sync, NULL);
  return result != SQLITE_OK ? result : METHODS(file)->xSync(REAL(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) { return METHODS(file)->xFileSize(REAL(file), size); }
static int file_lock(sqlite3_file *file, int level) { return METHODS(file)->xLock(REAL(file), level); }
static int file_unlock(sqlite3_file *file, int level) { return METHODS(file)->xUnlock(REAL(file), level); }

static int file_is_reserved(sqlite3_file *file, int *result) {
  return METHODS(file)->xCheckReservedLock(REAL(file), result);
}

static int file_control(sqlite3_file *file, int what, void *value) {
  return METHODS(file)->xFileControl(REAL(file), what, value);
}

static int file_sector(sqlite3_file *file) { return METHODS(file)->xSectorSize(REAL(file)); }
static int file_traits(sqlite3_file *file) { return METHODS(file)->xDeviceCharacteristics(REAL(file)); }

static int file_share(sqlite3_file *file, int region, int size, int extends, void volatile **memory) {
  return METHODS(file)->xShmMap(REAL(file), region, size, extends, memory);
}

static int file_share_lock(sqlite3_file *file, int offset, int count, int flags) {
  return METHODS(file)->xShmLock(REAL(file), offset, count, flags);
}

static void file_share_barrier(sqlite3_file *file) { METHODS(file)->xShmBarrier(REAL(file)); }
static int file_unshare(sqlite3_file *file, int removes) { return METHODS(file)->xShmUnmap(REAL(file), removes); }

static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory) {
  return METHODS(file)->xFetch(REAL(file), offset, count, memory);
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
  return METHODS(file)->xUnfetch(REAL(file), offset, memory);
}

static const sqlite3_io_methods methods = {
    3,           file_close,       file_read,   file_write,     file_truncate, file_sync,       file_size,
    file_lock,   file_unlock,      file_is_reserved, file_control, file_sector, file_traits,   file_share,
    file_share_lock, file_share_barrier, file_unshare, file_fetch, file_unfetch,
};

static int disk_open(sqlite3_vfs *own, const char *path, sqlite3_file *opened, int flags, int *given) {
  (void)own;
  struct file *file = (struct file *)opened;
  file->base.pMethods = NULL;
  file->plan = plan_of(path);
  int result = meet(file->plan, faulty_disk_open, NULL);
  if (result != SQLITE_OK) return result;
  result = system_disk->xOpen(system_disk, path, &file->real, flags, given);
  if (result == SQLITE_OK) file->base.pMethods = &methods;
  return result;
}

void faulty_disk_register(void) {
  static sqlite3_vfs disk;
  pthread_mutex_lock(&lock);
  if (!system_disk) {
    sqlite3_initialize();
    system_disk = sqlite3_vfs_find(NULL);
    disk = *system_disk;
    disk.zName = "faulty";
    disk.pNext = NULL;
    disk.szOsFile = (int)sizeof(struct file) + system_disk->szOsFile;
    disk.xOpen = disk_open;
    sqlite3_vfs_register(&disk, 0);
  }
  pthread_mutex_unlock(&lock);
}
