#pragma once

#include <sqlite3.h>

// What is a cast macro in C and therefore not visible to Swift: binding with a copy of the bytes.

/// Binds text, of which SQLite keeps a copy.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

/// Binds bytes, of which SQLite keeps a copy. An empty blob stays one; it does not become NULL.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
