import Drive
public import Fuse
public import Glibc
public import Platform
import Profiles

/// Everything that would change something: the drive is read-only and says so.
extension DriveOperations {
  /// Refuses to change attributes.
  public func setattr(
    _ node: NodeID, _ changes: AttributeChanges, handle: HandleIdentifier?,
    reply: consuming Reply<TimedAttributes>
  ) { reply.fail(drive.refuseChange(.truncate, of: node, reply.caller)) }

  /// Refuses to make a link.
  public func symlink(
    _ name: Span<UInt8>, in parent: NodeID, target: Span<UInt8>, reply: consuming Reply<Entry>
  ) { reply.fail(.readOnly) }

  /// Refuses to make a node.
  public func mknod(
    _ name: Span<UInt8>, in parent: NodeID, mode: mode_t, device: UInt32,
    reply: consuming Reply<Entry>
  ) { reply.fail(.readOnly) }

  /// Refuses to make a folder.
  public func mkdir(
    _ name: Span<UInt8>, in parent: NodeID, mode: mode_t, reply: consuming Reply<Entry>
  ) { reply.fail(.readOnly) }

  /// Refuses to remove a name.
  public func unlink(_ name: Span<UInt8>, in parent: NodeID, reply: consuming Reply<Empty>) {
    reply.fail(drive.refuseChange(.unlink, name, in: parent, reply.caller))
  }

  /// Refuses to remove a folder.
  public func rmdir(_ name: Span<UInt8>, in parent: NodeID, reply: consuming Reply<Empty>) {
    reply.fail(drive.refuseChange(.unlink, name, in: parent, reply.caller))
  }

  /// Refuses to rename.
  public func rename(
    _ name: Span<UInt8>, in parent: NodeID, to newName: Span<UInt8>, in newParent: NodeID,
    flags: RenameFlags, reply: consuming Reply<Empty>
  ) { reply.fail(drive.refuseChange(.rename, name, in: parent, reply.caller)) }

  /// Refuses to make a second name.
  public func link(
    _ node: NodeID, to newName: Span<UInt8>, in newParent: NodeID, reply: consuming Reply<Entry>
  ) { reply.fail(drive.refuseChange(.link, of: node, reply.caller)) }

  /// Refuses to make a file.
  public func create(
    _ name: Span<UInt8>, in parent: NodeID, mode: mode_t, flags: OpenFlags,
    reply: consuming Reply<Created>
  ) { reply.fail(.readOnly) }

  /// Refuses to write.
  public func write(
    _ bytes: RawSpan, to node: NodeID, at offset: Int64, handle: HandleIdentifier,
    flags: OpenFlags, reply: consuming Reply<Written>
  ) { reply.fail(.readOnly) }

  /// Refuses to allocate.
  public func fallocate(
    _ node: NodeID, handle: HandleIdentifier, mode: CInt, _ range: ByteRange,
    reply: consuming Reply<Empty>
  ) { reply.fail(.readOnly) }

  /// Refuses to remove an extended attribute.
  public func removexattr(
    _ node: NodeID, _ name: Span<UInt8>, reply: consuming Reply<Empty>
  ) { reply.fail(.readOnly) }
}
