internal import Glibc
internal import Platform

extension DirectoryCore {
  /// Checks that a folder is there and has a name free.
  ///
  /// - Returns: the folder's row.
  @discardableResult
  func checkFree(_ name: FileName, in parent: Int64) throws(CloudError) -> IndexRow {
    let row = try folderRow(parent, for: name)
    guard try index.child(name, of: parent) == nil else { throw WritingFailure.nameTaken(name) }
    return row
  }

  /// Looks at a folder and at one name in it.
  func folderRow(_ id: Int64, for name: FileName) throws(CloudError) -> IndexRow {
    guard !name.bytes.starts(with: Staging.prefix.utf8) else {
      throw CloudError(.denied, "Names that begin with \(Staging.prefix) are not for items.")
    }
    let row = try freshRow(id)
    guard row.status.kind == .folder else { throw WritingFailure.notFolder(row) }
    try look([id: .names([name])])
    return row
  }

  /// Puts a staged entry under a free name.
  ///
  /// - Parameter permissions: those of a folder, which the system would not move with them.
  func create(
    _ name: FileName, in parent: Int64, _ entry: StagedEntry, permissions: UInt16? = nil
  ) throws(CloudError) -> IndexRow {
    let opened = try open(try checkFree(name, in: parent))
    guard var status = try staged(entry) else { throw Self.missing }
    do throws(Errno) {
      try putInPlace(entry, name, in: opened, kind: status.kind)
    } catch {
      throw WritingFailure.error(error, "\(name) cannot be created")
    }
    staging.hook.reach(.renamed)
    if let permissions {
      try entry.setPermissions(permissions)
      status = try folder.status(of: name, in: opened) ?? status
    }
    var row = IndexRow(id: 0, parent: parent, name: name, status: status)
    do throws(CloudError) {
      try index.database.transaction { () throws(CloudError) in
        row.id = try index.insert(row)
        try index.record(.updated, row)
        try index.trim()
      }
    } catch {
      // Who is told that it failed shall not find it there.
      takeBack(entry, status, name, in: opened)
      throw error
    }
    noteNews()
    staging.hook.reach(.recorded)
    return row
  }

  private func putInPlace(
    _ entry: StagedEntry, _ name: FileName, in parent: borrowing FileDescriptor, kind: ItemKind
  ) throws(Errno) {
    do throws(Errno) {
      try staging.hook.fail(at: .renaming)
      try Renames.toFreeName(entry.folder.descriptor, entry.name, parent, name)
    } catch {
      guard Renames.isLacking(error), kind != .folder else { throw error }
      try Renames.link(entry, parent, name)
    }
  }

  private func takeBack(
    _ entry: StagedEntry, _ status: EntryStatus, _ name: FileName,
    in parent: borrowing FileDescriptor
  ) {
    guard (try? Renames.out(parent, name, to: entry)) != nil else { return }
    let out = try? staged(entry)
    if isMeant(status, out, isConditional: true) { return }
    try? giveBackFree(entry, to: name, in: parent)
  }
}
