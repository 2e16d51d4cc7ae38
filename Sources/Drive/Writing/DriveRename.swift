import Catalog
import Cloud
import Glibc
import Ledger
public import Platform
import Profiles

extension Drive {
  /// Gives an item another name, or exchanges two (RENAME).
  ///
  /// - Parameter flags: as in renameat2(2).
  public func rename(
    _ name: borrowing Span<UInt8>, in parent: NodeID, to newName: borrowing Span<UInt8>,
    in newParent: NodeID, flags: UInt32, _ caller: Caller
  ) -> Outcome<Void> {
    result { () throws(Errno) in
      guard let mode = RenameMode(flags) else { throw .invalid }
      let (given, newGiven) = (try validName(name), try validName(newName))
      let wanted = try self.newName(newGiven)
      let folder = try changeable(parent, caller)
      let newFolder = try changeable(newParent, caller)
      guard let source = try changeable(given, in: folder) else {
        throw try refuseRename(ofStubNamed: given, in: folder, caller)
      }
      let (entry, name) = (source.entry, source.name)
      // A name that is taken keeps its spelling; one of the item itself is no other item's.
      let taken = try known(wanted, in: newFolder)
      let newName = taken.map { $0.entry.inode == entry.inode ? wanted : $0.name } ?? wanted
      let target = taken?.name == newName ? taken?.entry : nil
      endWalk(at: entry.node, and: target?.node, caller)
      try requireGrant(.rename, to: entry, caller)
      try requireGrant(toFill: newFolder, caller)
      try reactToChange(.rename, of: entry, caller)
      if let target { keepXattrs(of: target) }
      var isUnused = true
      checkpoints.pass(.before(.rename)) { self.renaming(name, in: folder) }
      let renamed = try changeLocally(
        in: [folder.inode, newFolder.inode]
      ) { () throws(LocalChangeError) in
        try catalog.rename(
          name, in: folder.inode, to: newName, in: newFolder.inode, mode,
          keepsIdentity: settings.account.replacementByRename == .kept)
      } show: { table, renamed in
        if let gone = renamed.replaced {
          isUnused = Self.leave(gone, &table, isFound: newName != newGiven)
        }
        for now in [renamed.moved] + (renamed.exchanged.map { [$0] } ?? []) {
          // Bytes that are being written are known to the node first.
          table.update(now.node) { $0.entry.parent = now.parent }
        }
      }
      if let gone = renamed.replaced {
        forgetContent(of: gone, isUnused: isUnused)
        uploader.itemWent(gone.inode)
      }
      folded.note(newName, of: renamed.moved.inode, in: newFolder.inode)
      uploader.schedule(renamed.moved.inode)
      if pin(of: renamed.moved.inode) == .pinned {
        workers.start { [self] in bringPinned(renamed.moved.inode) }
      }
      if let other = renamed.exchanged {
        folded.note(name, of: other.inode, in: folder.inode)
        uploader.schedule(other.inode)
      }
      forgetOwnName(name, in: folder, insteadOf: given)
      forgetOwnName(newName, in: newFolder, insteadOf: newGiven)
      if newName != newGiven { tellKernel { $0.expire(newGiven, in: newFolder.node) } }
      checkpoints.pass(.after(.rename)) { self.renaming(name, in: folder) }
    }
  }

  /// Whatever it is called now, a test knows the name before.
  private func renaming(_ name: FileName, in folder: Entry) -> CheckpointSubject {
    CheckpointSubject(
      item: "", path: Self.path(of: name, in: path(of: folder.inode)), cause: 0)
  }
}

extension Drive {
  /// Why a name that is none of an item cannot be changed: a stand-in has the name that it must have.
  private func refuseRename(
    ofStubNamed name: FileName, in folder: Entry, _ caller: Caller
  ) throws(Errno) -> Errno {
    guard let hidden = try hiddenEntry(behind: name.bytes.span, in: folder) else {
      return .noSuchFile
    }
    endWalk(at: hidden.stub, caller)
    let record = begin(.rename, hidden.stub, hidden, caller)
    if record != 0 { ledger.finish(record, answer: Errno.notPermitted.name) }
    return .notPermitted
  }
}

extension RenameMode {
  /// What the flags of renameat2(2) mean; nil for those that make no sense here.
  fileprivate init?(_ flags: UInt32) {
    switch flags {
    case 0: self = .replacing
    case 1: self = .noReplace
    case 2: self = .exchange
    default: return nil
    }
  }
}
