import Catalog
import Cloud
import Glibc
import Ledger
public import Platform
import Profiles

extension Drive {
  /// Removes a name (UNLINK, RMDIR). Who has the item open keeps it.
  public func remove(
    _ name: borrowing Span<UInt8>, in parent: NodeID, asFolder: Bool, _ caller: Caller
  ) -> Outcome<Void> {
    result { () throws(Errno) in
      let folder = try changeable(parent, caller)
      let given = try validName(name)
      let (entry, name) = try removable(given, in: folder, caller)
      keepXattrs(of: entry)
      var isUnused = true
      try changing(asFolder ? .rmdir : .unlink, name, in: folder.inode) { () throws(Errno) in
        let gone = try changeLocally(in: [folder.inode]) { () throws(LocalChangeError) in
          try catalog.removeLocal(name, in: folder.inode, asFolder: asFolder)
        } show: { table, gone in
          isUnused = Self.leave(gone, &table, isFound: name != given)
        }
        forgetContent(of: gone, isUnused: isUnused)
        uploader.itemWent(gone.inode)
      }
      forgetOwnName(name, in: folder, insteadOf: given)
    }
  }

  /// The item that a name leads to, and its own name; throws why the caller may not remove it. Who
  /// removes a stand-in removes the document.
  private func removable(
    _ name: FileName, in folder: Entry, _ caller: Caller
  ) throws(Errno) -> (Entry, FileName) {
    if let row = try changeable(name, in: folder) {
      endWalk(at: row.entry.node, caller)
      try requireGrant(.unlink, to: row.entry, caller)
      try reactToChange(.unlink, of: row.entry, caller)
      return (row.entry, row.name)
    }
    guard let entry = try hiddenEntry(behind: name.bytes.span, in: folder),
      let own = (try? catalog.details(of: entry.inode))??.name
    else { throw .noSuchFile }
    endWalk(at: entry.stub, caller)
    try requireGrant(.unlink, to: entry, caller)
    let record = begin(.unlink, entry.stub, entry, caller)
    if record != 0 { ledger.finish(record, answer: Answer.present.text) }
    return (entry, own)
  }

  /// Says how a second name for an item is refused. No account keeps two names of one document.
  public func refuseLink(to id: NodeID, _ caller: Caller) -> Errno {
    guard let node = node(id) else { return .stale }
    if let refusal = refusal(.link, id, node, caller) { return refusal }
    let record = begin(.link, id, node.entry, caller)
    if record != 0 { ledger.finish(record, answer: Errno.notPermitted.name) }
    return .notPermitted
  }

  /// A name went by a program's own doing.
  ///
  /// - Parameter isFound: whether the kernel may find it under its own name still, since it was another one
  ///   that went. Whoever comes by that name is sent to look it up again (ESTALE).
  /// - Returns: whether its content is of no use any more.
  static func leave(_ gone: Entry, _ table: inout NodeTable, isFound: Bool = false) -> Bool {
    var isUnused = true
    table.update(gone.node) { node in
      node.isRemoved = true
      isUnused = node.retire()
      if isFound { node.keepsContent = false }
    }
    return isUnused
  }

  func forgetContent(of gone: Entry, isUnused: Bool) {
    guard gone.kind == .file, isUnused else { return }
    materializer.abandon(ContentKey(gone), .noSuchFile)
    materializer.content.remove(ContentKey(gone))
  }
}
