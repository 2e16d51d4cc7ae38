import Cloud
import Drive
public import Fuse
public import Glibc
public import Platform

/// Changes of content.
extension DriveOperations {
  /// Makes a file and opens it.
  public func create(
    _ name: Span<UInt8>, in parent: NodeID, mode: mode_t, flags: OpenFlags,
    reply: consuming Reply<Created>
  ) {
    let permissions = UInt16(truncatingIfNeeded: mode & 0o7777)
    let outcome = drive.create(name, in: parent, permissions: permissions, reply.caller)
    answer(outcome, reply) { [self] reply, made in
      let opened = Opened(made.opened.handle, mode: .keepCache)
      if !reply.succeed(Created(view.entry(made.found), opened)) {
        close(made.opened.handle, made.found.node)
        drive.forget(made.found.node, count: 1)
      }
    }
  }

  /// Writes bytes of an open document.
  public func write(
    _ bytes: RawSpan, to node: NodeID, at offset: Int64, handle: HandleIdentifier,
    flags: OpenFlags, reply: consuming Reply<Written>
  ) {
    let outcome = drive.write(bytes, at: offset, of: handle, reply.caller)
    answer(outcome, reply) { reply, count in reply.succeed(Written(count)) }
  }

  /// A descriptor was closed: what was written through it belongs to the document.
  public func flush(
    _ node: NodeID, handle: HandleIdentifier, owner: LockOwner, reply: consuming Reply<Empty>
  ) {
    if let error = drive.flush(handle) { reply.fail(error) } else { reply.succeed() }
  }

  /// Makes written bytes durable before it answers.
  public func fsync(
    _ node: NodeID, handle: HandleIdentifier, dataOnly: Bool, reply: consuming Reply<Empty>
  ) { answer(drive.synchronize(handle), reply) { reply, _ in reply.succeed() } }

  /// Makes the names in a folder durable before it answers.
  public func fsyncdir(
    _ node: NodeID, handle: HandleIdentifier, dataOnly: Bool, reply: consuming Reply<Empty>
  ) { answer(drive.synchronizeFolder(), reply) { reply, _ in reply.succeed() } }

  /// Allocates, punches or zeroes a range.
  public func fallocate(
    _ node: NodeID, handle: HandleIdentifier, mode: CInt, _ range: ByteRange,
    reply: consuming Reply<Empty>
  ) {
    let outcome = drive.allocate(range, mode: mode, of: handle, reply.caller)
    answer(outcome, reply) { reply, _ in reply.succeed() }
  }
}
