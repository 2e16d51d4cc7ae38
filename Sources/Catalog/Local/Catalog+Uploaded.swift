public import Cloud
public import Platform

extension Catalog {
  /// Notes that the cloud has parts of an item now; see the other `uploaded`, which also tells what
  /// became different.
  public func uploaded(
    _ inode: InodeNumber, sequence: UInt64, parts: PendingParts, as item: Item
  ) throws(CatalogError) -> Bool? {
    var changes: [CatalogChange] = []
    return try uploaded(inode, sequence: sequence, parts: parts, as: item, changes: &changes)
  }

  /// Notes that the cloud has parts of an item now, which were read at a sequence number.
  ///
  /// The item has the identifier, the versions and the checksum that the cloud says. If it was not
  /// changed since then, the parts are pending no more; otherwise only `created` is not, and the next
  /// upload begins from the new base version. Content that is being written stays pending.
  ///
  /// When nothing is pending any more, the row becomes all that the cloud says, since what others did
  /// to the item meanwhile was not taken over: `changes` tells that. If the cloud's changes have brought
  /// the new item already, that row goes.
  ///
  /// A part that arrives after the item has lost its identity on the device, since it was removed or has
  /// taken another item's place, moves the base version of the deletion; and what was created then is
  /// noted as a deletion.
  /// - Parameters:
  ///   - base: the version that was changed, if the cloud has compared it: where its content is the one that
  ///     the device knows, so is the content of `item`.
  ///   - contentIsCurrent: whether the caller knows that the content has not changed since it was read,
  ///     whatever else has.
  ///   - changes: receives what is different, beside the parts themselves.
  /// - Returns: whether nothing is pending any more; nil when the item is gone.
  public func uploaded(
    _ inode: InodeNumber, sequence: UInt64, parts: PendingParts, as item: Item,
    upon base: ItemVersion? = nil, contentIsCurrent: Bool = false,
    changes: inout [CatalogChange]
  ) throws(CatalogError) -> Bool? {
    let upload = Upload(
      inode: inode, sequence: sequence, parts: parts, item: item, base: base,
      contentIsCurrent: contentIsCurrent)
    let (isDone, told) = try write { transaction throws(CatalogError) in
      try transaction.connection.run(.deleteSending) { $0.bind(1, inode) }
      transaction.changes.touchSending(of: inode)
      var isDone: Bool?
      let told = try transaction.revise { revision throws(CatalogError) in
        isDone = try revision.settle(upload)
      }
      return (isDone, told)
    }
    changes += told
    return isDone
  }
}

/// What the cloud has got.
struct Upload {
  let inode: InodeNumber
  let sequence: UInt64
  let parts: PendingParts
  let item: Item
  let base: ItemVersion?
  let contentIsCurrent: Bool
}

extension Revision {
  /// See `Catalog.uploaded`.
  mutating func settle(_ upload: Upload) throws(CatalogError) -> Bool? {
    guard var row = try row(of: upload.inode) else {
      if try !passOn(upload) { try noteOrphan(upload) }
      return nil
    }
    let pending = try transaction.connection.pending(of: upload.inode)
    if try isOther(row, pending, than: upload) { return pending == nil }
    guard try makeRoom(for: upload) else { return false }
    let left = try rest(of: pending, upload, row)
    rename(&row, to: upload.item.identifier)
    row.moveBase(to: upload)
    row.pending = left.isEmpty ? nil : left
    put(row)
    guard left.isEmpty else { return false }
    let folder = try self.row(of: upload.item.parent)
    let isFolder = folder?.entry.kind == .folder
    update(row, with: upload.item, in: isFolder ? folder?.inode ?? .root : row.entry.parent)
    return true
  }

