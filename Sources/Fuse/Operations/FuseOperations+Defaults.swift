public import Glibc
public import Platform

// What a file system does that implements nothing: it answers that there is nothing.

extension FuseOperations {
  /// Does nothing.
  public func sessionWillStart(_ agreement: Agreement) {}
  /// Does nothing.
  public func sessionWillStop() {}
  /// Does nothing.
  public func sessionDidEnd(_ reason: SessionEnd) {}
  /// Answers ENOENT.
  public func lookup(_ name: Span<UInt8>, in parent: NodeID, reply: consuming Reply<Entry>) {
    reply.fail(.noSuchFile)
  }
  /// Does nothing.
  public func forget(_ node: NodeID, count: UInt64) {}
  /// Forgets one after the other.
  public func forget(_ batch: Span<Forgotten>) {
    for index in batch.indices { forget(batch[index].node, count: batch[index].count) }
  }
  /// Answers ENOSYS.
  public func getattr(
    _ node: NodeID, handle: HandleIdentifier?, reply: consuming Reply<TimedAttributes>
  ) { reply.fail(.notImplemented) }
  /// Answers ENOSYS.
  public func setattr(
    _ node: NodeID, _ changes: AttributeChanges, handle: HandleIdentifier?,
    reply: consuming Reply<TimedAttributes>
  ) { reply.fail(.notImplemented) }
  /// Answers ENOSYS, so that the kernel asks no more and allows everything.
  public func access(_ node: NodeID, _ mask: AccessMask, reply: consuming Reply<Empty>) {
    reply.fail(.notImplemented)
  }
}

// Names.
extension FuseOperations {
  /// Answers ENOSYS.
  public func readlink(_ node: NodeID, reply: consuming Reply<Target>) {
    reply.fail(.notImplemented)
  }
  /// Answers ENOSYS.
  public func symlink(
    _ name: Span<UInt8>, in parent: NodeID, target: Span<UInt8>, reply: consuming Reply<Entry>
  ) { reply.fail(.notImplemented) }
  /// Answers ENOSYS.
  public func mknod(
    _ name: Span<UInt8>, in parent: NodeID, mode: mode_t, device: UInt32,
    reply: consuming Reply<Entry>
  ) { reply.fail(.notImplemented) }
  /// Answers ENOSYS.
  public func mkdir(
    _ name: Span<UInt8>, in parent: NodeID, mode: mode_t, reply: consuming Reply<Entry>
  ) { reply.fail(.notImplemented) }
  /// Answers ENOSYS.
  public func unlink(_ name: Span<UInt8>, in parent: NodeID, reply: consuming Reply<Empty>) {
    reply.fail(.notImplemented)
  }
  /// Answers ENOSYS.
  public func rmdir(_ name: Span<UInt8>, in parent: NodeID, reply: consuming Reply<Empty>) {
    reply.fail(.notImplemented)
  }
  /// Answers ENOSYS.
  public func rename(
    _ name: Span<UInt8>, in parent: NodeID, to newName: Span<UInt8>, in newParent: NodeID,
    flags: RenameFlags, reply: consuming Reply<Empty>
  ) { reply.fail(.notImplemented) }
  /// Answers ENOSYS.
  public func link(
    _ node: NodeID, to newName: Span<UInt8>, in newParent: NodeID, reply: consuming Reply<Entry>
  ) { reply.fail(.notImplemented) }
}

