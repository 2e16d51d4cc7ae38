import Fuse
import Glibc
import Platform

extension FixedFiles {
  func create(
    _ name: Span<UInt8>, in parent: NodeID, mode: mode_t, flags: OpenFlags,
    reply: consuming Reply<Created>
  ) {
    note("create \(String(mode, radix: 8)) umask \(String(reply.umask, radix: 8))")
    reply.succeed(
      Created(Self.entry, Opened(HandleIdentifier(rawValue: 11), mode: [.keepCache])))
  }

  func open(_ node: NodeID, flags: OpenFlags, reply: consuming Reply<Opened>) {
    let handle = HandleIdentifier(rawValue: 42)
    let mode: OpenMode = [.directIO, .nonSeekable, .noFlush, .parallelDirectWrites]
    if node.rawValue == 5 {
      let backing = BackingFile.Identifier(rawValue: 17)
      reply.succeed(Opened(handle, mode: .noFlush, backing: backing))
    } else {
      reply.succeed(Opened(handle, mode: mode))
    }
  }

  func read(
    _ node: NodeID, at offset: Int64, handle: HandleIdentifier, flags: OpenFlags,
    reply: consuming Reply<Bytes>
  ) {
    note("read \(handle.rawValue) at \(offset), \(reply.limit)")
    switch node.rawValue {
    case 1: reply.succeed(Array("0123456789".utf8))
    case 2: reply.succeed(.none)
    case 3:
      reply.succeed { (buffer) throws(Errno) in
        buffer.copyBytes(from: "filled".utf8)
        return 6
      }
    default: reply.succeed { (_) throws(Errno) in throw .stale }
    }
  }

  func write(
    _ bytes: RawSpan, to node: NodeID, at offset: Int64, handle: HandleIdentifier,
    flags: OpenFlags, reply: consuming Reply<Written>
  ) {
    let content = [UInt8](copying: bytes)
    note("write \(String(decoding: content, as: UTF8.self)) at \(offset)")
    reply.succeed(Written(content.count))
  }

  func lseek(
    _ node: NodeID, handle: HandleIdentifier, from offset: Int64, _ target: SeekTarget,
    reply: consuming Reply<Offset>
  ) { reply.succeed(Offset(offset + 4096)) }

  func statfs(_ node: NodeID, reply: consuming Reply<Statistics>) {
    reply.succeed(
      Statistics(
        blockSize: 4096, blocks: 100, freeBlocks: 50, availableBlocks: 40, files: 30,
        freeFiles: 20))
  }

  func readdir(
    _ node: NodeID, from position: UInt64, handle: HandleIdentifier,
    reply: consuming DirectoryReply
  ) {
    let dot = Array(".".utf8)
    if position == 0 {
      _ = reply.append(dot.span, inode: .root, kind: UInt32(S_IFDIR), next: 1)
    }
    var next = max(position, 1)
    while next < 1000 {
      let name = Array("entry\(next)".utf8)
      guard reply.append(name.span, Self.entry, next: next + 1) else { break }
      next += 1
    }
    note("readdir from \(position) to \(next)")
    reply.finish()
  }

  func getxattr(
    _ node: NodeID, _ name: Span<UInt8>, reply: consuming Reply<ExtendedAttribute>
  ) { reply.succeed(Array("value".utf8)) }

  func setxattr(
    _ node: NodeID, _ name: Span<UInt8>, value: RawSpan, flags: ExtendedAttributeFlags,
    reply: consuming Reply<Empty>
  ) {
    let text = String(decoding: [UInt8](copying: value), as: UTF8.self)
    note("setxattr \(String(decoding: [UInt8](copying: name), as: UTF8.self))=\(text)")
    reply.succeed()
  }

  func getlk(
    _ node: NodeID, handle: HandleIdentifier, owner: LockOwner, _ lock: FileLock,
    reply: consuming Reply<ConflictingLock>
  ) {
    note("getlk \(lock.kind) \(lock.start)+\(lock.count)")
    reply.succeed(ConflictingLock(FileLock(kind: .write, start: 10, count: 20, process: 99)))
  }
}
