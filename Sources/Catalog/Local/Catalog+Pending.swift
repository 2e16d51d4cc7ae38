public import Cloud
public import Platform

extension Catalog {
  /// What is pending, in the order of the sequence numbers, at most `limit` after `sequence`.
  public func pendingItems(
    after sequence: UInt64 = 0, limit: Int
  ) throws(CatalogError) -> [PendingItem] {
    try read { connection throws(CatalogError) in
      var items: [PendingItem] = []
      try connection.forEach(.pendingAfter) { statement in
        statement.bind(1, min(sequence, UInt64(Int64.max)))
        statement.bind(2, Int64(max(limit, 0)))
      } _: { row in
        items.append(PendingItem(row))
        return true
      }
      return items
    }
  }

  /// What is pending of an item; nil when the cloud has all of it.
  public func pendingItem(of inode: InodeNumber) throws(CatalogError) -> PendingItem? {
    try read { connection throws(CatalogError) in
      try connection.pending(of: inode)
    }
  }

  /// The first item besides one whose move or new name the cloud does not have yet; nil when there is
  /// none. Takes longer the more is pending.
  public func pendingMove(besides inode: InodeNumber?) throws(CatalogError) -> PendingItem? {
    try read { connection throws(CatalogError) in
      try connection.first(.pendingMove) {
        $0.bind(1, Int64(inode?.rawValue ?? 0))
      } _: {
        PendingItem($0)
      }
    }
  }

  /// What the cloud still has and the device does not, in the order in which it was removed: at most
  /// `limit` after the sequence number.
  public func pendingDeletions(
    after sequence: UInt64 = 0, limit: Int
  ) throws(CatalogError) -> [PendingDeletion] {
    try read { connection throws(CatalogError) in
      var deletions: [PendingDeletion] = []
      try connection.forEach(.deletionsAfter) { statement in
        statement.bind(1, min(sequence, UInt64(Int64.max)))
        statement.bind(2, Int64(max(limit, 0)))
      } _: { row throws(CatalogError) in
        deletions.append(try connection.deletion(row))
        return true
      }
      return deletions
    }
  }

  /// What the cloud still has under a name, and the device does not; nil when the name is free.
  public func pendingDeletion(
    of name: FileName, in folder: InodeNumber
  ) throws(CatalogError) -> PendingDeletion? {
    try read { connection throws(CatalogError) in
      try connection.first(.deletionOfName) { statement in
        statement.bind(1, folder)
        statement.bind(2, name.bytes)
      } _: { row throws(CatalogError) in
        try connection.deletion(row)
      }
    }
  }

  /// Whether the cloud still has anything, besides one item, that the device does not.
  public func hasPendingDeletion(besides item: ItemIdentifier) throws(CatalogError) -> Bool {
    try read { connection throws(CatalogError) in
      try connection.holds(.hasOtherDeletion) { $0.bind(1, item.rawValue) }
    }
  }

  /// Whether anything is pending. Takes no longer when much is.
  public func hasPendingChanges() throws(CatalogError) -> Bool {
    try read { connection throws(CatalogError) in
      if try connection.holds(.hasPending, { _ in }) { return true }
      return try connection.holds(.hasAnyDeletion) { _ in }
    }
  }

  /// How much is pending. Takes longer the more it is.
  public func pendingCounts() throws(CatalogError) -> PendingCounts {
    let counts = try read { connection throws(CatalogError) in
      try connection.first(.pendingCounts) { _ in
      } _: { row in
        PendingCounts(
          items: Int(row.integer(0)), deletions: Int(row.integer(1)), failed: Int(row.integer(2)))
      }
    }
    return counts ?? PendingCounts(items: 0, deletions: 0, failed: 0)
  }

  /// Notes that an upload has failed, and when it may be tried again. It stays pending.
  ///
  /// The next local change of the item forgets it.
  public func uploadFailed(
    _ inode: InodeNumber, error: String, notBefore: Timestamp?
  ) throws(CatalogError) {
    try write { transaction throws(CatalogError) in
      try transaction.connection.run(.pendingFailed) { statement in
        statement.bind(1, inode)
        statement.bindFailure(error, notBefore)
      }
    }
  }

  /// Notes that the cloud has an item no more.
  public func deletionDone(_ item: ItemIdentifier) throws(CatalogError) {
    try write { transaction throws(CatalogError) in
      try transaction.connection.run(.deleteDeletion) { $0.bind(1, item.rawValue) }
    }
  }

  /// Takes an item back that the device has removed and the cloud keeps: the deletion goes, and the item
  /// shows, in one step.
  ///
  /// - Returns: what is different.
  public func takeBack(_ item: Item) throws(CatalogError) -> [CatalogChange] {
    try write { transaction throws(CatalogError) in
      try transaction.connection.run(.deleteDeletion) { $0.bind(1, item.identifier.rawValue) }
      return try transaction.revise { revision throws(CatalogError) in
        try revision.apply(Statements([.updated(item)]))
      }
    }
  }

  /// Notes that a deletion has failed, and when it may be tried again. It stays pending.
  public func deletionFailed(
    _ item: ItemIdentifier, error: String, notBefore: Timestamp?
  ) throws(CatalogError) {
    try write { transaction throws(CatalogError) in
      try transaction.connection.run(.deletionFailed) { statement in
        statement.bind(1, item.rawValue)
        statement.bindFailure(error, notBefore)
      }
    }
  }
}

extension Connection {
  func pending(of inode: InodeNumber) throws(CatalogError) -> PendingItem? {
    try first(.pendingOfInode) {
      $0.bind(1, inode)
    } _: {
      PendingItem($0)
    }
  }

  fileprivate func deletion(_ row: Statement) throws(CatalogError) -> PendingDeletion {
    guard let deletion = PendingDeletion(row) else {
      throw .corrupt(path, "a deletion has an impossible kind or name")
    }
    return deletion
  }
}

extension PendingItem {
  fileprivate init(_ row: Statement) {
    self.init(
      inode: row.inode(0), parts: PendingParts(stored: row.integer(1)), sequence: row.unsigned(2),
      isWriting: row.integer(3) != 0, attempts: Int(row.integer(4)), error: row.optionalText(5),
      notBefore: row.optionalTimestamp(6))
  }
}

extension PendingDeletion {
  fileprivate init?(_ row: Statement) {
    guard let kind = ItemKind(stored: row.integer(4)), let name = FileName(row.bytes(6)) else {
      return nil
    }
    self.init(
      sequence: row.unsigned(0), item: ItemIdentifier(rawValue: row.text(1)),
      base: ItemVersion(content: row.text(2), metadata: row.text(3)), kind: kind,
      parent: row.inode(5), name: name, attempts: Int(row.integer(7)), error: row.optionalText(8),
      notBefore: row.optionalTimestamp(9))
  }
}

extension Statement {
  fileprivate func optionalText(_ column: Int32) -> String? {
    isNull(column) ? nil : text(column)
  }

  fileprivate func optionalTimestamp(_ column: Int32) -> Timestamp? {
    isNull(column) ? nil : timestamp(column)
  }

  /// Binds the second to fourth parameter.
  fileprivate func bindFailure(_ error: String, _ notBefore: Timestamp?) {
    bind(2, error)
    if let notBefore {
      bind(3, notBefore, nanoseconds: 4)
    } else {
      bindNull(3)
      bindNull(4)
    }
  }
}
