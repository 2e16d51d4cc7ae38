import Catalog
import Platform
import Profiles

/// What the account's rules for names make of the names that programs give.
///
/// Where an account takes two names for the same (`Game` and `GAME`, or two Unicode forms of one text), a
/// drive does: each of them leads to the item. The kernel does not know that, so it keeps only the item's own
/// name, and no name that leads nowhere.
/// - Fidelity: both names can be in the cloud all the same, put there by hand. Then each leads to its own
///   item. A rename that changes only the spelling never reaches a drive: to the kernel both names
///   are of one item already.
extension Drive {
  /// An item that a name leads to, and its own name.
  struct NamedRow {
    let entry: Entry
    let name: FileName
  }

  /// The row under a name, or under one that the account takes for the same; nil when there is none.
  func known(_ name: FileName, in folder: Entry) throws(Errno) -> NamedRow? {
    do throws(CatalogError) {
      if let entry = try catalog.entry(named: name.bytes.span, in: folder.inode) {
        return NamedRow(entry: entry, name: name)
      }
      guard folded.isNeeded, folder.isPopulated else { return nil }
      return try rowLike(name, in: folder.inode)
    } catch {
      throw error.errno
    }
  }

  /// As `known`, for whoever wants to change the name; nil where it is a stand-in's as well, since the
  /// document of that name is hidden.
  func changeable(_ name: FileName, in folder: Entry) throws(Errno) -> NamedRow? {
    guard let row = try known(name, in: folder) else { return nil }
    guard isHidden(row.entry), try hiddenEntry(behind: name.bytes.span, in: folder) != nil else {
      return row
    }
    return nil
  }

  private func rowLike(
    _ name: FileName, in folder: InodeNumber
  ) throws(CatalogError) -> NamedRow? {
    let rules = settings.account.names
    let key = rules.collisionKey(of: name)
    let inodes = try folded.items(like: name, in: folder) { note throws(CatalogError) in
      try catalog.forEachChild(of: folder) { entry, name in
        if let name = FileName(name) { note(name, entry.inode) }
        return true
      }
    }
    for inode in inodes {
      guard let own = try catalog.details(of: inode)?.name, rules.collisionKey(of: own) == key,
        let entry = try catalog.entry(named: own.bytes.span, in: folder), entry.inode == inode
      else { continue }
      return NamedRow(entry: entry, name: own)
    }
    return nil
  }

  /// A name as a program gives it; the kernel lets pass up to 1024 bytes.
  func validName(_ name: borrowing Span<UInt8>) throws(Errno) -> FileName {
    guard name.count <= FileName.maximumLength else { throw .nameTooLong }
    guard let name = FileName(name) else { throw .invalid }
    return name
  }

  /// A name that a program gives to something, as the account keeps it; throws when it does not take it.
  func newName(_ name: FileName) throws(Errno) -> FileName {
    let kept = settings.account.names.stored(name)
    if let refusal = settings.account.names.refusal(of: kept) { throw refusal }
    return kept
  }

  /// Notes which names came with changes.
  func noteNames(of changes: [CatalogChange], populated folder: InodeNumber?) {
    guard folded.isNeeded else { return }
    for change in changes {
      switch change {
      case .added(let inode, let parent, let name): folded.note(name, of: inode, in: parent)
      case .moved(_, _, let new, let name): folded.note(name, of: new.inode, in: new.parent)
      default: break
      }
    }
    if let folder { folded.forget(folder) }
  }

  /// A name was taken from an item under another spelling: the kernel has its own name still.
  func forgetOwnName(_ own: FileName, in folder: Entry, insteadOf given: FileName) {
    guard own != given else { return }
    tellKernel { $0.remove(own, in: folder.node) }
  }
}
