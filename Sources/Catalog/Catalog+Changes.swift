public import Cloud
public import Platform

extension Catalog {
  /// Takes the complete list of a folder's children, all pages together: the folder is populated then.
  ///
  /// Items that the device knows keep their inode numbers, also when they were elsewhere; children that
  /// are not in the list are removed with everything below. An `Item.parent` that says otherwise does
  /// not count. The list must not be older than the changes that were applied: enumerate, populate, and
  /// then apply what happened since the anchor from before the enumeration.
  /// - Returns: what is different; empty also when the folder is gone.
  /// - Throws: `misuse` when `folder` is no folder, and any other error of a change.
  public func populate(
    _ folder: InodeNumber, with items: [Item]
  ) throws(CatalogError) -> [CatalogChange] {
    try write { transaction throws(CatalogError) in
      try transaction.revise { revision throws(CatalogError) in
        try revision.populate(folder, with: items)
      }
    }
  }

  /// Applies what the cloud tells, together with the anchor.
  ///
  /// What the changes say about one item last is what counts; apart from that their order does not
  /// matter, and duplicates do no harm. An item that is not known is ignored unless its folder is
  /// populated: it will be found when somebody looks. An item that is known moves to wherever it says,
  /// and goes, with everything below, when the device does not know that folder.
  /// - Returns: what is different.
  public func apply(
    _ changes: [Change], anchor: SyncAnchor
  ) throws(CatalogError) -> [CatalogChange] {
    try write { transaction throws(CatalogError) in
      try transaction.setAnchor(anchor)
      return try transaction.revise { revision throws(CatalogError) in
        try revision.apply(Statements(changes))
      }
    }
  }
}

extension Transaction {
  /// Changes the tree.
  mutating func revise(
    _ body: (inout Revision) throws(CatalogError) -> Void
  ) throws(CatalogError) -> [CatalogChange] {
    var revision = Revision(self)
    try body(&revision)
    let changes = try revision.finish()
    self = revision.transaction
    return changes
  }
}
