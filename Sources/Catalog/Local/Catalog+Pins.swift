public import Platform

/// What a user said of keeping an item on this device; what is in a folder follows the folder.
public enum Pin: String, Hashable, CaseIterable, Sendable {
  /// Nobody said, or somebody said that the folder's word does not count here.
  case unspecified
  /// It is kept here: brought when it is not here, and not evicted.
  case pinned
  /// It need not be here.
  case unpinned
}

extension Catalog {
  /// Says what shall be done with an item and all that is in it; nil to follow the folder again.
  public func setPin(_ state: Pin?, of inode: InodeNumber) throws(CatalogError) {
    try write { transaction throws(CatalogError) in
      try transaction.connection.run(state == nil ? .deletePin : .setPin) { statement in
        statement.bind(1, inode)
        if let state { statement.bind(2, state.rawValue) }
      }
    }
    hasPins.withLock { $0 = true }
  }

  /// What was said of an item, or of the nearest folder above it of which something was said.
  ///
  /// - Returns: the state, and whether it is the item's own.
  public func pin(of inode: InodeNumber) throws(CatalogError) -> (state: Pin, isOwn: Bool) {
    guard try mayHavePins() else { return (.unspecified, false) }
    let found = try read { connection throws(CatalogError) in
      try connection.first(.pinAbove) {
        $0.bind(1, inode)
      } _: { row in
        (Pin(rawValue: row.text(0)) ?? .unspecified, row.integer(1) == 0)
      }
    }
    return found ?? (.unspecified, false)
  }

  /// Nearly always nothing was said of anything, and then nobody asks twice.
  private func mayHavePins() throws(CatalogError) -> Bool {
    if let known = hasPins.withLock({ $0 }) { return known }
    let found = try read { connection throws(CatalogError) in
      try connection.holds(.hasPins) { _ in }
    }
    hasPins.withLock { $0 = $0 ?? found }
    return found
  }

  /// The items of which this was said.
  public func items(pinned state: Pin) throws(CatalogError) -> [InodeNumber] {
    try read { connection throws(CatalogError) in
      var items: [InodeNumber] = []
      try connection.forEach(.pinnedItems) {
        $0.bind(1, state.rawValue)
      } _: { row throws(CatalogError) in
        items.append(row.inode(0))
        return true
      }
      return items
    }
  }
}
