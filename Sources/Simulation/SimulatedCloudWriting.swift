public import Cloud
public import Platform

// A gate at a reply holds after the cloud has changed: the caller that fails there does not know it.

extension SimulatedCloud {
  /// Makes an item; its content goes through the bandwidth. Gates see the folder's path and the name.
  public func create(
    _ template: ItemTemplate, content: (any ContentSource)?, cause: Cause
  ) async throws(CloudError) -> Item {
    try await begin()
    let folder = subject(template.parent, cause).path
    let path = folder == "/" ? "/\(template.name)" : "\(folder)/\(template.name)"
    let new = subject("", at: path, cause)
    let item = try await inner.create(template, content: conditioned(content, new), cause: cause)
    try await end(.create, subject(item.identifier.rawValue, at: path, cause))
    return item
  }

  /// Changes content, metadata or both; content goes through the bandwidth.
  public func modify(
    _ identifier: ItemIdentifier, base: ItemVersion?, changes: ItemChanges,
    content: (any ContentSource)?, cause: Cause
  ) async throws(CloudError) -> Item {
    try await begin()
    let subject = subject(identifier, cause)
    let item = try await inner.modify(
      identifier, base: base, changes: changes, content: conditioned(content, subject),
      cause: cause)
    try await end(.modify, subject)
    return item
  }

  /// Gives an item another name, folder, or both. Gates see the path before the move.
  public func move(
    _ identifier: ItemIdentifier, to parent: ItemIdentifier, name: FileName, base: ItemVersion?,
    replacing: Bool, cause: Cause
  ) async throws(CloudError) -> Item {
    try await begin()
    let subject = subject(identifier, cause)
    let item = try await inner.move(
      identifier, to: parent, name: name, base: base, replacing: replacing, cause: cause)
    try await end(.move, subject)
    return item
  }

  /// Deletes an item.
  public func delete(
    _ identifier: ItemIdentifier, base: ItemVersion?, recursively: Bool, cause: Cause
  ) async throws(CloudError) {
    try await begin()
    let subject = subject(identifier, cause)
    try await inner.delete(identifier, base: base, recursively: recursively, cause: cause)
    try await end(.delete, subject)
  }

  private func conditioned(
    _ source: (any ContentSource)?, _ subject: CheckpointSubject
  ) -> (any ContentSource)? {
    source.map {
      ConditionedSource(
        $0, subject: subject, gates: gates, pacer: Pacer(conditions, clock, .up))
    }
  }
}