  /// Whether the row is another item by now than the one that was uploaded; deals with that one then.
  private mutating func isOther(
    _ row: Row, _ pending: PendingItem?, than upload: Upload
  ) throws(CatalogError) -> Bool {
    let isCreated = pending?.parts.contains(.created) ?? false
    guard row.item != upload.item.identifier else { return false }
    // A new item has become something in the cloud only when it was created there.
    if isCreated { return !upload.parts.contains(.created) }
    let isDeleted = try isDeletionPending(of: upload.item.identifier)
    guard isDeleted || upload.parts.contains(.created) else { return false }
    try noteOrphan(upload)
    return true
  }

  /// The row is gone, and another one has become that item meanwhile, as a save by a new file does it: what
  /// that one sends is built upon what the cloud has now.
  ///
  /// - Returns: whether there is such a row.
  private mutating func passOn(_ upload: Upload) throws(CatalogError) -> Bool {
    guard var heir = try row(of: upload.item.identifier), heir.pending != nil,
      let base = upload.base, base.content == heir.version.content
    else { return false }
    heir.moveBase(to: upload)
    put(heir)
    return true
  }

  /// The cloud has got something of an item that is not on the device any more.
  private mutating func noteOrphan(_ upload: Upload) throws(CatalogError) {
    let (item, connection) = (upload.item, transaction.connection)
    try connection.run(.moveDeletion) { statement in
      statement.bind(1, item.identifier.rawValue)
      statement.bind(2, item.version.content)
      statement.bind(3, item.version.metadata)
    }
    guard connection.changes == 0, upload.parts.contains(.created), let name = item.name else {
      return
    }
    // The cloud's changes may have brought it already; then it goes again, unless it is in use.
    guard try makeRoom(for: upload) else { return }
    let parent = try row(of: item.parent)?.inode ?? .root
    let sequence = transaction.nextSequence()
    try connection.run(.insertDeletion) { statement in
      statement.bind(1, item.identifier.rawValue)
      statement.bind(2, sequence)
      statement.bind(3, item.version.content)
      statement.bind(4, item.version.metadata)
      statement.bind(5, item.kind.stored)
      statement.bind(6, parent)
      statement.bind(7, name.bytes)
    }
  }

  /// Removes the row that the cloud's changes have made for the same item.
  ///
  /// - Returns: false when that one was changed on the device as well, so that both must stay: then the
  ///   uploaded one is another new item.
  private mutating func makeRoom(for upload: Upload) throws(CatalogError) -> Bool {
    guard let twin = try row(of: upload.item.identifier), twin.inode != upload.inode else {
      return true
    }
    guard twin.pending == nil else { return false }
    try remove(twin.inode)
    return true
  }

  private mutating func rest(
    of pending: PendingItem?, _ upload: Upload, _ row: Row
  ) throws(CatalogError) -> PendingParts {
    guard let pending else { return [] }
    var left = pending.parts
    if pending.sequence == upload.sequence {
      left.subtract(upload.parts)
    } else if upload.parts.contains(.created), left.contains(.created) {
      left.remove(.created)
      // A new item that is renamed is just as new; but now the cloud has it at the old place.
      let isElsewhere = try self.row(of: row.entry.parent)?.item != upload.item.parent
      if isElsewhere || row.name != upload.item.name { left.insert(.place) }
    }
    if upload.contentIsCurrent, !upload.parts.isDisjoint(with: [.created, .content]) {
      left.remove(.content)
    }
    if pending.isWriting { left.formUnion(pending.parts.intersection(.content)) }
    return left
  }
}

extension Row {
  /// Takes over the version that the cloud has now. The content's stays if others may have changed it,
  /// which is found by the difference later.
  fileprivate mutating func moveBase(to upload: Upload) {
    let hasContent =
      !upload.parts.isDisjoint(with: [.created, .content])
      || upload.base?.content == version.content
    version = ItemVersion(
      content: hasContent ? upload.item.version.content : version.content,
      metadata: upload.item.version.metadata)
    if hasContent { checksum = upload.item.checksum }
  }
}
