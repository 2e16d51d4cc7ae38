public import Cloud
public import Platform

extension Catalog {
  /// The queue.
  public func pendingItems(
    after sequence: UInt64, limit: Int
  ) throws(CatalogError) -> [PendingItem] {
    throw CatalogError(.misuse, "this is not there yet")
  }

  /// What is pending of an item.
  public func pendingItem(of inode: InodeNumber) throws(CatalogError) -> PendingItem? {
    throw CatalogError(.misuse, "this is not there yet")
  }

  /// The deletions.
  public func pendingDeletions() throws(CatalogError) -> [PendingDeletion] {
    throw CatalogError(.misuse, "this is not there yet")
  }

  /// How much is pending.
  public func pendingCounts() throws(CatalogError) -> PendingCounts {
    throw CatalogError(.misuse, "this is not there yet")
  }

  /// Notes that the cloud has parts of an item now.
  public func uploaded(
    _ inode: InodeNumber, sequence: UInt64, parts: PendingParts, as item: Item
  ) throws(CatalogError) -> Bool? {
    throw CatalogError(.misuse, "this is not there yet")
  }

  /// The same, and tells what else became different: the item is what the cloud says then.
  public func uploaded(
    _ inode: InodeNumber, sequence: UInt64, parts: PendingParts, as item: Item,
    changes: inout [CatalogChange]
  ) throws(CatalogError) -> Bool? {
    throw CatalogError(.misuse, "this is not there yet")
  }

  /// Notes that an upload has failed.
  public func uploadFailed(
    _ inode: InodeNumber, error: String, notBefore: Timestamp?
  ) throws(CatalogError) {
    throw CatalogError(.misuse, "this is not there yet")
  }

  /// Notes that the cloud has an item no more.
  public func deletionDone(_ item: ItemIdentifier) throws(CatalogError) {
    throw CatalogError(.misuse, "this is not there yet")
  }

  /// Notes that a deletion has failed.
  public func deletionFailed(
    _ item: ItemIdentifier, error: String, notBefore: Timestamp?
  ) throws(CatalogError) {
    throw CatalogError(.misuse, "this is not there yet")
  }

  /// Gives the local content to a new item, and the item to the cloud.
  public func splitConflict(
    _ inode: InodeNumber, with item: Item, copyName: FileName
  ) throws(LocalChangeError) -> LocalConflict {
    throw .catalog(CatalogError(.misuse, "this is not there yet"))
  }

  /// Makes a new item of one that the cloud has no more.
  public func becomeNew(_ inode: InodeNumber) throws(CatalogError) -> Entry? {
    throw CatalogError(.misuse, "this is not there yet")
  }
}
