public import Platform

extension MemoryStore {
  /// Makes an item and returns its state.
  public func create(
    _ template: ItemTemplate, content: (any ContentSource)?, cause: Cause
  ) async throws(CloudError) -> Item {
    try checkCancellation()
    let stored = try await store(content)
    let now = now()
    return try write { tree throws(CloudError) in try tree.create(template, stored, now: now) }
  }

  /// Changes content, metadata or both; the base version is compared in both of its parts.
  public func modify(
    _ identifier: ItemIdentifier, base: ItemVersion?, changes: ItemChanges,
    content: (any ContentSource)?, cause: Cause
  ) async throws(CloudError) -> Item {
    try checkCancellation()
    let stored = try await store(content)
    let now = now()
    return try write { tree throws(CloudError) in
      try tree.modify(identifier, base: base, changes, stored, now: now)
    }
  }

  /// Gives an item another name, folder, or both.
  ///
  /// What is replaced must be of the same sort: a folder replaces only an empty folder.
  public func move(
    _ identifier: ItemIdentifier, to parent: ItemIdentifier, name: FileName, base: ItemVersion?,
    replacing: Bool, cause: Cause
  ) async throws(CloudError) -> Item {
    try checkCancellation()
    return try write { tree throws(CloudError) in
      try tree.move(identifier, to: parent, name: name, base: base, replacing: replacing)
    }
  }

  /// Deletes an item, and what lies in it when asked to.
  public func delete(
    _ identifier: ItemIdentifier, base: ItemVersion?, recursively: Bool, cause: Cause
  ) async throws(CloudError) {
    try checkCancellation()
    try write { tree throws(CloudError) in
      try tree.delete(identifier, base: base, recursively: recursively)
    }
  }

  /// Runs a change under the lock, then tells the observers without it.
  @discardableResult
  func write<Value: Sendable>(
    _ body: (inout MemoryTree) throws(CloudError) -> Value
  ) throws(CloudError) -> Value {
    let (value, changed) = try state.withLock { tree throws(CloudError) -> (Value, Bool) in
      let before = tree.history.total
      let value = try body(&tree)
      return (value, tree.history.total != before)
    }
    if changed { observers.notify() }
    return value
  }

  private func store(_ source: (any ContentSource)?) async throws(CloudError) -> StoredContent? {
    guard let source else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(source.size))
    while bytes.count < source.size {
      try checkCancellation()
      let piece = try await source.read(
        at: Int64(bytes.count), count: min(1 << 20, Int(source.size) - bytes.count))
      guard !piece.isEmpty else {
        throw CloudError(
          .corrupt, "The upload ended after \(bytes.count) of \(source.size) bytes.")
      }
      bytes.append(contentsOf: piece)
    }
    return StoredContent(bytes)
  }
}
