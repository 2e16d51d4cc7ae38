public import Cloud
public import Platform

extension Catalog {
  /// Makes a new item in a folder; everything of it is pending.
  ///
  /// A file is empty and materialized, and counts as being written until `endWriting`; a folder is
  /// populated. The identifier is `local:INODE` until the cloud has given one (`uploaded`). The
  /// folder's times become now, which is not pending. A name that only hidden items have is free.
  /// - Parameters:
  ///   - target: of a symbolic link, which must have one.
  ///   - covering: whether a name that a file of the cloud's has is taken from it; that file is hidden
  ///     until the two have different names.
  /// - Throws: `noSuchFile` when the folder is gone, `notDirectory`, `exists`.
  public func create(
    _ name: FileName, in parent: InodeNumber, kind: ItemKind, permissions: UInt16,
    target: [UInt8]? = nil, covering: Bool = false
  ) throws(LocalChangeError) -> Entry {
    guard (kind == .symlink) == (target != nil) else { throw .refused(.invalid) }
    return try change(
      .create(
        name, in: parent, kind: kind, permissions: permissions, target: target, covering: covering)
    ) { transaction throws(CatalogError) in
      try transaction.create(
        name, in: parent, kind: kind, permissions: permissions, target: target, covering: covering)
    }
  }

  /// Removes an item, as unlink(2), or with `asFolder` as rmdir(2).
  ///
  /// What the cloud has of it is noted as a deletion. The folder's times become now. An item that was
  /// hidden by it shows from now on.
  /// - Returns: the entry that went.
  /// - Throws: `noSuchFile`, `notDirectory`, `isDirectory`, or `notEmpty` for a folder with children or
  ///   with unknown ones.
  public func removeLocal(
    _ name: FileName, in parent: InodeNumber, asFolder: Bool
  ) throws(LocalChangeError) -> Entry {
    try change(.remove(name, in: parent, asFolder: asFolder)) { transaction throws(CatalogError) in
      try transaction.remove(name, in: parent, asFolder: asFolder)
    }
  }
}

extension Transaction {
  mutating func create(
    _ name: FileName, in parent: InodeNumber, kind: ItemKind, permissions: UInt16,
    target: [UInt8]?, covering: Bool
  ) throws(CatalogError) -> Result<Entry, Errno> {
    guard let folder = try connection.entry(of: parent) else { return .failure(.noSuchFile) }
    guard folder.kind == .folder else { return .failure(.notDirectory) }
    if let other = try connection.entry(named: name, in: parent) {
      let isLocal = try !parts(of: other.inode).isEmpty
      guard covering, other.kind == .file, !isLocal else { return .failure(.exists) }
      try connection.run(.hide) { $0.bind(1, other.inode) }
    }
    let row = try newRow(name, in: parent, kind, permissions, target)
    try connection.run(.insert) { row.bind(to: $0) }
    try note(.everything(of: kind), of: row.entry.inode, isWriting: kind == .file)
    try touch(parent)
    return .success(row.entry)
  }

  mutating func remove(
    _ name: FileName, in parent: InodeNumber, asFolder: Bool
  ) throws(CatalogError) -> Result<Entry, Errno> {
    guard let folder = try connection.entry(of: parent) else { return .failure(.noSuchFile) }
    guard folder.kind == .folder else { return .failure(.notDirectory) }
    guard let entry = try connection.entry(named: name, in: parent) else {
      return .failure(.noSuchFile)
    }
    guard asFolder == (entry.kind == .folder) else {
      return .failure(asFolder ? .notDirectory : .isDirectory)
    }
    if asFolder, try !isEmptyFolder(entry) { return .failure(.notEmpty) }
    try noteDeletion(of: entry.inode)
    try delete(entry)
    try touch(parent)
    try reveal(name, in: parent)
    return .success(entry)
  }
}

extension Transaction {
  /// Whether a folder's children are known to be none.
  func isEmptyFolder(_ entry: Entry) throws(CatalogError) -> Bool {
    guard entry.isPopulated else { return false }
    return try !hasChildren(entry.inode)
  }

  /// The row of an item that is made now.
  fileprivate mutating func newRow(
    _ name: FileName, in parent: InodeNumber, _ kind: ItemKind, _ permissions: UInt16,
    _ target: [UInt8]?
  ) throws(CatalogError) -> Row {
    let inode = try nextInode()
    let entry = Entry(
      inode: inode, parent: parent, kind: kind, size: Int64(target?.count ?? 0), modified: now,
      created: now, changed: now, permissions: permissions & 0o7777, residency: .materialized,
      isPopulated: kind == .folder, contentSerial: nextSerial(), epoch: 0)
    return Row(
      entry: entry, name: name, item: .local(inode), version: .none, checksum: nil,
      target: target, permissions: entry.permissions, isHidden: false)
  }
}
