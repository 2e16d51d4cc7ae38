internal import Platform

/// The sidecar index of a directory store: which item lies where, what each looked like, and the
/// history. It lies in a folder of its own, never in the cloud's.
///
/// Rows of items that are gone are kept as long as the history tells of it, so that what comes back (from
/// a folder that nobody listed, say) is the same item again.
final class DirectoryIndex {
  let database: Database
  /// The prefix of all identifiers; a new index has a new one, so that no identifier is given twice.
  let generation: String
  private let historyLimit: Int64

  private static let formatVersion: Int64 = 1

  init(
    at path: String, root: EntryStatus, generation: String?, historyLimit: Int,
    fileSystem: String?
  ) throws(CloudError) {
    database = try Database(at: path, fileSystem: fileSystem)
    self.historyLimit = Int64(historyLimit)
    // Exclusive: a second process that used the same index would not see what this one found.
    try database.execute(
      """
      PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      """)
    try Self.migrate(database, path)
    let made = generation ?? String(UInt32.random(in: .min ... .max), radix: 16)
    try database.run(
      "INSERT OR IGNORE INTO meta(key, value) VALUES('generation', ?)", [.text(made)])
    let stored = try database.rows("SELECT value FROM meta WHERE key = 'generation'") {
      $0.text(0)
    }
    self.generation = stored.first ?? made
    try adopt(root, path)
  }

  func close() { database.close() }

  private static func migrate(_ database: Database, _ path: String) throws(CloudError) {
    let version = try database.rows("PRAGMA user_version") { $0.integer(0) }.first ?? 0
    guard version <= formatVersion else {
      throw CloudError(
        .failed,
        "The cloud's index \(path) has format \(version), which a newer FauxDrive wrote; this one "
          + "reads up to \(formatVersion).")
    }
    let columns = """
      parent INTEGER NOT NULL, name BLOB, kind INTEGER NOT NULL, device INTEGER NOT NULL,
      inode INTEGER NOT NULL, birth_seconds INTEGER NOT NULL, birth_nanoseconds INTEGER NOT NULL,
      size INTEGER NOT NULL, seconds INTEGER NOT NULL, nanoseconds INTEGER NOT NULL,
      permissions INTEGER NOT NULL, links INTEGER NOT NULL, target BLOB
      """
    try database.execute(
      """
      BEGIN;
      CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS items(id INTEGER PRIMARY KEY AUTOINCREMENT, \(columns),
        enumerated INTEGER NOT NULL DEFAULT 0, gone INTEGER);
      CREATE INDEX IF NOT EXISTS items_place ON items(parent, name);
      CREATE INDEX IF NOT EXISTS items_parent ON items(parent);
      CREATE INDEX IF NOT EXISTS items_identity ON items(inode, device);
      CREATE INDEX IF NOT EXISTS items_gone ON items(gone) WHERE gone IS NOT NULL;
      CREATE INDEX IF NOT EXISTS items_enumerated ON items(id) WHERE enumerated = 1;
      CREATE TABLE IF NOT EXISTS changes(serial INTEGER PRIMARY KEY AUTOINCREMENT,
        sort INTEGER NOT NULL, old INTEGER NOT NULL, id INTEGER NOT NULL, \(columns));
      CREATE TABLE IF NOT EXISTS intents(serial INTEGER PRIMARY KEY AUTOINCREMENT,
        sort INTEGER NOT NULL, place INTEGER NOT NULL, staged TEXT NOT NULL UNIQUE,
        conditional INTEGER NOT NULL, id INTEGER NOT NULL, \(columns));
      PRAGMA user_version = \(formatVersion);
      COMMIT;
      """)
  }

  /// Makes the root's row, or checks that the folder is the one that the index is about.
  private func adopt(_ root: EntryStatus, _ path: String) throws(CloudError) {
    if let known = try row(IndexRow.root) {
      guard known.status.identity == root.identity else {
        throw CloudError(
          .failed,
          "The index \(path) is about another folder than the one that is there now (it was "
            + "replaced, or its volume is not mounted). If that is as it should be, remove the index: "
            + "items then get new identifiers, and devices list everything again.")
      }
    } else {
      try insert(
        IndexRow(id: IndexRow.root, parent: IndexRow.root, name: nil, status: root), id: 1)
    }
  }
}

// Items

extension DirectoryIndex {
  func row(_ id: Int64) throws(CloudError) -> IndexRow? {
    try rows("WHERE id = ?", [.integer(id)]).first
  }

  func child(_ name: FileName, of folder: Int64) throws(CloudError) -> IndexRow? {
    try rows(
      "WHERE parent = ? AND name = ? AND gone IS NULL", [.integer(folder), .blob(name.bytes)]
    ).first
  }

  func children(of folder: Int64) throws(CloudError) -> [IndexRow] {
    try rows("WHERE parent = ? AND gone IS NULL AND id != 1", [.integer(folder)])
  }

  /// Children in the order of their identifiers, which never change.
  func children(of folder: Int64, after id: Int64, count: Int) throws(CloudError) -> [IndexRow] {
    // By this index the rows of a folder come in the order of their identifiers, without sorting.
    try rows(
      "INDEXED BY items_parent WHERE parent = ? AND gone IS NULL AND id > ? AND id != 1 ORDER BY id "
        + "LIMIT ?",
      [.integer(folder), .integer(id), .integer(Int64(count))])
  }

