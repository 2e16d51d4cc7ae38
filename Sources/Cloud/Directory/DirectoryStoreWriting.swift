public import Platform

extension DirectoryStore {
  /// Makes a file, folder or symbolic link, whole and under its name in one step.
  ///
  /// Without permissions in the template a file gets 0644 and a folder 0755. A symbolic link needs a
  /// target. Content is copied in pieces of at most 1 MiB and is on the disk before anybody sees it.
  /// - Throws: `.nameTaken` when the folder has that name already, also for something that no cloud
  ///   lists.
  public func create(
    _ template: ItemTemplate, content: (any ContentSource)?, cause: Cause
  ) async throws(CloudError) -> Item {
    let parent = try id(of: template.parent)
    if isLong(content) {
      _ = try await perform { core throws(CloudError) in
        try core.checkFree(template.name, in: parent)
      }
    }
    let permissions = template.permissions ?? (template.kind == .folder ? 0o755 : 0o644)
    let staged = try StagedEntry(
      template.kind, target: template.kind == .symlink ? template.target : nil,
      in: thread.staging)
    return try await placing(staged) { () throws(CloudError) in
      if template.kind == .file, let content { try await staged.fill(from: content) }
      // A folder needs its owner's bits until it is moved.
      if template.kind != .symlink {
        try staged.setPermissions(
          template.kind == .folder ? permissions | 0o700 : permissions)
      }
      try staged.setModified(template.modified)
    } by: { core throws(CloudError) in
      try core.create(
        template.name, in: parent, staged,
        permissions: template.kind == .folder ? permissions : nil)
    }
  }

  /// Changes content, metadata or both; the base version is compared in both of its parts.
  ///
  /// New content is put in the place of the old in one step; the item keeps its identifier, its
  /// permissions, its extended attributes and, as far as the process may set it, its owner. Another name
  /// of the same file (a hard link) keeps the old content.
  /// - Fidelity: a date that is set makes a new content version, as `EntryStatus.contentVersion` tells.
  ///   Where new content has the size and the date of the old, its date is set some nanoseconds later.
  public func modify(
    _ identifier: ItemIdentifier, base: ItemVersion?, changes: ItemChanges,
    content: (any ContentSource)?, cause: Cause
  ) async throws(CloudError) -> Item {
    let id = try id(of: identifier)
    let generation = generation
    guard let content else {
      return try await placed { core throws(CloudError) in
        if id == IndexRow.root { return try core.changeRoot(base: base, changes) }
        return try core.change(id, base: base, changes).item(generation)
      }
    }
    if isLong(content) {
      _ = try await perform { core throws(CloudError) in try core.fileRow(id, base: base) }
    }
    try thread.staging.checkExchange()
    let staged = try StagedEntry(.file, target: nil, in: thread.staging)
    return try await placing(staged) { () throws(CloudError) in
      try await staged.fill(from: content)
    } by: { core throws(CloudError) in
      try core.replace(id, base: base, changes, with: staged)
    }
  }

  /// Gives an item another name, folder, or both.
  ///
  /// What is replaced must be of the same sort: a folder replaces only an empty folder. The new name is
  /// never without an item while one replaces another; the old name is free a moment before.
  public func move(
    _ identifier: ItemIdentifier, to parent: ItemIdentifier, name: FileName, base: ItemVersion?,
    replacing: Bool, cause: Cause
  ) async throws(CloudError) -> Item {
    let (id, parent) = (try id(of: identifier), try self.id(of: parent))
    let staged = try StagedEntry(in: thread.staging)
    return try await placing(staged) { () throws(CloudError) in
    } by: { core throws(CloudError) in
      try core.move(id, to: parent, name, base: base, replacing: replacing, through: staged)
    }
  }

  /// Deletes an item, and what lies in it when asked to; a folder goes as a whole.
  public func delete(
    _ identifier: ItemIdentifier, base: ItemVersion?, recursively: Bool, cause: Cause
  ) async throws(CloudError) {
    let id = try id(of: identifier)
    let staged = try StagedEntry(in: thread.staging)
    try await stage(staged) { () throws(CloudError) in
    } by: { core throws(CloudError) in
      try core.delete(id, base: base, recursively: recursively, to: staged)
    }
  }

  /// Whether an upload shall not begin that cannot succeed. A short one is as quick as the look whether it
  /// can, which comes once more at its end.
  private func isLong(_ content: (any ContentSource)?) -> Bool { (content?.size ?? 0) > 1 << 20 }

  /// Stages an entry, puts it in place, and tells the item.
  private func placing(
    _ staged: StagedEntry, _ prepare: () async throws(CloudError) -> Void,
    by place: @escaping @Sendable (DirectoryCore) throws(CloudError) -> IndexRow
  ) async throws(CloudError) -> Item {
    let generation = generation
    return try await stage(staged, prepare) { core throws(CloudError) in
      try place(core).item(generation)
    }
  }

  /// Stages an entry, puts it in place, and removes what is staged afterwards.
  private func stage<Value: Sendable>(
    _ staged: StagedEntry, _ prepare: () async throws(CloudError) -> Void,
    by place: @escaping @Sendable (DirectoryCore) throws(CloudError) -> Value
  ) async throws(CloudError) -> Value {
    let result: Result<Value, CloudError>
    var isKept = false
    do throws(CloudError) {
      try await prepare()
      try staged.finish()
      if Task.isCancelled { throw .cancelledByCaller }
      (result, isKept) =
        await onThread { core in
          let result = Result { () throws(CloudError) in try place(core) }
          // With an intent it may be somebody's only copy.
          return (result, (try? core.index.hasIntent(staged.name)) ?? true)
        } ?? (.failure(.closedFolder), false)
    } catch {
      result = .failure(error)
    }
    // Not on the store's thread: it may be a large tree.
    if !isKept { staged.folder.remove(staged.name) }
    return try result.get()
  }

  private func placed<Value: Sendable>(
    _ body: @escaping @Sendable (DirectoryCore) throws(CloudError) -> Value
  ) async throws(CloudError) -> Value {
    if Task.isCancelled { throw .cancelledByCaller }
    let result = await onThread { core in Result { () throws(CloudError) in try body(core) } }
    guard let result else { throw .closedFolder }
    return try result.get()
  }

  /// Runs `body` on the store's thread and waits for its end even when the task is cancelled: what was
  /// put in place is known only then. Nil when the store is closed.
  private func onThread<Value: Sendable>(
    _ body: @escaping @Sendable (DirectoryCore) -> Value
  ) async -> Value? {
    await withCheckedContinuation { continuation in
      let isOpen = thread.submit { core in continuation.resume(returning: body(core)) }
      if !isOpen { continuation.resume(returning: nil) }
    }
  }
}
