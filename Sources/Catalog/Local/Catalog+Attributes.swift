public import Platform

extension Catalog {
  /// The value of an extended attribute; nil when the item has none of that name.
  public func xattr(
    _ name: [UInt8], of inode: InodeNumber
  ) throws(CatalogError) -> [UInt8]? {
    try read { connection throws(CatalogError) in
      try connection.first(.xattr) { statement in
        statement.bind(1, inode)
        statement.bind(2, name)
      } _: {
        Array($0.bytes(0))
      }
    }
  }

  /// The names of an item's extended attributes, in the order of their bytes.
  public func xattrNames(of inode: InodeNumber) throws(CatalogError) -> [[UInt8]] {
    try read { connection throws(CatalogError) in
      var names: [[UInt8]] = []
      try connection.forEach(.xattrNames) {
        $0.bind(1, inode)
      } _: { row in
        names.append(Array(row.bytes(0)))
        return true
      }
      return names
    }
  }

  /// Sets an extended attribute; the item's metadata is pending then.
  ///
  /// - Throws: `misuse` when there is no such item.
  public func setXattr(
    _ name: [UInt8], _ value: [UInt8], of inode: InodeNumber
  ) throws(CatalogError) {
    try write { transaction throws(CatalogError) in
      guard try transaction.shown(inode) != nil else {
        throw CatalogError(.misuse, "there is no item \(inode) that could have an attribute")
      }
      try transaction.connection.run(.setXattr) { statement in
        statement.bind(1, inode)
        statement.bind(2, name)
        statement.bind(3, value)
      }
      try transaction.attributesChanged(inode)
    }
  }

  /// Removes an extended attribute; the item's metadata is pending then.
  ///
  /// - Returns: whether there was one.
  public func removeXattr(
    _ name: [UInt8], of inode: InodeNumber
  ) throws(CatalogError) -> Bool {
    try write { transaction throws(CatalogError) in
      let connection = transaction.connection
      try connection.run(.deleteXattr) { statement in
        statement.bind(1, inode)
        statement.bind(2, name)
      }
      guard connection.changes > 0 else { return false }
      try transaction.attributesChanged(inode)
      return true
    }
  }
}

extension Transaction {
  fileprivate mutating func attributesChanged(_ inode: InodeNumber) throws(CatalogError) {
    try connection.run(.setChanged) { [now] statement in
      statement.bind(1, inode)
      statement.bind(2, now, nanoseconds: 3)
    }
    try note(.metadata, of: inode)
  }
}
