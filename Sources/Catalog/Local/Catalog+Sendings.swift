internal import Cloud
public import Platform

extension Catalog {
  /// Writes down that the cloud may take a change from now on; the item's former such note goes.
  ///
  /// `uploaded` ends it, and `sendingEnded`; that the item goes on the device does not.
  public func noteSending(_ sending: Sending) throws(CatalogError) {
    try write { transaction throws(CatalogError) in
      transaction.changes.touchSending(of: sending.inode)
      try transaction.connection.run(.noteSending) { sending.bind(to: $0) }
    }
  }

  /// Notes that the cloud has not taken what was sent of an item.
  public func sendingEnded(_ inode: InodeNumber) throws(CatalogError) {
    try write { transaction throws(CatalogError) in
      transaction.changes.touchSending(of: inode)
      try transaction.connection.run(.deleteSending) { $0.bind(1, inode) }
    }
  }

  /// What was sent and has not ended, in the order of the local changes.
  public func sendings() throws(CatalogError) -> [Sending] {
    try read { connection throws(CatalogError) in try connection.sendings() }
  }
}

extension Connection {
  func sendings() throws(CatalogError) -> [Sending] {
    var sendings: [Sending] = []
    try forEach(.sendings) { _ in
    } _: { row throws(CatalogError) in
      sendings.append(try sending(row))
      return true
    }
    return sendings
  }

  func sending(of inode: InodeNumber) throws(CatalogError) -> Sending? {
    try first(.sendingOfInode) {
      $0.bind(1, inode)
    } _: { row throws(CatalogError) in
      try sending(row)
    }
  }

  private func sending(_ row: Statement) throws(CatalogError) -> Sending {
    guard let sending = Sending(row) else {
      throw .corrupt(path, "something was sent of an impossible kind or name")
    }
    return sending
  }
}

extension Sending {
  fileprivate init?(_ row: Statement) {
    guard let kind = ItemKind(stored: row.integer(7)), let name = FileName(row.bytes(6)) else {
      return nil
    }
    self.init(
      inode: row.inode(0), sequence: row.unsigned(1), parts: PendingParts(stored: row.integer(2)),
      item: ItemIdentifier(rawValue: row.text(3)),
      base: ItemVersion(content: row.text(4), metadata: row.text(13)),
      folder: ItemIdentifier(rawValue: row.text(5)), name: name, kind: kind,
      size: row.integer(8), modified: row.timestamp(9),
      permissions: UInt16(truncatingIfNeeded: row.integer(11)),
      checksum: row.blob(12).map(Checksum.init(sha256:)), target: row.blob(14))
  }

  func bind(to statement: Statement) {
    statement.bind(1, inode)
    statement.bind(2, sequence)
    statement.bind(3, Int64(parts.rawValue))
    statement.bind(4, item.rawValue)
    statement.bind(5, base.content)
    statement.bind(6, folder.rawValue)
    statement.bind(7, name.bytes)
    statement.bind(8, kind.stored)
    statement.bind(9, size)
    statement.bind(10, modified, nanoseconds: 11)
    statement.bind(12, Int64(permissions))
    statement.bind(13, checksum?.sha256)
    statement.bind(14, base.metadata)
    statement.bind(15, target)
  }
}
