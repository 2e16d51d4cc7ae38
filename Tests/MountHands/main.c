// The hands of the tests on a mount: the process that tests must not touch one itself.
//
//   MountHands crowd COUNT WHAT PATH   so many processes do the same at once
//   MountHands session                 does what standard input says, a line at a time
//   MountHands watch handle|path PATH  reads versions until standard input ends
//   MountHands writer FOLDER JOURNAL SEED FIRST  changes files at random until the drive dies

#include "hands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count) {
  const unsigned char *next = bytes;
  for (size_t i = 0; i < count; i++) hash = (hash ^ next[i]) * 0x100000001b3ull;
  return hash;
}

long whole_version(const char *bytes, size_t count) {
  if (count < 16 || bytes[6] != '.' || bytes[15] != '\n') return -1;
  long version = strtol(bytes, NULL, 10), size = strtol(bytes + 7, NULL, 10);
  if (size != (long)count) return -1;
  for (size_t i = 16; i < count; i++)
    if (bytes[i] != 'a' + version % 26) return -1;
  return version;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc == 5 && strcmp(argv[1], "crowd") == 0) return crowd(atoi(argv[2]), argv[3], argv[4]);
  if (argc == 2 && strcmp(argv[1], "session") == 0) return session();
  if (argc == 4 && strcmp(argv[1], "watch") == 0) return watch(argv[2], argv[3]);
  if (argc == 6 && strcmp(argv[1], "writer") == 0)
    return writer(argv[2], argv[3], strtoull(argv[4], NULL, 10), atol(argv[5]));
  fprintf(stderr, "usage: MountHands crowd COUNT WHAT PATH | session | watch handle|path PATH | "
                  "writer FOLDER JOURNAL SEED FIRST\n");
  return 64;
}
