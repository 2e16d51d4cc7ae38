internal import CSQLite

/// Where a database lies.
struct DatabaseFile: Sendable {
  var path: String
  /// The name of SQLite's file system; nil for the system's. Tests have one that fails.
  var fileSystem: String?
}

/// One connection to the database, with its prepared statements.
///
/// Unchecked because it is used by one thread at a time: the writer under its lock, a reader by
/// whoever has taken it out of the pool.
final class Connection: @unchecked Sendable {
  let path: String
  /// The generation of the pool that the open read transaction shows; nil when none is open.
  var snapshot: UInt64?

  private let handle: OpaquePointer
  private var statements: [OpaquePointer?]

  /// Opens the file; `creating` makes it when it is not there.
  convenience init(_ file: DatabaseFile, creating: Bool) throws(CatalogError) {
    try self.init(file, SQLITE_OPEN_READWRITE | (creating ? SQLITE_OPEN_CREATE : 0))
  }

  /// Opens the file to look at it.
  convenience init(reading path: String) throws(CatalogError) {
    try self.init(DatabaseFile(path: path, fileSystem: nil), SQLITE_OPEN_READONLY)
  }

  private init(_ file: DatabaseFile, _ access: CInt) throws(CatalogError) {
    let path = file.path
    let flags = access | SQLITE_OPEN_NOMUTEX
    var opened: OpaquePointer?
    let result = sqlite3_open_v2(path, &opened, flags, file.fileSystem)
    guard result == SQLITE_OK, let opened else {
      defer { sqlite3_close_v2(opened) }
      throw Self.error(result, opened, path)
    }
    sqlite3_extended_result_codes(opened, 1)
    self.path = path
    handle = opened
    statements = Array(repeating: nil, count: Query.allCases.count)
  }

  deinit {
    for statement in statements { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// How many rows were changed since the connection was opened.
  var totalChanges: Int64 { sqlite3_total_changes64(handle) }
  /// How many rows the last statement changed.
  var changes: Int64 { sqlite3_changes64(handle) }

  /// Runs statements without parameters and without interest in rows.
  func execute(_ sql: String) throws(CatalogError) {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw error(result) }
  }

  /// The first column of the first row of a statement that is used once; nil when there is no row.
  func value(_ sql: String) throws(CatalogError) -> String? {
    var raw: OpaquePointer?
    let result = sqlite3_prepare_v2(handle, sql, -1, &raw, nil)
    guard result == SQLITE_OK, let raw else { throw error(result) }
    defer { sqlite3_finalize(raw) }
    return try step(raw) ? Statement(raw: raw).text(0) : nil
  }

  /// Runs a statement for its effect.
  func run(_ query: Query, _ bind: (Statement) -> Void = { _ in }) throws(CatalogError) {
    let statement = try prepared(query)
    defer { sqlite3_reset(statement.raw) }
    bind(statement)
    while try step(statement.raw) {}
  }

  /// Reads the first row; nil when there is none.
  @inline(__always)
  func first<Value>(
    _ query: Query, _ bind: (Statement) -> Void,
    _ read: (Statement) throws(CatalogError) -> Value
  ) throws(CatalogError) -> Value? {
    let statement = try prepared(query)
    defer { sqlite3_reset(statement.raw) }
    bind(statement)
    guard try step(statement.raw) else { return nil }
    return try read(statement)
  }

  /// Reads rows until there are no more or `read` returns false.
  @inline(__always)
  func forEach(
    _ query: Query, _ bind: (Statement) -> Void,
    _ read: (Statement) throws(CatalogError) -> Bool
  ) throws(CatalogError) {
    let statement = try prepared(query)
    defer { sqlite3_reset(statement.raw) }
    bind(statement)
    while try step(statement.raw) {
      guard try read(statement) else { return }
    }
  }

  /// Copies what is committed into the database file; returns false when a reader is in the way.
  @discardableResult
  func checkpoint(truncating: Bool) throws(CatalogError) -> Bool {
    let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    let result = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
    if result & 0xff == SQLITE_BUSY { return false }
    guard result == SQLITE_OK else { throw error(result) }
    return true
  }

  /// Gives cached pages back to the system.
  func releaseMemory() { sqlite3_db_release_memory(handle) }

  /// Calls back after each commit with the number of pages in the write-ahead log.
  func observeLog(_ pages: UnsafeMutablePointer<CInt>) {
    // This replaces SQLite's own checkpoint after a commit, at which readers would be in the way.
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        context?.assumingMemoryBound(to: CInt.self).pointee = pages
        return SQLITE_OK
      }, pages)
  }

  /// The error that a result code stands for.
  func error(_ result: CInt) -> CatalogError { Self.error(result, handle, path) }

  private func prepared(_ query: Query) throws(CatalogError) -> Statement {
    if let statement = statements[query.rawValue] { return Statement(raw: statement) }
    var raw: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    let result = sqlite3_prepare_v3(handle, query.sql, -1, flags, &raw, nil)
    guard result == SQLITE_OK, let raw else { throw error(result) }
    statements[query.rawValue] = raw
    return Statement(raw: raw)
  }

  @inline(__always)
  private func step(_ statement: OpaquePointer) throws(CatalogError) -> Bool {
    let result = sqlite3_step(statement)
    if result == SQLITE_ROW { return true }
    if result == SQLITE_DONE { return false }
    throw error(result)
  }

  private static func error(
    _ result: CInt, _ handle: OpaquePointer?, _ path: String
  ) -> CatalogError {
    let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "SQLite error \(result)"
    switch result & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt(path, reason)
    case SQLITE_FULL:
      return CatalogError(.full, "no room to write \(path) (\(reason)): free some space")
    case SQLITE_BUSY, SQLITE_LOCKED:
      return CatalogError(.locked, "\(path) is in use (\(reason)): close the other program first")
    case SQLITE_MISUSE, SQLITE_RANGE, SQLITE_ERROR, SQLITE_CONSTRAINT:
      return CatalogError(.misuse, "\(path) refused a statement (\(reason)): this is a defect")
    default:
      return CatalogError(
        .io, "cannot read or write \(path) (\(reason)): check the disk and the permissions")
    }
  }
}
