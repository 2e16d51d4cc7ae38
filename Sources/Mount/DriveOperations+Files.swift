import Cloud
import Drive
public import Fuse
import Glibc
public import Platform

extension DriveOperations {
  /// Opens a document.
  public func open(_ node: NodeID, flags: OpenFlags, reply: consuming Reply<Opened>) {
    let outcome = drive.open(node, flags: flags.rawValue, reply.caller)
    let canWrite = flags.canWrite
    answer(outcome, reply) { [self] reply, item in
      var opened = opened(item, node)
      // A writer's close tells when a document may be sent; a reader's tells nothing.
      if canWrite { opened.mode.remove(.noFlush) }
      if !reply.succeed(opened) { close(item.handle, node) }
    }
  }

  private func opened(_ item: OpenedItem, _ node: NodeID) -> Opened {
    switch item.route {
    // The pages of a node are of one version, so they are always right. Without `keepCache` the kernel
    // drops them at each open, and that waits, with no way out, for a page that another one waits for.
    case .direct: Opened(item.handle, mode: [.directIO, .keepCache, .noFlush])
    case .cached: Opened(item.handle, mode: [.keepCache, .noFlush])
    case .passthrough: backed(item, node, mode: .noFlush)
    case .beside: backed(item, node, mode: [.directIO, .noFlush])
    }
  }

  private func backed(_ item: OpenedItem, _ node: NodeID, mode: OpenMode) -> Opened {
    let backing = backings.open(node) { drive.contentFile(of: item.handle)?.number }
    return Opened(item.handle, mode: mode, backing: backing)
  }

  /// Reads bytes of an open document.
  public func read(
    _ node: NodeID, at offset: Int64, handle: HandleIdentifier, flags: OpenFlags,
    reply: consuming Reply<Bytes>
  ) {
    let range = ByteRange(offset: offset, count: Int64(reply.limit))
    let outcome = drive.read(range, of: handle, node, reply.caller)
    answer(outcome, reply) { reply, source in
      switch source {
      case .bytes(let bytes): reply.succeed(Array(bytes))
      case .file(let file, let range):
        reply.succeed(filling: { buffer throws(Errno) in
          let window = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(range.count)))
          return try file.read(into: window, at: range.offset)
        })
      }
    }
  }

  /// The last descriptor of a document is gone.
  public func release(
    _ node: NodeID, handle: HandleIdentifier, flags: OpenFlags, owner: LockOwner,
    reply: consuming Reply<Empty>
  ) {
    close(handle, node)
    reply.succeed()
  }

  func close(_ handle: HandleIdentifier, _ node: NodeID) {
    if drive.close(handle)?.isBacked == true { backings.close(node) }
  }
}
