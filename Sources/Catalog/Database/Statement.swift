internal import CSQLite
internal import Platform

/// A prepared statement at work. Bound parameters count from 1, columns from 0, as in SQLite.
struct Statement {
  let raw: OpaquePointer

  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(raw, index, value) }

  func bind(_ index: Int32, _ value: UInt64) { bind(index, Int64(bitPattern: value)) }

  func bind(_ index: Int32, _ value: InodeNumber) { bind(index, value.rawValue) }

  func bind(_ index: Int32, _ value: Bool) { bind(index, Int64(value ? 1 : 0)) }

  func bind(_ index: Int32, _ value: Timestamp, nanoseconds: Int32) {
    bind(index, value.seconds)
    bind(nanoseconds, Int64(value.nanoseconds))
  }

  func bindNull(_ index: Int32) { sqlite3_bind_null(raw, index) }

  func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        _ = csqlite_bind_text(raw, index, characters.baseAddress, CInt(characters.count))
      }
    }
  }

  func bind(_ index: Int32, _ bytes: [UInt8]?) {
    guard let bytes else { return bindNull(index) }
    bytes.withUnsafeBytes { _ = csqlite_bind_blob(raw, index, $0.baseAddress, CInt($0.count)) }
  }

  /// Binds bytes that stay where they are until the statement is reset: no copy.
  func bindInPlace(_ index: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
    sqlite3_bind_blob(raw, index, bytes.baseAddress, CInt(bytes.count), nil)
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(raw, column) }

  func unsigned(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

  func inode(_ column: Int32) -> InodeNumber { InodeNumber(rawValue: unsigned(column)) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(raw, column) == SQLITE_NULL }

  func timestamp(_ column: Int32) -> Timestamp {
    Timestamp(
      seconds: integer(column), nanoseconds: Int32(truncatingIfNeeded: integer(column + 1)))
  }

  func text(_ column: Int32) -> String {
    guard let characters = sqlite3_column_text(raw, column) else { return "" }
    return String(cString: characters)
  }

  /// The bytes of a blob, valid until the next step.
  func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_column_blob(raw, column)
    let count = Int(sqlite3_column_bytes(raw, column))
    return UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count)
  }

  /// A copy of a blob; nil when it is NULL.
  func blob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : Array(bytes(column)) }
}
