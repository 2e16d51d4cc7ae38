internal import Cloud
public import Platform

extension Catalog {
  /// Gives an item another name or folder, as renameat2(2).
  ///
  /// A file that takes the name of another one becomes that item, if `keepsIdentity`: it has the
  /// identifier and the base version of the replaced item, and its own item in the cloud, if any,
  /// becomes a deletion. That is how programs that save into a new file keep the document what it is
  /// for others. It has no effect unless both are files, the cloud has the replaced one, and the whole
  /// content of the other one is here. In all other cases the replaced item becomes a deletion.
  ///
  /// The folders' times become now. An item that was hidden at the old place shows from now on.
  /// Renaming an item to what it is called already changes nothing.
  /// - Throws: `noSuchFile`, `exists` (`noReplace`), `notDirectory`, `isDirectory`, `notEmpty`, or
  ///   `invalid` for a folder into itself.
  public func rename(
    _ name: FileName, in parent: InodeNumber, to newName: FileName, in newParent: InodeNumber,
    _ mode: RenameMode, keepsIdentity: Bool
  ) throws(LocalChangeError) -> LocalRename {
    let old = Position(parent: parent, name: name)
    let new = Position(parent: newParent, name: newName)
    return try change(.rename(old, to: new, mode, keepsIdentity: keepsIdentity)) {
      transaction throws(CatalogError) in
      try transaction.rename(old, to: new, mode, keepsIdentity: keepsIdentity)
    }
  }
}

extension Transaction {
  mutating func rename(
    _ old: Position, to new: Position, _ mode: RenameMode, keepsIdentity: Bool
  ) throws(CatalogError) -> Result<LocalRename, Errno> {
    for folder in old.parent == new.parent ? [old.parent] : [old.parent, new.parent] {
      guard let entry = try connection.entry(of: folder) else { return .failure(.noSuchFile) }
      guard entry.kind == .folder else { return .failure(.notDirectory) }
    }
    guard let source = try connection.entry(named: old.name, in: old.parent) else {
      return .failure(.noSuchFile)
    }
    let target = try connection.entry(named: new.name, in: new.parent)
    if let refusal = try refusal(source, target, to: new.parent, mode) { return .failure(refusal) }
    if target?.inode == source.inode {
      return .success(LocalRename(moved: source, previous: source))
    }
    if mode == .exchange, let target {
      return .success(try exchange(source, at: old, target, at: new))
    }
    return .success(try move(source, from: old, over: target, at: new, keepsIdentity))
  }

  /// Why a rename is not possible; nil when it is.
  fileprivate func refusal(
    _ source: Entry, _ target: Entry?, to newParent: InodeNumber, _ mode: RenameMode
  ) throws(CatalogError) -> Errno? {
    if source.kind == .folder, try isInside(newParent, source.inode) { return .invalid }
    guard let target else { return mode == .exchange ? .noSuchFile : nil }
    if mode == .noReplace { return .exists }
    if target.inode == source.inode { return nil }
    let isFolder = target.kind == .folder
    let holdsSource = isFolder ? try isInside(source.parent, target.inode) : false
    if mode == .exchange { return holdsSource ? .invalid : nil }
    if holdsSource { return .notEmpty }
    switch (source.kind == .folder, target.kind == .folder) {
    case (true, false): return .notDirectory
    case (false, true): return .isDirectory
    case (true, true): return try isEmptyFolder(target) ? nil : .notEmpty
    case (false, false): return nil
    }
  }

  /// Whether a folder is, or lies below, another one.
  private func isInside(
    _ folder: InodeNumber, _ ancestor: InodeNumber
  ) throws(CatalogError) -> Bool {
    var next = folder
    // A damaged file might hold a circle; no folder is that deep.
    for _ in 0..<65536 {
      if next == ancestor { return true }
      guard next != .root, let entry = try connection.entry(of: next) else { return false }
      next = entry.parent
    }
    return true
  }

  fileprivate mutating func move(
    _ source: Entry, from old: Position, over target: Entry?, at new: Position,
    _ keepsIdentity: Bool
  ) throws(CatalogError) -> LocalRename {
    if let target, keepsIdentity, try canHandOver(target, to: source) {
      try handOver(target, to: source)
    } else {
      if let target {
        try noteDeletion(of: target.inode)
        try delete(target)
      }
      try note(.place, of: source.inode)
    }
    let moved = try place(source, at: new)
    try touch(old, new)
    try reveal(old.name, in: old.parent)
    return LocalRename(moved: moved, previous: source, replaced: target)
  }

  private func canHandOver(_ target: Entry, to source: Entry) throws(CatalogError) -> Bool {
    // Without its content, what the source was in the cloud is the only place to get it from.
    guard source.kind == .file, target.kind == .file, source.residency == .materialized else {
      return false
    }
    return try !parts(of: target.inode).contains(.created)
  }

  /// Makes a file the item that another file is in the cloud.
  private mutating func handOver(_ target: Entry, to source: Entry) throws(CatalogError) {
    let identity = try connection.first(.details) {
      $0.bind(1, target.inode)
    } _: { row in
      (
        ItemIdentifier(rawValue: row.text(0)),
        ItemVersion(content: row.text(1), metadata: row.text(2)),
        row.blob(3).map(Checksum.init(sha256:))
      )
    }
    guard let identity else { return }
    // The cloud may have the target elsewhere still.
    let place = try parts(of: target.inode).intersection(.place)
    try noteDeletion(of: source.inode)
    try delete(target)
    try setIdentity(of: source.inode, identity.0, identity.1, identity.2)
    try replacePending(of: source.inode, with: place.union([.content, .metadata]))
  }

  fileprivate mutating func exchange(
    _ source: Entry, at old: Position, _ target: Entry, at new: Position
  ) throws(CatalogError) -> LocalRename {
    // Out of the way, since at no moment two items may show under one name.
    try connection.run(.hide) { $0.bind(1, source.inode) }
    let exchanged = try place(target, at: old)
    let moved = try place(source, at: new)
    try connection.run(.show) { $0.bind(1, source.inode) }
    try note(.place, of: source.inode)
    try note(.place, of: target.inode)
    try touch(old, new)
    return LocalRename(moved: moved, previous: source, exchanged: exchanged)
  }

  private func place(_ entry: Entry, at position: Position) throws(CatalogError) -> Entry {
    let isSameFolder = entry.parent == position.parent
    try connection.run(isSameFolder ? .setName : .setPlace) { statement in
      statement.bind(1, entry.inode)
      statement.bind(2, position.name.bytes)
      statement.bind(3, now, nanoseconds: 4)
      if !isSameFolder { statement.bind(5, position.parent) }
    }
    var placed = entry
    placed.parent = position.parent
    placed.changed = now
    return placed
  }

  private func touch(_ old: Position, _ new: Position) throws(CatalogError) {
    try touch(old.parent)
    if old.parent != new.parent { try touch(new.parent) }
  }
}
