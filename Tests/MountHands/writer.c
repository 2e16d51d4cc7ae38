// Changes files in a folder in the ways in which programs do, at random, and keeps a journal elsewhere.
//
// Each call is noted before it is made, and its errno afterwards ("= 0" when it succeeded). Prints a line after
// each change. It ends when the drive is dead, which is when a call gets ENOTCONN or ECONNABORTED:
// then the journal's last call has been done or not.
//
//   open FLAGS PATH     FLAGS of c (O_CREAT), t (O_TRUNC), a (O_APPEND)
//   write OFFSET COUNT NUMBER   the bytes tell number and position, see content(); OFFSET -1 appends
//   fsync, close
//   truncate PATH SIZE, rename PATH PATH, unlink PATH, mkdir PATH, rmdir PATH

#define _GNU_SOURCE
#include "hands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int journal;
static const char *root;
static uint64_t state;
static long number;

static unsigned draw(unsigned below) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(state >> 33) % below;
}

static void note(const char *format, ...) {
  char line[512];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  if (write(journal, line, length) != length) exit(74);
}

// Notes how a call ended, and ends if the drive is dead.
static long ended(long result) {
  int error = result < 0 ? errno : 0;
  note("= %d\n", error);
  if (error == ENOTCONN || error == ECONNABORTED) exit(0);
  return result;
}

static const char *at(const char *path) {
  static char paths[4][512];
  static int next;
  char *full = paths[next++ % 4];
  snprintf(full, sizeof paths[0], "%s/%s", root, path);
  return full;
}

static char content(long which, long position) {
  uint64_t mixed = (uint64_t)which * 0x9e3779b97f4a7c15ull + (uint64_t)position / 8 * 0xbf58476d1ce4e5b9ull;
  return (char)(mixed >> (position % 8 * 8));
}

static int open_file(const char *flags, const char *path) {
  int mode = O_WRONLY;
  if (strchr(flags, 'c')) mode |= O_CREAT;
  if (strchr(flags, 't')) mode |= O_TRUNC;
  if (strchr(flags, 'a')) mode |= O_APPEND;
  note("open %s %s\n", flags, path);
  return (int)ended(open(at(path), mode, 0644));
}

static void write_bytes(int file, long offset, long count) {
  static char bytes[4 << 20];
  number++;
  for (long i = 0; i < count; i++) bytes[i] = content(number, i);
  note("write %ld %ld %ld\n", offset, count, number);
  long written = offset < 0 ? write(file, bytes, count) : pwrite(file, bytes, count, offset);
  if (written >= 0 && written < count) {
    // The drive died between two pieces.
    errno = ECONNABORTED;
    written = -1;
  }
  ended(written);
}

static void close_file(int file, int isSafe) {
  if (isSafe) {
    note("fsync\n");
    ended(fsync(file));
  }
  note("close\n");
  ended(close(file));
}

static const char *folders[] = {"", "a/", "b/", "a/c/"};

static const char *name(void) {
  static char names[4][64];
  static int next;
  char *chosen = names[next++ % 4];
  snprintf(chosen, sizeof names[0], "%sf%u", folders[draw(4)], draw(4));
  return chosen;
}

static long size(void) { return draw(8) == 0 ? 1 + draw(3000000) : draw(20000); }

static void save(const char *path) {
  char other[128];
  snprintf(other, sizeof other, "%s.tmp", path);
  int file = open_file("ct", other);
  if (file < 0) return;
  long length = size();
  write_bytes(file, 0, length);
  if (draw(2)) write_bytes(file, length, 1 + draw(5000));
  close_file(file, draw(2));
  note("rename %s %s\n", other, path);
  ended(rename(at(other), at(path)));
}

static void write_file(const char *flags, const char *path, long offset, int isSafe) {
  int file = open_file(flags, path);
  if (file < 0) return;
  write_bytes(file, offset, size());
  if (draw(3) == 0) write_bytes(file, offset, 1 + draw(100));
  close_file(file, isSafe);
}

static void change(void) {
  static const char *places[] = {"a", "b", "a/c", "b/c"};
  const char *path = name(), *other = name(), *place = places[draw(4)], *goal = places[draw(4)];
  switch (draw(16)) {
  case 0: case 1: case 2: case 3: return save(path);
  case 4: case 5: return write_file("ct", path, 0, draw(2));
  case 6: case 7: return write_file("ca", path, -1, draw(2));
  case 8: return write_file("-", path, draw(10000), draw(2));
  case 9: {
    long length = size();
    note("truncate %s %ld\n", path, length);
    ended(truncate(at(path), length));
    return;
  }
  case 10: case 11: case 12:
    note("rename %s %s\n", path, other);
    ended(rename(at(path), at(other)));
    return;
  case 13:
    note("unlink %s\n", path);
    ended(unlink(at(path)));
    return;
  case 14:
    note("mkdir %s\n", place);
    ended(mkdir(at(place), 0755));
    return;
  default:
    if (draw(2)) {
      note("rmdir %s\n", place);
      ended(rmdir(at(place)));
    } else {
      note("rename %s %s\n", place, goal);
      ended(rename(at(place), at(goal)));
    }
  }
}

int writer(const char *folder, const char *path, uint64_t seed, long first) {
  root = folder;
  state = seed;
  number = first;
  journal = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
  if (journal < 0) return 73;
  note("mkdir a\n");
  ended(mkdir(at("a"), 0755));
  for (;;) {
    change();
    printf("done\n");
  }
}
