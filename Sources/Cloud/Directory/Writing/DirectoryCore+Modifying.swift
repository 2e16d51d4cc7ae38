internal import CPlatform
internal import Glibc
internal import Platform

extension DirectoryCore {
  /// The row of an item that still has the base version.
  func row(_ id: Int64, base: ItemVersion?) throws(CloudError) -> IndexRow {
    let row = try freshRow(id)
    guard base == nil || base == row.item(index.generation).version else {
      throw CloudError(
        .versionGone, "\(row.name?.text ?? "/") has changed since the base version.")
    }
    return row
  }

  /// The row of a file that still has the base version, and so may get content.
  @discardableResult
  func fileRow(_ id: Int64, base: ItemVersion?) throws(CloudError) -> IndexRow {
    let row = id == IndexRow.root ? try freshRow(id) : try row(id, base: base)
    guard row.status.kind == .file else {
      throw CloudError(.failed, "\(row.name?.text ?? "/") is not a file: it takes no content.")
    }
    return row
  }

  /// Opens the folder that holds an item.
  func openParent(_ row: IndexRow) throws(CloudError) -> FileDescriptor {
    guard let parent = try index.row(row.parent), !parent.isGone else { throw Self.missing }
    return try open(parent)
  }

  /// Puts a staged file in the place of an item's present one.
  func replace(
    _ id: Int64, base: ItemVersion?, _ changes: ItemChanges, with entry: StagedEntry
  ) throws(CloudError) -> IndexRow {
    let old = try fileRow(id, base: base)
    guard let name = old.name else { throw Self.missing }
    let parent = try openParent(old)
    var new = old
    new.status = try dress(entry, as: old, name, in: parent, changes)
    let intent = Intent(.replace, new, entry, isConditional: base != nil)
    try index.insert(intent)
    do throws(Errno) {
      try staging.hook.fail(at: .renaming)
      try Renames.exchange(entry.folder.descriptor, entry.name, parent, name)
    } catch {
      try index.removeIntent(entry.name)
      if error == .noSuchFile { throw try vanished(id, name) }
      throw WritingFailure.error(error, "\(name) cannot be replaced")
    }
    staging.hook.reach(.renamed)
    do throws(CloudError) {
      guard isMeant(old.status, try staged(entry), isConditional: base != nil) else {
        throw WritingFailure.versionGone(name)
      }
      try commit(intent)
    } catch {
      _ = try giveBack(entry, fresh: new.status, to: name, in: parent)
      try index.removeIntent(entry.name)
      try? look([old.parent: .names([name])])
      throw error
    }
    staging.hook.reach(.recorded)
    return new
  }

  /// Writes down that an item has a new version, in the same step as that the intent is carried out.
  func commit(_ intent: Intent) throws(CloudError) {
    try index.database.transaction { () throws(CloudError) in
      try index.update(intent.row)
      try index.record(.updated, intent.row)
      try index.removeIntent(intent.staged)
      try index.trim()
    }
    noteNews()
  }

  /// Sets dates and permissions of what is in place.
  ///
  /// - Fidelity: nothing holds other writers off between the look at the base version and the change; it
  ///   is the metadata of an edit then that is set.
  func change(
    _ id: Int64, base: ItemVersion?, _ changes: ItemChanges
  ) throws(CloudError) -> IndexRow {
    let row = try row(id, base: base)
    guard let name = row.name else { throw Self.missing }
    let parent = try openParent(row)
    let opened = try openEntry(name, in: parent)
    // By the name: a descriptor does not tell a link's target.
    guard isMeant(row.status, try folder.status(of: name, in: parent), isConditional: base != nil)
    else { throw WritingFailure.versionGone(name) }
    try Self.set(changes, of: opened, row.status.kind, name.text)
    staging.hook.reach(.renamed)
    return try freshRow(id)
  }

  /// Sets the permissions of the cloud's folder itself; its date follows its children.
  func changeRoot(base: ItemVersion?, _ changes: ItemChanges) throws(CloudError) -> Item {
    let item = try rootItem()
    guard base == nil || base == item.version else {
      throw CloudError(.versionGone, "The root has changed since the base version.")
    }
    try Self.set(changes, of: try folder.openRoot(), .folder, folder.path)
    return try rootItem()
  }

  /// Gives a new version everything that a look at it tells, so that it changes no more once in place.
  private func dress(
    _ entry: StagedEntry, as old: IndexRow, _ name: FileName, in parent: borrowing FileDescriptor,
    _ changes: ItemChanges
  ) throws(CloudError) -> EntryStatus {
    do throws(CloudError) {
      try entry.adopt(try openEntry(name, in: parent))
    } catch  where error.code == .notFound {
      throw WritingFailure.versionGone(name)
    }
    try entry.setPermissions(changes.permissions ?? old.status.permissions)
    let date = changes.modified ?? .now
    // Another content is another version, also where its size and date are the old ones.
    for delay: Int64 in [0, 1, 1000, 1_000_000, 1_000_000_000, 2_000_000_000] {
      try entry.setModified(date.advanced(byNanoseconds: delay))
      guard let status = try staged(entry) else { break }
      if status.contentVersion != old.status.contentVersion { return status }
    }
    throw CloudError(.failed, "The date of \(name) cannot be set.")
  }

  /// Opens whatever a name names, a link itself as well (`O_PATH`).
  private func openEntry(
    _ name: FileName, in parent: borrowing FileDescriptor
  ) throws(CloudError) -> FileDescriptor {
    let number = CPath.with(name.bytes) {
      openat(parent.rawValue, $0, platform_open_path | O_NOFOLLOW | O_CLOEXEC)
    }
    guard number >= 0 else {
      throw CloudError(errno: Errno.current, "\(name) cannot be opened")
    }
    return FileDescriptor(owning: number)
  }

  private static func set(
    _ changes: ItemChanges, of opened: borrowing FileDescriptor, _ kind: ItemKind, _ name: String
  ) throws(CloudError) {
    // The system keeps no permissions of a link.
    if let permissions = changes.permissions, kind != .symlink,
      platform_set_permissions(opened.rawValue, UInt32(permissions)) != 0
    {
      throw CloudError(errno: Errno.current, "The permissions of \(name) cannot be set")
    }
    if let date = changes.modified,
      platform_set_modified(opened.rawValue, date.seconds, Int64(date.nanoseconds)) != 0
    {
      throw CloudError(errno: Errno.current, "The date of \(name) cannot be set")
    }
  }
}

extension Timestamp {
  /// A moment later by less than some seconds.
  func advanced(byNanoseconds delay: Int64) -> Timestamp {
    let sum = Int64(nanoseconds) + delay
    return Timestamp(
      seconds: seconds + sum / 1_000_000_000, nanoseconds: Int32(sum % 1_000_000_000))
  }
}
