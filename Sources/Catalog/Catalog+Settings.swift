public import Cloud

extension Catalog {
  /// The point in the cloud's history up to which changes were applied; nil before the first.
  public func anchor() throws(CatalogError) -> SyncAnchor? {
    try read { connection throws(CatalogError) in
      try connection.first(.state) {
        $0.bind(1, Transaction.anchorKey)
      } _: {
        SyncAnchor(rawValue: $0.text(0))
      }
    }
  }

  /// Sets the anchor without applying changes: before the first enumeration.
  public func setAnchor(_ anchor: SyncAnchor) throws(CatalogError) {
    try write { transaction throws(CatalogError) in try transaction.setAnchor(anchor) }
  }

  /// A text that the catalog's user has put under a key; nil when there is none.
  public func setting(_ key: String) throws(CatalogError) -> String? {
    try read { connection throws(CatalogError) in
      try connection.first(.setting) {
        $0.bind(1, key)
      } _: {
        $0.text(0)
      }
    }
  }

  /// Puts a text under a key; nil removes it.
  public func setSetting(_ key: String, _ value: String?) throws(CatalogError) {
    try write { transaction throws(CatalogError) in
      guard let value else {
        return try transaction.connection.run(.deleteSetting) { $0.bind(1, key) }
      }
      try transaction.connection.run(.setSetting) { statement in
        statement.bind(1, key)
        statement.bind(2, value)
      }
    }
  }
}

extension Transaction {
  static let anchorKey = "anchor"

  mutating func setAnchor(_ anchor: SyncAnchor) throws(CatalogError) {
    changes.anchor = anchor
    try connection.setState(Self.anchorKey, anchor.rawValue)
  }
}
