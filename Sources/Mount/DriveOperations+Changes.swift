import Drive
public import Fuse
public import Glibc
public import Platform

/// Changes of names and attributes.
extension DriveOperations {
  /// Changes attributes.
  public func setattr(
    _ node: NodeID, _ changes: AttributeChanges, handle: HandleIdentifier?,
    reply: consuming Reply<TimedAttributes>
  ) {
    let outcome = drive.setAttributes(of: node, AttributeRequest(changes), reply.caller)
    answer(outcome, reply) { [view] reply, attributes in reply.succeed(view.timed(attributes)) }
  }

  /// Makes a symbolic link.
  public func symlink(
    _ name: Span<UInt8>, in parent: NodeID, target: Span<UInt8>, reply: consuming Reply<Entry>
  ) {
    let target = target.withUnsafeBufferPointer { Array($0) }
    answer(new: drive.makeLink(name, in: parent, to: target, reply.caller), reply)
  }

  /// Makes a regular file; devices, sockets and named pipes are no documents.
  public func mknod(
    _ name: Span<UInt8>, in parent: NodeID, mode: mode_t, device: UInt32,
    reply: consuming Reply<Entry>
  ) {
    guard mode & S_IFMT == S_IFREG else {
      reply.fail(.notPermitted)
      return
    }
    let permissions = UInt16(truncatingIfNeeded: mode & 0o7777)
    answer(
      new: drive.makeFile(name, in: parent, permissions: permissions, reply.caller), reply)
  }

  /// Makes a folder.
  public func mkdir(
    _ name: Span<UInt8>, in parent: NodeID, mode: mode_t, reply: consuming Reply<Entry>
  ) {
    let permissions = UInt16(truncatingIfNeeded: mode & 0o7777)
    answer(
      new: drive.makeFolder(name, in: parent, permissions: permissions, reply.caller), reply)
  }

  /// Removes a name.
  public func unlink(_ name: Span<UInt8>, in parent: NodeID, reply: consuming Reply<Empty>) {
    let outcome = drive.remove(name, in: parent, asFolder: false, reply.caller)
    answer(outcome, reply) { reply, _ in reply.succeed() }
  }

  /// Removes a folder.
  public func rmdir(_ name: Span<UInt8>, in parent: NodeID, reply: consuming Reply<Empty>) {
    let outcome = drive.remove(name, in: parent, asFolder: true, reply.caller)
    answer(outcome, reply) { reply, _ in reply.succeed() }
  }

  /// Renames, or exchanges two names.
  public func rename(
    _ name: Span<UInt8>, in parent: NodeID, to newName: Span<UInt8>, in newParent: NodeID,
    flags: RenameFlags, reply: consuming Reply<Empty>
  ) {
    let outcome = drive.rename(
      name, in: parent, to: newName, in: newParent, flags: flags.rawValue, reply.caller)
    answer(outcome, reply) { reply, _ in reply.succeed() }
  }

  /// Refuses to make a second name: no account here has such.
  public func link(
    _ node: NodeID, to newName: Span<UInt8>, in newParent: NodeID, reply: consuming Reply<Entry>
  ) { reply.fail(drive.refuseLink(to: node, reply.caller)) }

  private func answer(new outcome: Outcome<Found>, _ reply: consuming Reply<Entry>) {
    answer(outcome, reply) { [drive, view] reply, found in
      if !reply.succeed(view.entry(found)) { drive.forget(found.node, count: 1) }
    }
  }
}

extension AttributeRequest {
  /// What the kernel asks for.
  init(_ changes: AttributeChanges) {
    self.init()
    permissions = changes.mode.map { UInt16(truncatingIfNeeded: $0 & 0o7777) }
    user = changes.user
    group = changes.group
    size = changes.size
    switch changes.modificationTime {
    case .now:
      modified = .now
      isTouched = true
    case .at(let time): modified = time
    case nil: break
    }
  }
}
