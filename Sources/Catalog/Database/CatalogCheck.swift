internal import Cloud
internal import Glibc
internal import Platform

/// Finds out at the start whether a catalog is what it should be.
///
/// After a clean end only what costs nothing is looked at, however large the catalog is: that the file is
/// as long as it says, that the tables are there, and that nothing newer was lost. After any other end, in
/// a small file, or when damage was met before, every page is looked at as well, and whether the rows agree.
struct CatalogCheck {
  private let connection: Connection
  private let paths: CatalogPaths

  /// A file of up to so many bytes is checked as a whole each time, which takes some milliseconds.
  static let small: Int64 = 1 << 20

  init(_ connection: Connection, _ paths: CatalogPaths) {
    self.connection = connection
    self.paths = paths
  }

  /// A database must be there, and not empty.
  static func requireFile(_ path: String) throws(CatalogError) {
    guard access(path, F_OK) == 0 else { throw .corrupt(path, "it is missing") }
    guard size(of: path) > 0 else { throw .corrupt(path, "it is empty") }
  }

  func check(after end: LastEnd, isThorough: Bool) throws(CatalogError) {
    try checkLength()
    try checkTables()
    let isSuspected = access(paths.suspicion, F_OK) == 0
    let isSmall = Self.size(of: paths.database) <= Self.small
    if end != .clean || isSuspected || isThorough || isSmall {
      try checkPages()
      try checkRows()
    }
    try checkAge(after: end)
    if isSuspected { unlink(paths.suspicion) }
  }

  private static func size(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// A file that was cut off is noticed by SQLite only where it reads.
  private func checkLength() throws(CatalogError) {
    guard Self.size(of: paths.database + "-wal") == 0 else { return }
    let pages = Int64(try connection.value("PRAGMA page_count") ?? "") ?? 0
    let pageSize = Int64(try connection.value("PRAGMA page_size") ?? "") ?? 0
    guard Self.size(of: paths.database) >= pages * pageSize else {
      throw damage("it is cut off")
    }
  }

  private func checkTables() throws(CatalogError) {
    let found = try connection.value(
      "SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
    guard found == String(Schema.names.count) else { throw damage("tables are missing") }
    guard try connection.entry(of: .root)?.kind == .folder else {
      throw damage("the root folder is missing")
    }
    _ = try Counters(connection)
  }

  private func checkPages() throws(CatalogError) {
    let verdict = try connection.value("PRAGMA quick_check(1)") ?? ""
    guard verdict == "ok" else { throw damage(verdict) }
  }

  /// Rows that contradict each other.
  func checkRows() throws(CatalogError) {
    for (problem, query) in Self.contradictions {
      guard let found = try connection.value(query) else { continue }
      throw damage("\(problem): \(found)")
    }
  }

  /// Whether changes are missing that the journal tells of: somebody has removed the write-ahead log, or
  /// put an older file in place.
  private func checkAge(after end: LastEnd) throws(CatalogError) {
    guard let session = JournalContents.session(at: paths.journal) else { return }
    let own = try connection.session()
    guard session <= own else { throw damage("its latest changes are missing") }
    // A power cut may take the latest changes away; that is what fsync is for.
    guard end == .killed, session == own, let journal = JournalContents(at: paths.journal) else {
      return
    }
    for row in journal.pending {
      let known = try connection.pending(of: row.row.inode)
      guard known.map({ $0.sequence >= row.sequence }) == true else {
        throw damage("its latest changes are missing")
      }
    }
  }

  private func damage(_ reason: String) -> CatalogError { .corrupt(paths.database, reason) }

  /// What must not be found, each with a query that finds the first case.
  private static let contradictions = [
    (
      "an item lies in no folder",
      """
      SELECT inode FROM items WHERE inode != 1
        AND NOT EXISTS (SELECT 1 FROM items AS above WHERE above.inode = items.parent AND above.kind = 1)
      LIMIT 1
      """
    ),
    (
      "items lie in a circle of folders",
      """
      WITH RECURSIVE tree(inode) AS (
        SELECT 1 UNION ALL SELECT items.inode FROM tree CROSS JOIN items INDEXED BY items_by_parent
        WHERE items.parent = tree.inode)
      SELECT count(*) FROM items HAVING count(*) != (SELECT count(*) FROM tree)
      """
    ),
    ("an item has no name", "SELECT inode FROM items WHERE inode != 1 AND name IS NULL LIMIT 1"),
    (
      "something is pending of an item that is not there",
      "SELECT inode FROM pending WHERE inode NOT IN (SELECT inode FROM items) LIMIT 1"
    ),
    (
      "parts are here of an item that is not partial",
      """
      SELECT inode FROM ranges WHERE inode NOT IN (SELECT inode FROM items WHERE residency = 1)
      LIMIT 1
      """
    ),
    (
      "content is pending of a file that is not here",
      """
      SELECT inode FROM pending CROSS JOIN items USING (inode)
      WHERE kind = 0 AND parts & 3 AND residency != 2 LIMIT 1
      """
    ),
    (
      "a number is in use that was not given out",
      """
      SELECT items.inode FROM counters CROSS JOIN items
      WHERE items.inode = (SELECT max(inode) FROM items) AND items.inode >= counters.inode LIMIT 1
      """
    ),
    (
      "a change is newer than the newest",
      """
      SELECT pending.inode FROM counters CROSS JOIN pending
      WHERE pending.sequence >= counters.sequence LIMIT 1
      """
    ),
  ]
}
