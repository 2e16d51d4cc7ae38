public import Cloud
public import Platform

extension Catalog {
  /// Makes a new item, of which everything is pending.
  public func create(
    _ name: FileName, in parent: InodeNumber, kind: ItemKind, permissions: UInt16,
    target: [UInt8]? = nil
  ) throws(LocalChangeError) -> Entry {
    throw .catalog(CatalogError(.misuse, "this is not there yet"))
  }

  /// Removes an item, as unlink(2) and rmdir(2).
  public func removeLocal(
    _ name: FileName, in parent: InodeNumber, asFolder: Bool
  ) throws(LocalChangeError) -> Entry {
    throw .catalog(CatalogError(.misuse, "this is not there yet"))
  }

  /// Gives an item another place, as renameat2(2).
  public func rename(
    _ name: FileName, in parent: InodeNumber, to newName: FileName, in newParent: InodeNumber,
    _ mode: RenameMode, keepsIdentity: Bool
  ) throws(LocalChangeError) -> LocalRename {
    throw .catalog(CatalogError(.misuse, "this is not there yet"))
  }
}
