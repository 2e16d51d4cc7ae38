public import Platform

extension Catalog {
  /// Notes that a writer begins.
  public func beginWriting(
    _ inode: InodeNumber, emptied: Bool
  ) throws(LocalChangeError) -> Entry {
    throw .catalog(CatalogError(.misuse, "this is not there yet"))
  }

  /// Notes that the last writer has ended.
  public func endWriting(
    _ inode: InodeNumber, size: Int64, modified: Timestamp, stillWriting: Bool
  ) throws(CatalogError) -> Entry? {
    throw CatalogError(.misuse, "this is not there yet")
  }

  /// Sets attributes.
  public func setLocal(
    _ inode: InodeNumber, size: Int64?, modified: Timestamp?, permissions: UInt16?
  ) throws(LocalChangeError) -> Entry {
    throw .catalog(CatalogError(.misuse, "this is not there yet"))
  }

  /// Items that a process was writing.
  public func writingItems() throws(CatalogError) -> [Entry] {
    throw CatalogError(.misuse, "this is not there yet")
  }
}
