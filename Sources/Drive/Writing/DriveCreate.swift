import Catalog
import Cloud
import Glibc
import Ledger
public import Platform
import Profiles

/// A file that was made and opened in one call.
public struct CreatedItem: Sendable {
  /// The new name's node, counted as one look-up.
  public var found: Found
  /// The open file.
  public var opened: OpenedItem
}

extension Drive {
  /// Makes a file and opens it (CREATE). POSIX open(2) with `O_CREAT`.
  public func create(
    _ name: borrowing Span<UInt8>, in parent: NodeID, permissions: UInt16, _ caller: Caller
  ) -> Outcome<CreatedItem> {
    result { () throws(Errno) in
      let given = try validName(name)
      let name = try newName(given)
      let folder = try changeable(parent, caller)
      try requireGrant(toFill: folder, caller)
      var handle: HandleIdentifier?
      let (id, node) = try make(name, in: folder, .file, permissions, nil) { table, entry in
        handle =
          table.open(entry.node, entry, .cached, by: opener(of: entry, caller), writing: true)
          .identifier
      }
      guard let handle else { throw .io }
      return CreatedItem(
        found: found(id, node, under: given, keptAs: name),
        opened: OpenedItem(handle: handle, route: .cached))
    }
  }

  /// Makes a file and does not open it (MKNOD of a regular file).
  public func makeFile(
    _ name: borrowing Span<UInt8>, in parent: NodeID, permissions: UInt16, _ caller: Caller
  ) -> Outcome<Found> {
    makeUnopened(name, in: parent, .file, permissions, nil, caller)
  }

  /// Makes a folder (MKDIR).
  public func makeFolder(
    _ name: borrowing Span<UInt8>, in parent: NodeID, permissions: UInt16, _ caller: Caller
  ) -> Outcome<Found> {
    makeUnopened(name, in: parent, .folder, permissions, nil, caller)
  }

  /// Makes a symbolic link (SYMLINK).
  public func makeLink(
    _ name: borrowing Span<UInt8>, in parent: NodeID, to target: [UInt8], _ caller: Caller
  ) -> Outcome<Found> {
    makeUnopened(name, in: parent, .symlink, 0o777, target, caller)
  }

  private func makeUnopened(
    _ name: borrowing Span<UInt8>, in parent: NodeID, _ kind: ItemKind, _ permissions: UInt16,
    _ target: [UInt8]?, _ caller: Caller
  ) -> Outcome<Found> {
    result { () throws(Errno) in
      let given = try validName(name)
      let name = try newName(given)
      let folder = try changeable(parent, caller)
      try requireGrant(toFill: folder, caller)
      let (id, node) = try make(name, in: folder, kind, permissions, target)
      // A file counts as being written from its making on, and nobody has it open to end that.
      if kind == .file { endWriting(id) } else { uploader.schedule(id.inode) }
      return found(id, node, under: given, keptAs: name)
    }
  }

  /// What was made. The kernel keeps only a name that is the item's own.
  private func found(
    _ id: NodeID, _ node: Node, under given: FileName, keptAs name: FileName
  ) -> Found {
    let found = found(id, node)
    return given == name ? found : found.uncached()
  }

  private func make(
    _ name: FileName, in folder: Entry, _ kind: ItemKind, _ permissions: UInt16,
    _ target: [UInt8]?, show: (inout NodeTable, Entry) -> Void = { _, _ in }
  ) throws(Errno) -> (NodeID, Node) {
    var node: Node?
    // A name that the representation hides does not exist to the program that creates it.
    let other = try known(name, in: folder)
    let covers =
      settings.account.hiddenNameCreation == .conflictCopy
      && other.map { isHidden($0.entry) } ?? false
    if other != nil, !covers { throw .exists }
    let name = covers ? other?.name ?? name : name
    let entry = try changing(kind.makingCall, name, in: folder.inode) { () throws(Errno) in
      try changeLocally(in: [folder.inode]) { () throws(LocalChangeError) in
        try catalog.create(
          name, in: folder.inode, kind: kind, permissions: permissions & 0o7777, target: target,
          covering: covers)
      } show: { table, entry in
        node = table.remember(entry.node, entry, readAt: table.generation)
        show(&table, entry)
        if kind == .file { table.update(entry.node) { $0.isWriting = true } }
        node = table[entry.node] ?? node
      }
    }
    folded.note(name, of: entry.inode, in: folder.inode)
    return (entry.node, node ?? Node(entry: entry, lookupCount: 1))
  }
}

extension ItemKind {
  fileprivate var makingCall: ChangingCall {
    switch self {
    case .file: .create
    case .folder: .mkdir
    case .symlink: .symlink
    }
  }
}
