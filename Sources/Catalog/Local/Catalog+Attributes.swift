public import Platform

extension Catalog {
  /// The value of an extended attribute.
  public func xattr(
    _ name: [UInt8], of inode: InodeNumber
  ) throws(CatalogError) -> [UInt8]? {
    throw CatalogError(.misuse, "this is not there yet")
  }

  /// The names of the extended attributes of an item.
  public func xattrNames(of inode: InodeNumber) throws(CatalogError) -> [[UInt8]] {
    throw CatalogError(.misuse, "this is not there yet")
  }

  /// Sets an extended attribute.
  public func setXattr(
    _ name: [UInt8], _ value: [UInt8], of inode: InodeNumber
  ) throws(CatalogError) {
    throw CatalogError(.misuse, "this is not there yet")
  }

  /// Removes an extended attribute.
  public func removeXattr(
    _ name: [UInt8], of inode: InodeNumber
  ) throws(CatalogError) -> Bool {
    throw CatalogError(.misuse, "this is not there yet")
  }
}
