internal import Cloud
internal import Platform

/// The steps of which local changes consist.
extension Transaction {
  /// An item that shows, and what is pending of it.
  func shown(_ inode: InodeNumber) throws(CatalogError) -> (entry: Entry, pending: PendingParts)? {
    let connection = connection
    return try connection.first(.shownEntry) {
      $0.bind(1, inode)
    } _: { row throws(CatalogError) in
      (try Entry(row, connection), PendingParts(stored: row.integer(15)))
    }
  }

  func parts(of inode: InodeNumber) throws(CatalogError) -> PendingParts {
    try connection.first(.partsOfInode) {
      $0.bind(1, inode)
    } _: {
      PendingParts(stored: $0.integer(0))
    } ?? []
  }

  func hasChildren(_ folder: InodeNumber) throws(CatalogError) -> Bool {
    try connection.holds(.hasChildren) { $0.bind(1, folder) }
  }

  /// Adds parts to what is pending of an item, with a new sequence number.
  mutating func note(
    _ parts: PendingParts, of inode: InodeNumber, isWriting: Bool? = nil
  ) throws(CatalogError) {
    let sequence = nextSequence()
    changes.touch(inode)
    try connection.run(.notePending) { statement in
      statement.bind(1, inode)
      statement.bind(2, sequence)
      statement.bind(3, Int64(parts.rawValue))
      if let isWriting { statement.bind(4, isWriting) } else { statement.bindNull(4) }
    }
  }

  /// Makes parts all that is pending of an item, with a new sequence number.
  mutating func replacePending(
    of inode: InodeNumber, with parts: PendingParts
  ) throws(CatalogError) {
    let sequence = nextSequence()
    changes.touch(inode)
    try connection.run(.replacePending) { statement in
      statement.bind(1, inode)
      statement.bind(2, sequence)
      statement.bind(3, Int64(parts.rawValue))
    }
  }

  /// Notes that the cloud shall lose an item, unless the cloud does not have it.
  mutating func noteDeletion(of inode: InodeNumber) throws(CatalogError) {
    let sequence = nextSequence()
    try connection.run(.noteDeletion) { statement in
      statement.bind(1, inode)
      statement.bind(2, sequence)
    }
  }

  /// Removes an item's row with all that belongs to it.
  mutating func delete(_ entry: Entry) throws(CatalogError) {
    changes.touch(entry.inode)
    try connection.run(.delete) { $0.bind(1, entry.inode) }
    if entry.residency == .partial {
      try connection.run(.deleteRanges) { $0.bind(1, entry.inode) }
    }
  }

  /// Moves a folder's times, since what it holds has changed.
  func touch(_ folder: InodeNumber) throws(CatalogError) {
    try connection.run(.touchFolder) { statement in
      statement.bind(1, folder)
      statement.bind(2, now, nanoseconds: 3)
    }
  }

  /// Shows what was hidden by an item that has left this place.
  func reveal(_ name: FileName, in parent: InodeNumber) throws(CatalogError) {
    let hidden = try connection.first(.hiddenOfName) { statement in
      statement.bind(1, parent)
      statement.bind(2, name.bytes)
    } _: {
      $0.inode(0)
    }
    if let hidden { try connection.run(.show) { $0.bind(1, hidden) } }
  }

  func setIdentity(
    of inode: InodeNumber, _ item: ItemIdentifier, _ version: ItemVersion, _ checksum: Checksum?
  ) throws(CatalogError) {
    try connection.run(.setIdentity) { statement in
      statement.bind(1, inode)
      statement.bind(2, item.rawValue)
      statement.bind(3, version.content)
      statement.bind(4, version.metadata)
      statement.bind(5, checksum?.sha256)
    }
  }
}

extension Connection {
  /// Whether a query finds anything.
  func holds(_ query: Query, _ bind: (Statement) -> Void) throws(CatalogError) -> Bool {
    try first(query, bind) { _ in true } ?? false
  }

  /// The entry that shows under a name.
  func entry(
    named name: FileName, in parent: InodeNumber
  ) throws(CatalogError) -> Entry? {
    try name.bytes.withUnsafeBufferPointer { bytes throws(CatalogError) in
      try entry(named: bytes, in: parent)
    }
  }
}

extension PendingParts {
  /// Reads the database's spelling.
  init(stored: Int64) { self.init(rawValue: UInt8(truncatingIfNeeded: stored)) }

  /// What is pending of an item that the cloud does not have.
  static func everything(of kind: ItemKind) -> PendingParts {
    kind == .file ? [.created, .content] : .created
  }
}

extension ItemIdentifier {
  /// What an item is called that the cloud does not have.
  static func local(_ inode: InodeNumber) -> ItemIdentifier {
    ItemIdentifier(rawValue: "local:\(inode)")
  }
}

extension ItemVersion {
  /// The version of an item that the cloud does not have.
  static let none = ItemVersion(content: "", metadata: "")
}

extension Catalog {
  /// Runs one transaction that may refuse, before it has changed anything.
  func change<Value: Sendable>(
    _ body: (inout Transaction) throws(CatalogError) -> Result<Value, Errno>
  ) throws(LocalChangeError) -> Value {
    try Self.unwrapping { () throws(CatalogError) in try write(body) }
  }

  /// Makes a change that may be refused, before it has changed anything.
  func change<Value: Sendable>(
    _ operation: LocalOperation,
    _ body: (inout Transaction) throws(CatalogError) -> Result<Value, Errno>
  ) throws(LocalChangeError) -> Value {
    try Self.unwrapping { () throws(CatalogError) in try write(operation, body) }
  }

  private static func unwrapping<Value>(
    _ body: () throws(CatalogError) -> Result<Value, Errno>
  ) throws(LocalChangeError) -> Value {
    let result: Result<Value, Errno>
    do throws(CatalogError) {
      result = try body()
    } catch {
      throw .catalog(error)
    }
    switch result {
    case .success(let value): return value
    case .failure(let errno): throw .refused(errno)
    }
  }
}
