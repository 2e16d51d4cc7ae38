internal import CSQLite

/// A value of a column.
enum SQLValue {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  case null
}

/// One SQLite database, used by one thread at a time. Statements are prepared once.
final class Database {
  private var handle: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]
  private let path: String

  /// - Parameter fileSystem: the name of SQLite's file system; nil for the system's.
  init(at path: String, fileSystem: String?) throws(CloudError) {
    self.path = path
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let result = sqlite3_open_v2(path, &handle, flags, fileSystem)
    guard result == SQLITE_OK else { throw failure(result) }
    sqlite3_busy_timeout(handle, 2000)
  }

  deinit { close() }

  func close() {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Runs statements that have no values, such as a schema.
  func execute(_ script: String) throws(CloudError) {
    let result = sqlite3_exec(handle, script, nil, nil, nil)
    guard result == SQLITE_OK else { throw failure(result) }
  }

  func run(_ sql: String, _ values: [SQLValue] = []) throws(CloudError) {
    _ = try rows(sql, values) { _ in }
  }

  /// Runs a query and makes something of each row.
  func rows<Value>(
    _ sql: String, _ values: [SQLValue] = [], _ make: (SQLRow) -> Value
  ) throws(CloudError) -> [Value] {
    let statement = try prepare(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() { Self.bind(value, to: statement, Int32(index + 1)) }
    var found: [Value] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: found.append(make(SQLRow(statement: statement)))
      case SQLITE_DONE: return found
      case let result: throw failure(result)
      }
    }
  }

  var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Runs `body` so that all of its changes are kept, or none when it throws.
  func transaction(_ body: () throws(CloudError) -> Void) throws(CloudError) {
    try run("BEGIN IMMEDIATE")
    do {
      try body()
      try run("COMMIT")
    } catch {
      try? run("ROLLBACK")
      throw error
    }
  }

  private func prepare(_ sql: String) throws(CloudError) -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let result = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard result == SQLITE_OK, let statement else { throw failure(result) }
    statements[sql] = statement
    return statement
  }

  private static func bind(_ value: SQLValue, to statement: OpaquePointer, _ index: Int32) {
    // SQLITE_TRANSIENT: SQLite copies the bytes before the call returns.
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch value {
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    case .text(let text): sqlite3_bind_text(statement, index, text, -1, copied)
    case .null: sqlite3_bind_null(statement, index)
    case .blob(let bytes):
      bytes.withUnsafeBytes { buffer in
        if buffer.isEmpty {
          _ = sqlite3_bind_zeroblob(statement, index, 0)
        } else {
          _ = sqlite3_bind_blob(statement, index, buffer.baseAddress, Int32(buffer.count), copied)
        }
      }
    }
  }

  private func failure(_ result: Int32) -> CloudError {
    let text = String(cString: handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(result))
    switch result & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      return CloudError(
        .corrupt,
        "The cloud's index \(path) is damaged (\(text)). Remove the file to begin a new one: items "
          + "then get new identifiers, and devices list everything again.")
    case SQLITE_FULL:
      return CloudError(
        .quotaExceeded, "There is no room left for the cloud's index \(path); make some.")
    case SQLITE_BUSY, SQLITE_LOCKED:
      return CloudError(
        .failed, "The cloud's index \(path) is used by another process; stop that world first.")
    default:
      return CloudError(.failed, "The cloud's index \(path) cannot be used: \(text).")
    }
  }
}

/// The present row of a query; valid only while the query's closure runs.
struct SQLRow {
  let statement: OpaquePointer

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  func bytes(_ column: Int32) -> [UInt8] {
    guard let base = sqlite3_column_blob(statement, column) else { return [] }
    return Array(
      UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(statement, column))))
  }

  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}
