internal import Cloud
public import Platform

extension Catalog {
  /// Notes that a program begins to write a file: its content is pending, and being written.
  ///
  /// - Parameter emptied: the old content goes first (O_TRUNC): the file is materialized with size 0
  ///   and a new content serial, and its time is now.
  /// - Returns: the entry now.
  /// - Throws: `noSuchFile`, `isDirectory`, `invalid` for a symbolic link, and `stale` when the content
  ///   is not here and is not emptied: materialize it first.
  public func beginWriting(
    _ inode: InodeNumber, emptied: Bool
  ) throws(LocalChangeError) -> Entry {
    try change(.beginWriting(inode, emptied: emptied)) { transaction throws(CatalogError) in
      try transaction.beginWriting(inode, emptied: emptied)
    }
  }

  /// Notes what a file is like after its last writer, or with `stillWriting` after an fsync.
  ///
  /// The content is pending. If the file is not materialized any more, since its content has lost a
  /// race, nothing is noted.
  /// - Returns: the entry now; nil when the item is gone.
  public func endWriting(
    _ inode: InodeNumber, size: Int64, modified: Timestamp, stillWriting: Bool
  ) throws(CatalogError) -> Entry? {
    let operation = LocalOperation.endWriting(
      inode, size: size, modified: modified, stillWriting: stillWriting)
    let result = try write(operation) { transaction throws(CatalogError) in
      try transaction.endWriting(
        inode, size: size, modified: modified, stillWriting: stillWriting)
    }
    return try? result.get()
  }

  /// Sets the size after a truncate(2), the modification time or the permissions; nil leaves one as it
  /// is.
  ///
  /// A size makes the content pending, the others the metadata. Without any of them nothing changes.
  /// - Returns: the entry now.
  /// - Throws: `noSuchFile`; for a size also what `beginWriting` throws.
  public func setLocal(
    _ inode: InodeNumber, size: Int64?, modified: Timestamp?, permissions: UInt16?
  ) throws(LocalChangeError) -> Entry {
    let operation = LocalOperation.set(
      inode, size: size, modified: modified, permissions: permissions)
    return try change(operation) { transaction throws(CatalogError) in
      try transaction.set(inode, size: size, modified: modified, permissions: permissions)
    }
  }

  /// Files that are marked as being written, in the order of their last changes: after a start, those
  /// of which a process died. Their rows do not know what was written; `endWriting` tells it.
  public func writingItems() throws(CatalogError) -> [Entry] {
    try read { connection throws(CatalogError) in
      var entries: [Entry] = []
      try connection.forEach(.writingEntries) { _ in
      } _: { row throws(CatalogError) in
        entries.append(try Entry(row, connection))
        return true
      }
      return entries
    }
  }
}

extension Entry {
  /// Why the content cannot be changed; nil when it can.
  fileprivate func refusalToWrite(anew: Bool) -> Errno? {
    switch kind {
    case .folder: .isDirectory
    case .symlink: .invalid
    case .file: anew || residency == .materialized ? nil : .stale
    }
  }
}

extension Transaction {
  mutating func beginWriting(
    _ inode: InodeNumber, emptied: Bool
  ) throws(CatalogError) -> Result<Entry, Errno> {
    guard var entry = try shown(inode)?.entry else { return .failure(.noSuchFile) }
    if let refusal = entry.refusalToWrite(anew: emptied) { return .failure(refusal) }
    if emptied { try empty(&entry) }
    try note(.content, of: inode, isWriting: true)
    return .success(entry)
  }

  /// Fails with `noSuchFile` only.
  mutating func endWriting(
    _ inode: InodeNumber, size: Int64, modified: Timestamp, stillWriting: Bool
  ) throws(CatalogError) -> Result<Entry, Errno> {
    guard var entry = try shown(inode)?.entry else { return .failure(.noSuchFile) }
    guard entry.kind == .file, entry.residency == .materialized else { return .success(entry) }
    entry.size = size
    entry.modified = modified
    try setAttributes(&entry, permissions: nil)
    try note(.content, of: inode, isWriting: stillWriting)
    return .success(entry)
  }

  mutating func set(
    _ inode: InodeNumber, size: Int64?, modified: Timestamp?, permissions: UInt16?
  ) throws(CatalogError) -> Result<Entry, Errno> {
    var parts: PendingParts = []
    if size != nil { parts.insert(.content) }
    if permissions != nil || (modified != nil && size == nil) { parts.insert(.metadata) }
    guard var entry = try shown(inode)?.entry else { return .failure(.noSuchFile) }
    guard !parts.isEmpty else { return .success(entry) }
    if size != nil, let refusal = entry.refusalToWrite(anew: false) { return .failure(refusal) }
    entry.size = size ?? entry.size
    entry.modified = modified ?? entry.modified
    let permissions = permissions.map { $0 & 0o7777 }
    entry.permissions = permissions ?? entry.permissions
    try setAttributes(&entry, permissions: permissions)
    try note(parts, of: inode)
    return .success(entry)
  }

  fileprivate mutating func empty(_ entry: inout Entry) throws(CatalogError) {
    let old = entry.residency
    entry.contentSerial = nextSerial()
    entry.size = 0
    entry.modified = now
    entry.changed = now
    entry.residency = .materialized
    try connection.run(.setEmptied) { [entry, now] statement in
      statement.bind(1, entry.inode)
      statement.bind(2, entry.contentSerial)
      statement.bind(3, now, nanoseconds: 4)
    }
    if old == .partial { try connection.run(.deleteRanges) { $0.bind(1, entry.inode) } }
    guard old != .materialized else { return }
    try connection.run(.setContent) { [entry] statement in
      statement.bind(1, entry.inode)
      statement.bind(2, Int64(entry.residency.rawValue))
    }
  }

  /// Writes size and times; nil leaves the permissions as they are.
  fileprivate func setAttributes(
    _ entry: inout Entry, permissions: UInt16?
  ) throws(CatalogError) {
    entry.changed = now
    try connection.run(.setAttributes) { [entry] statement in
      statement.bind(1, entry.inode)
      statement.bind(2, entry.size)
      statement.bind(3, entry.modified, nanoseconds: 4)
      statement.bind(5, entry.changed, nanoseconds: 6)
      if let permissions {
        statement.bind(7, Int64(permissions))
      } else {
        statement.bindNull(7)
      }
    }
  }
}
