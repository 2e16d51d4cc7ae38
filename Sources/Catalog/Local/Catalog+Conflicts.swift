public import Cloud
public import Platform

extension Catalog {
  /// Settles a lost race: the file's local content becomes a new item under `copyName` in the same
  /// folder, and the file becomes what the cloud says, dataless and with nothing pending.
  ///
  /// The copy has a new inode number and content serial, the local times, permissions and extended
  /// attributes; its content file is made by `copyContent`, without which nothing is changed.
  /// - Throws: `noSuchFile` when the file is gone, `isDirectory`, `invalid` when it is no file or the
  ///   cloud's item none, `stale` when its content is not here, `busy` while it is being written, and
  ///   `exists` when the copy's name is taken.
  public func splitConflict(
    _ inode: InodeNumber, with item: Item, copyName: FileName,
    copyContent: (_ original: Entry, _ copy: Entry) throws(Errno) -> Void = { _, _ in }
  ) throws(LocalChangeError) -> LocalConflict {
    try change { transaction throws(CatalogError) in
      let connection = transaction.connection
      guard let original = try transaction.shown(inode)?.entry else {
        return .failure(.noSuchFile)
      }
      if let refusal = original.refusalToSplit(item) { return .failure(refusal) }
      if let pending = try connection.pending(of: inode), pending.isWriting {
        return .failure(.busy)
      }
      if try connection.entry(named: copyName, in: original.parent) != nil {
        return .failure(.exists)
      }
      let copy = try transaction.copy(original, named: copyName)
      let changes = try transaction.revise { revision throws(CatalogError) in
        try revision.giveUp(inode, for: item)
      }
      let now = try connection.entry(of: inode) ?? original
      do throws(Errno) {
        try copyContent(original, copy)
      } catch {
        throw CatalogError(
          error == .noSpace ? .full : .io, "a conflict copy cannot be made: \(error)")
      }
      return .success(LocalConflict(original: original, now: now, copy: copy, changes: changes))
    }
  }

  /// Makes a new item of one with local changes that the cloud has no more; see the other `becomeNew`,
  /// which also tells what became different.
  public func becomeNew(_ inode: InodeNumber) throws(CatalogError) -> Entry? {
    var changes: [CatalogChange] = []
    return try becomeNew(inode, changes: &changes)
  }

  /// Makes a new item of one with local changes that the cloud has no more: it is all pending, with a
  /// `local:` identifier. Of a folder that concerns only itself.
  ///
  /// - Parameter changes: receives what is different: an item that was hidden shows, under another name
  ///   if the one that shows is pending as well; and a file without content goes.
  /// - Returns: the entry; nil when there is none, or none any more: a file that is not materialized goes,
  ///   since there is no content left of it anywhere.
  public func becomeNew(
    _ inode: InodeNumber, changes: inout [CatalogChange]
  ) throws(CatalogError) -> Entry? {
    guard inode != .root else { return nil }
    let (entry, told) = try write { transaction throws(CatalogError) -> (Entry?, [CatalogChange]) in
      let told = try transaction.revise { revision throws(CatalogError) in
        try revision.becomeNewOrGo(inode)
      }
      guard let entry = try transaction.connection.entry(of: inode) else { return (nil, told) }
      // Finished uploads of what it was before come too late.
      try transaction.replacePending(of: inode, with: .everything(of: entry.kind))
      return (entry, told)
    }
    changes += told
    return entry
  }
}

extension Entry {
  /// Why a conflict cannot be settled by a copy; nil when it can.
  fileprivate func refusalToSplit(_ item: Item) -> Errno? {
    if kind == .folder { return .isDirectory }
    if kind != .file || item.kind != .file { return .invalid }
    return residency == .materialized ? nil : .stale
  }
}

extension Transaction {
  /// Makes a new item that has all that an item has on the device, except its content file.
  fileprivate mutating func copy(
    _ original: Entry, named name: FileName
  ) throws(CatalogError) -> Entry {
    var copy = original
    copy.inode = try nextInode()
    copy.contentSerial = nextSerial()
    copy.changed = now
    copy.epoch = 0
    let row = Row(
      entry: copy, name: name, item: .local(copy.inode), version: .none, checksum: nil,
      target: nil, permissions: copy.permissions, isHidden: false)
    try connection.run(.insert) { row.bind(to: $0) }
    try connection.run(.copyXattrs) { statement in
      statement.bind(1, original.inode)
      statement.bind(2, copy.inode)
    }
    try note([.created, .content], of: copy.inode)
    try touch(copy.parent)
    return copy
  }
}

extension Revision {
  /// See `Catalog.becomeNew`.
  fileprivate mutating func becomeNewOrGo(_ inode: InodeNumber) throws(CatalogError) {
    guard var row = try row(of: inode) else { return }
    if row.entry.kind == .file, row.entry.residency != .materialized {
      row.pending = nil
      put(row)
      return try remove(inode)
    }
    becomeNew(row)
  }

  /// Makes a row what the cloud says, dataless.
  fileprivate mutating func giveUp(
    _ inode: InodeNumber, for item: Item
  ) throws(CatalogError) {
    guard var row = try row(of: inode) else { return }
    row.pending = nil
    row.entry.residency = .dataless
    row.entry.contentSerial = transaction.nextSerial()
    row.entry.size = item.size
    row.version = item.version
    let folder = try self.row(of: item.parent)
    let isFolder = folder?.entry.kind == .folder
    update(row, with: item, in: isFolder ? folder?.inode ?? .root : row.entry.parent)
  }
}
