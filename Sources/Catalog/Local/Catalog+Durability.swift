extension Catalog {
  /// Waits until everything committed so far survives a power cut.
  public func synchronize() throws(CatalogError) {
    throw CatalogError(.misuse, "this is not there yet")
  }
}
