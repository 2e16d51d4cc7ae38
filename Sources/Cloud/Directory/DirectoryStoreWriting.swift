public import Platform

// Writing is not part of this store: its folder is edited by hand.

extension DirectoryStore {
  /// Fails with `.unsupported`.
  public func create(
    _ template: ItemTemplate, content: (any ContentSource)?, cause: Cause
  ) async throws(CloudError) -> Item { throw unsupported }

  /// Fails with `.unsupported`.
  public func modify(
    _ identifier: ItemIdentifier, base: ItemVersion?, changes: ItemChanges,
    content: (any ContentSource)?, cause: Cause
  ) async throws(CloudError) -> Item { throw unsupported }

  /// Fails with `.unsupported`.
  public func move(
    _ identifier: ItemIdentifier, to parent: ItemIdentifier, name: FileName, base: ItemVersion?,
    replacing: Bool, cause: Cause
  ) async throws(CloudError) -> Item { throw unsupported }

  /// Fails with `.unsupported`.
  public func delete(
    _ identifier: ItemIdentifier, base: ItemVersion?, recursively: Bool, cause: Cause
  ) async throws(CloudError) { throw unsupported }

  private var unsupported: CloudError {
    CloudError(
      .unsupported,
      "This cloud is only read; edit the folder \(folder.path) by hand to change it.")
  }
}