// Open files.
extension FuseOperations {
  /// Answers ENOSYS, whereupon the kernel uses MKNOD and OPEN.
  public func create(
    _ name: Span<UInt8>, in parent: NodeID, mode: mode_t, flags: OpenFlags,
    reply: consuming Reply<Created>
  ) { reply.fail(.notImplemented) }
  /// Opens with the handle 0.
  public func open(_ node: NodeID, flags: OpenFlags, reply: consuming Reply<Opened>) {
    reply.succeed(Opened(HandleIdentifier(rawValue: 0)))
  }
  /// Answers ENOSYS.
  public func read(
    _ node: NodeID, at offset: Int64, handle: HandleIdentifier, flags: OpenFlags,
    reply: consuming Reply<Bytes>
  ) { reply.fail(.notImplemented) }
  /// Answers ENOSYS.
  public func write(
    _ bytes: RawSpan, to node: NodeID, at offset: Int64, handle: HandleIdentifier,
    flags: OpenFlags, reply: consuming Reply<Written>
  ) { reply.fail(.notImplemented) }
  /// Answers success.
  public func flush(
    _ node: NodeID, handle: HandleIdentifier, owner: LockOwner, reply: consuming Reply<Empty>
  ) { reply.succeed() }
  /// Answers success.
  public func release(
    _ node: NodeID, handle: HandleIdentifier, flags: OpenFlags, owner: LockOwner,
    reply: consuming Reply<Empty>
  ) { reply.succeed() }
  /// Answers success.
  public func fsync(
    _ node: NodeID, handle: HandleIdentifier, dataOnly: Bool, reply: consuming Reply<Empty>
  ) { reply.succeed() }
  /// Answers ENOSYS, which callers see as EOPNOTSUPP.
  public func fallocate(
    _ node: NodeID, handle: HandleIdentifier, mode: CInt, _ range: ByteRange,
    reply: consuming Reply<Empty>
  ) { reply.fail(.notImplemented) }
  /// Answers ENOSYS, whereupon the kernel shows the whole file as data.
  public func lseek(
    _ node: NodeID, handle: HandleIdentifier, from offset: Int64, _ target: SeekTarget,
    reply: consuming Reply<Offset>
  ) { reply.fail(.notImplemented) }
  /// Answers ENOSYS, whereupon the kernel reads and writes.
  public func copyFileRange(
    from source: (node: NodeID, handle: HandleIdentifier, offset: Int64),
    to target: (node: NodeID, handle: HandleIdentifier, offset: Int64), count: UInt64,
    reply: consuming Reply<Written>
  ) { reply.fail(.notImplemented) }
}

// Folders.
extension FuseOperations {
  /// Opens with the handle 0.
  public func opendir(_ node: NodeID, flags: OpenFlags, reply: consuming Reply<Opened>) {
    reply.succeed(Opened(HandleIdentifier(rawValue: 0)))
  }
  /// Answers ENOSYS.
  public func readdir(
    _ node: NodeID, from position: UInt64, handle: HandleIdentifier,
    reply: consuming DirectoryReply
  ) { reply.fail(.notImplemented) }
  /// Answers success.
  public func releasedir(
    _ node: NodeID, handle: HandleIdentifier, flags: OpenFlags, reply: consuming Reply<Empty>
  ) { reply.succeed() }
  /// Answers success.
  public func fsyncdir(
    _ node: NodeID, handle: HandleIdentifier, dataOnly: Bool, reply: consuming Reply<Empty>
  ) { reply.succeed() }
}

// Everything else.
extension FuseOperations {
  /// Shows an empty file system without limits.
  public func statfs(_ node: NodeID, reply: consuming Reply<Statistics>) {
    reply.succeed(Statistics())
  }
  /// Answers ENOSYS, which callers see as EOPNOTSUPP.
  public func setxattr(
    _ node: NodeID, _ name: Span<UInt8>, value: RawSpan, flags: ExtendedAttributeFlags,
    reply: consuming Reply<Empty>
  ) { reply.fail(.notImplemented) }
  /// Answers ENOSYS, which callers see as EOPNOTSUPP.
  public func getxattr(
    _ node: NodeID, _ name: Span<UInt8>, reply: consuming Reply<ExtendedAttribute>
  ) { reply.fail(.notImplemented) }
  /// Answers ENOSYS, which callers see as EOPNOTSUPP.
  public func listxattr(_ node: NodeID, reply: consuming Reply<ExtendedAttribute>) {
    reply.fail(.notImplemented)
  }
  /// Answers ENOSYS, which callers see as EOPNOTSUPP.
  public func removexattr(
    _ node: NodeID, _ name: Span<UInt8>, reply: consuming Reply<Empty>
  ) { reply.fail(.notImplemented) }
  /// Answers ENOTTY.
  public func ioctl(
    _ node: NodeID, handle: HandleIdentifier, command: UInt32, argument: UInt64, input: RawSpan,
    reply: consuming Reply<ControlResult>
  ) { reply.fail(.noSuchControl) }
  /// Answers ENOSYS.
  public func getlk(
    _ node: NodeID, handle: HandleIdentifier, owner: LockOwner, _ lock: FileLock,
    reply: consuming Reply<ConflictingLock>
  ) { reply.fail(.notImplemented) }
  /// Answers ENOSYS.
  public func setlk(
    _ node: NodeID, handle: HandleIdentifier, owner: LockOwner, _ lock: FileLock, waits: Bool,
    reply: consuming Reply<Empty>
  ) { reply.fail(.notImplemented) }
  /// Answers ENOSYS.
  public func flock(
    _ node: NodeID, handle: HandleIdentifier, owner: LockOwner, _ lock: WholeFileLock,
    reply: consuming Reply<Empty>
  ) { reply.fail(.notImplemented) }
}