  /// All that had an identity when last seen, those that are gone last.
  func rows(with identity: FileIdentity) throws(CloudError) -> [IndexRow] {
    try rows(
      "WHERE inode = ? AND device = ? ORDER BY gone IS NOT NULL, id",
      [.integer(identity.inode), .integer(identity.device)]
    ).filter { $0.status.identity == identity && $0.id != IndexRow.root }
  }

  func enumeratedFolders() throws(CloudError) -> [Int64] {
    try database.rows("SELECT id FROM items WHERE enumerated = 1 ORDER BY id") { $0.integer(0) }
  }

  func setEnumerated(_ id: Int64) throws(CloudError) {
    try database.run("UPDATE items SET enumerated = 1 WHERE id = ?", [.integer(id)])
  }

  /// The names from the root to an item; nil when it, or a folder above it, is gone.
  func path(of id: Int64) throws(CloudError) -> [FileName]? {
    var names: [FileName] = []
    var place = id
    while place != IndexRow.root {
      guard let row = try row(place), !row.isGone, let name = row.name else { return nil }
      names.append(name)
      place = row.parent
    }
    return names.reversed()
  }

  @discardableResult
  func insert(_ row: IndexRow, id: Int64? = nil) throws(CloudError) -> Int64 {
    try database.run(
      "INSERT INTO items(\(IndexRow.columns)) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      [id.map { .integer($0) } ?? .null] + row.values)
    return database.lastInsertedRow
  }

  /// Writes a row again; an item that was gone is back.
  func update(_ row: IndexRow) throws(CloudError) {
    try database.run(
      """
      UPDATE items SET gone = NULL, parent = ?, name = ?, kind = ?, device = ?, inode = ?,
        birth_seconds = ?, birth_nanoseconds = ?, size = ?, seconds = ?, nanoseconds = ?,
        permissions = ?, links = ?, target = ? WHERE id = ?
      """, row.values + [.integer(row.id)])
  }

  /// Marks an item and everything in it as gone; returns the enumerated folders among them.
  func markGone(_ id: Int64) throws(CloudError) -> [Int64] {
    let tree = """
      WITH RECURSIVE tree(id) AS (SELECT ?1 UNION
        SELECT items.id FROM items JOIN tree ON items.parent = tree.id WHERE items.gone IS NULL)
      """
    let folders = try database.rows(
      "\(tree) SELECT id FROM items WHERE enumerated = 1 AND id IN tree", [.integer(id)]
    ) { $0.integer(0) }
    try database.run(
      "\(tree) UPDATE items SET gone = ?2, enumerated = 0 WHERE id IN tree",
      [.integer(id), .integer(try lastSerial() + 1)])
    return folders
  }

  private func rows(_ condition: String, _ values: [SQLValue]) throws(CloudError) -> [IndexRow] {
    try database.rows(
      "SELECT \(IndexRow.columns), enumerated, gone FROM items \(condition)", values
    ) { found in
      var row = IndexRow(found)
      row.isEnumerated = found.integer(IndexRow.columnCount) != 0
      row.isGone = !found.isNull(IndexRow.columnCount + 1)
      return row
    }
  }
}

// History

extension DirectoryIndex {
  /// What a line of the history says; the numbers are those in the index.
  enum Sort: Int64 {
    case updated = 0
    case deleted = 1
    case replaced = 2
  }

  func record(_ sort: Sort, _ row: IndexRow, old: Int64 = 0) throws(CloudError) {
    try database.run(
      "INSERT INTO changes(sort, old, \(IndexRow.columns)) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      [.integer(sort.rawValue), .integer(old), .integer(row.id)] + row.values)
  }

  func lastSerial() throws(CloudError) -> Int64 {
    try database.rows("SELECT seq FROM sqlite_sequence WHERE name = 'changes'") { $0.integer(0) }
      .first ?? 0
  }

  func anchor(_ serial: Int64) -> SyncAnchor { SyncAnchor(rawValue: "\(generation):\(serial)") }

  func batch(since anchor: SyncAnchor, count: Int) throws(CloudError) -> ChangeBatch {
    let last = try lastSerial()
    guard let serial = serial(of: anchor), serial <= last, serial >= last - historyLimit else {
      throw CloudError(
        .anchorExpired, "The history does not reach back to this anchor; enumerate again.")
    }
    let found = try database.rows(
      "SELECT serial, sort, old, \(IndexRow.columns) FROM changes WHERE serial > ? ORDER BY serial "
        + "LIMIT ?", [.integer(serial), .integer(Int64(count))]
    ) { row in (row.integer(0), self.change(row)) }
    let end = found.last?.0 ?? serial
    return ChangeBatch(changes: found.map(\.1), anchor: self.anchor(end), moreComing: end < last)
  }

  /// Forgets what lies further back than the limit.
  func trim() throws(CloudError) {
    let oldest = try lastSerial() - historyLimit
    guard oldest > 0 else { return }
    try database.run("DELETE FROM changes WHERE serial <= ?", [.integer(oldest)])
    try database.run("DELETE FROM items WHERE gone <= ?", [.integer(oldest)])
  }

  private func change(_ found: SQLRow) -> Change {
    let row = IndexRow(found, from: 3)
    switch Sort(rawValue: found.integer(1)) {
    case .deleted: return .deleted(IndexRow.identifier(row.id, generation))
    case .replaced:
      return .replaced(
        old: IndexRow.identifier(found.integer(2), generation), new: row.item(generation))
    case .updated, nil: return .updated(row.item(generation))
    }
  }

  private func serial(of anchor: SyncAnchor) -> Int64? {
    guard anchor.rawValue.hasPrefix("\(generation):") else { return nil }
    return Int64(anchor.rawValue.dropFirst(generation.utf8.count + 1))
  }
}
