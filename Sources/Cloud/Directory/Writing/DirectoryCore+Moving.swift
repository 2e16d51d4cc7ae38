internal import CPlatform
internal import Glibc
internal import Platform

/// A move that was checked against the index.
private struct Move {
  let row: IndexRow
  let name: FileName
  let target: IndexRow
  let newName: FileName
  let isConditional: Bool

  /// The item as it will be.
  var moved: IndexRow {
    var moved = row
    moved.parent = target.id
    moved.name = newName
    return moved
  }

  /// The two places that it changes.
  var looks: [Int64: Look] {
    row.parent == target.id
      ? [target.id: .names([name, newName])]
      : [row.parent: .names([name]), target.id: .names([newName])]
  }
}

extension DirectoryCore {
  /// Gives an item another place; what is staged afterwards is to be removed.
  func move(
    _ id: Int64, to parent: Int64, _ name: FileName, base: ItemVersion?, replacing: Bool,
    through entry: StagedEntry
  ) throws(CloudError) -> IndexRow {
    guard id != IndexRow.root else { throw CloudError(.denied, "The root cannot be moved.") }
    let row = try row(id, base: base)
    guard let oldName = row.name else { throw Self.missing }
    let target = try folderRow(parent, for: name)
    guard try !index.contains(row.id, target.id) else {
      throw CloudError(.failed, "A folder cannot be moved into itself.")
    }
    let move = Move(
      row: row, name: oldName, target: target, newName: name, isConditional: base != nil)
    let old = try index.child(name, of: parent)
    if old?.id == id { return row }
    if let old {
      try checkReplacement(of: old, by: row, allowed: replacing)
      try moveOver(move, through: entry)
      // Nothing that lies there tells the two names of one file apart.
      if old.status.identity == row.status.identity { try commit(move.moved, replacing: old) }
    } else {
      try moveToFreeName(move, through: entry, replacing: replacing)
    }
    try look(move.looks)
    try index.removeIntent(entry.name)
    staging.hook.reach(.recorded)
    return try freshRow(id)
  }

  private func moveToFreeName(
    _ move: Move, through entry: StagedEntry, replacing: Bool
  ) throws(CloudError) {
    let from = try openParent(move.row)
    let to = try open(move.target)
    try index.insert(Intent(.move, move.moved, entry, isConditional: move.isConditional))
    do throws(Errno) {
      try staging.hook.fail(at: .renaming)
      try Renames.toFreeName(from, move.name, to, move.newName)
    } catch {
      try index.removeIntent(entry.name)
      if error == .exists, replacing { return try moveOver(move, through: entry) }
      if error == .noSuchFile { throw try vanished(move.row.id, move.name) }
      throw WritingFailure.error(error, "\(move.name) cannot be moved to \(move.newName)")
    }
    staging.hook.reach(.renamed)
    let found = try folder.status(of: move.newName, in: to)
    guard !isMeant(move.row.status, found, isConditional: move.isConditional) else { return }
    staging.hook.reach(.givingBack)
    // If its old name is taken meanwhile it stays where it is: it has a name.
    try? Renames.toFreeName(to, move.newName, from, move.name)
    try giveUp(move, entry)
    throw WritingFailure.versionGone(move.name)
  }

  private func moveOver(_ move: Move, through entry: StagedEntry) throws(CloudError) {
    try staging.checkExchange()
    let from = try openParent(move.row)
    let to = try open(move.target)
    try index.insert(Intent(.moveOver, move.moved, entry, isConditional: move.isConditional))
    try takeOut(move.row, move.name, of: from, isConditional: move.isConditional, to: entry)
    do throws(CloudError) {
      guard let fresh = try staged(entry) else { throw Self.missing }
      try exchange(move, entry, fresh, in: to)
    } catch {
      // Nothing is staged any more when it was given another name instead.
      if try staged(entry) != nil { try giveBackFree(entry, to: move.name, in: from) }
      try giveUp(move, entry)
      throw error
    }
  }

  /// Puts the item, which was taken out, in the place of another one.
  private func exchange(
    _ move: Move, _ entry: StagedEntry, _ fresh: EntryStatus, in to: borrowing FileDescriptor
  ) throws(CloudError) {
    let (staging, name) = (entry.folder.descriptor.rawValue, move.newName)
    do throws(Errno) {
      try Renames.exchange(entry.folder.descriptor, entry.name, to, name)
    } catch {
      // What it should replace may have gone.
      do throws(Errno) {
        guard error == .noSuchFile else { throw error }
        return try Renames.toFreeName(entry.folder.descriptor, entry.name, to, name)
      } catch {
        throw WritingFailure.error(error, "\(move.name) cannot be moved to \(name)")
      }
    }
    self.staging.hook.reach(.renamed)
    let out = try staged(entry)
    let isFolder = out?.kind == .folder
    if isFolder == (fresh.kind == .folder) {
      // Only now can nobody put anything in it by its name.
      guard isFolder else { return }
      if CPath.with(entry.name.bytes, { unlinkat(staging, $0, AT_REMOVEDIR) }) == 0 { return }
    }
    _ = try giveBack(entry, fresh: fresh, to: name, in: to)
    throw isFolder && fresh.kind == .folder ? notEmpty(name) : WritingFailure.nameTaken(name)
  }

  private func commit(_ moved: IndexRow, replacing old: IndexRow) throws(CloudError) {
    try index.database.transaction { () throws(CloudError) in
      _ = try index.markGone(old.id)
      try index.update(moved)
      try index.record(.replaced, moved, old: old.id)
    }
    noteNews()
  }

  private func giveUp(_ move: Move, _ entry: StagedEntry) throws(CloudError) {
    try index.removeIntent(entry.name)
    try? look(move.looks)
  }

  private func checkReplacement(
    of old: IndexRow, by new: IndexRow, allowed: Bool
  ) throws(CloudError) {
    guard let name = old.name else { throw Self.missing }
    guard allowed, (old.status.kind == .folder) == (new.status.kind == .folder) else {
      throw WritingFailure.nameTaken(name)
    }
    guard old.status.kind == .folder else { return }
    guard try folder.list(try open(old)).isEmpty else { throw notEmpty(name) }
  }

  private func notEmpty(_ name: FileName) -> CloudError {
    CloudError(.notEmpty, "The folder \(name) is not empty and cannot be replaced.")
  }
}

extension DirectoryIndex {
  /// Whether a place is `folder` or lies somewhere in it.
  func contains(_ folder: Int64, _ place: Int64) throws(CloudError) -> Bool {
    var place = place
    while place != folder {
      guard place != IndexRow.root, let row = try row(place) else { return false }
      place = row.parent
    }
    return true
  }
}
