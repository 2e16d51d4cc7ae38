internal import CPlatform
internal import Glibc
internal import Platform

extension DirectoryCore {
  /// Takes an item out of the cloud; what is staged afterwards is to be removed.
  func delete(
    _ id: Int64, base: ItemVersion?, recursively: Bool, to entry: StagedEntry
  ) throws(CloudError) {
    guard id != IndexRow.root else { throw CloudError(.denied, "The root cannot be deleted.") }
    let row = try row(id, base: base)
    guard let name = row.name else { throw Self.missing }
    let parent = try openParent(row)
    let isConditional = base != nil
    var isRemoved = false
    if row.status.kind == .folder {
      isRemoved = try removeEmpty(
        row, name, in: parent, isConditional: isConditional, mayBeFull: recursively)
    }
    if !isRemoved {
      try index.insert(Intent(.remove, row, entry, isConditional: isConditional))
      try takeOut(row, name, of: parent, isConditional: isConditional, to: entry)
    }
    try look([row.parent: .names([name])])
    try index.removeIntent(entry.name)
    staging.hook.reach(.recorded)
  }

  /// Moves an item to the staging folder; gives back what is not what the index knows.
  ///
  /// The intent must be in the index; it is removed again when nothing is left in the staging folder.
  func takeOut(
    _ row: IndexRow, _ name: FileName, of parent: borrowing FileDescriptor, isConditional: Bool,
    to entry: StagedEntry
  ) throws(CloudError) {
    do throws(Errno) {
      try staging.hook.fail(at: .renaming)
      try Renames.out(parent, name, to: entry)
    } catch {
      try index.removeIntent(entry.name)
      if error == .noSuchFile { throw try vanished(row.id, name) }
      throw WritingFailure.error(error, "\(name) cannot be moved or deleted")
    }
    staging.hook.reach(.renamed)
    guard !isMeant(row.status, try staged(entry), isConditional: isConditional) else { return }
    try giveBackFree(entry, to: name, in: parent)
    try index.removeIntent(entry.name)
    try? look([row.parent: .names([name])])
    throw WritingFailure.versionGone(name)
  }

  /// What to say when a name was not there any more: that the item is gone, or only changed its place.
  func vanished(_ id: Int64, _ name: FileName) throws(CloudError) -> CloudError {
    // Where it went is told by events; a look at its old name alone would take it for deleted.
    followEvents()
    _ = try freshRow(id)
    return WritingFailure.versionGone(name)
  }

  /// Removes a folder where it is: the system refuses if anything is in it.
  ///
  /// - Returns: whether it was removed; false only if it may be full.
  private func removeEmpty(
    _ row: IndexRow, _ name: FileName, in parent: borrowing FileDescriptor, isConditional: Bool,
    mayBeFull: Bool
  ) throws(CloudError) -> Bool {
    guard
      isMeant(
        row.status, try folder.status(of: name, in: parent), isConditional: isConditional)
    else { throw WritingFailure.versionGone(name) }
    do throws(Errno) {
      if !mayBeFull { try staging.hook.fail(at: .renaming) }
      let result = CPath.with(name.bytes) { unlinkat(parent.rawValue, $0, AT_REMOVEDIR) }
      guard result == 0 else { throw Errno.current }
    } catch {
      // POSIX lets a file system choose between the two.
      if error == .notEmpty || error == .exists {
        if mayBeFull { return false }
        throw CloudError(.notEmpty, "The folder \(name) is not empty; delete it recursively.")
      }
      if error == .noSuchFile { throw try vanished(row.id, name) }
      throw WritingFailure.error(error, "The folder \(name) cannot be deleted")
    }
    staging.hook.reach(.renamed)
    return true
  }
}
