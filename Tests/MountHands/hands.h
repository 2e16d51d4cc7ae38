// What the parts of this program share.
#ifndef HANDS_H
#define HANDS_H

#include <stddef.h>
#include <stdint.h>

// FNV-1a over more bytes; begin with HASH_START.
#define HASH_START 0xcbf29ce484222325ull
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count);

// Whether the bytes are one whole version as the tests write them: "VVVVVV.SSSSSSSS\n" (version and size), then 'a' + version % 26 up to that size. Returns the version, or -1.
long whole_version(const char *bytes, size_t count);

int crowd(int count, const char *what, const char *path);
int session(void);
int watch(const char *how, const char *path);
int writer(const char *folder, const char *journal, uint64_t seed, long first);

#endif
