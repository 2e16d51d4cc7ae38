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
      let name = try validName(name)
      let folder = try changeable(parent, caller)
      guard let entry = (try? catalog.entry(named: name.bytes.span, in: folder.inode)) ?? nil
      else { throw .noSuchFile }
      try reactToChange(.unlink, of: entry, caller)
      keepXattrs(of: entry)
      var isUnused = true
      try changing(asFolder ? .rmdir : .unlink, name, in: folder.inode) { () throws(Errno) in
        let gone = try changeLocally(in: [folder.inode]) { () throws(LocalChangeError) in
          try catalog.removeLocal(name, in: folder.inode, asFolder: asFolder)
        } show: { table, gone in
          isUnused = Self.leave(gone, &table)
        }
        forgetContent(of: gone, isUnused: isUnused)
        uploader.itemWent(gone.inode)
      }
    }
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
  /// - Returns: whether its content is of no use any more.
  static func leave(_ gone: Entry, _ table: inout NodeTable) -> Bool {
    var isUnused = true
    table.update(gone.node) { node in
      node.isRemoved = true
      isUnused = node.retire()
    }
    return isUnused
  }

  func forgetContent(of gone: Entry, isUnused: Bool) {
    guard gone.kind == .file, isUnused else { return }
    materializer.content.remove(ContentKey(gone))
  }
}
