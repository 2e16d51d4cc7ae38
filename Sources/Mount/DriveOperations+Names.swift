import Cloud
import Drive
public import Fuse
import Glibc
public import Platform

extension DriveOperations {
  /// Finds a name in a folder.
  public func lookup(_ name: Span<UInt8>, in parent: NodeID, reply: consuming Reply<Entry>) {
    let time = drive.beginAnswer()
    defer { drive.endAnswer(time) }
    let outcome = drive.lookup(name, in: parent, reply.caller)
    answer(outcome, reply) { [drive, view] reply, result in
      switch result {
      case .knownMissing: reply.succeed(.negative(timeout: .forever))
      case .found(let found):
        if !reply.succeed(view.entry(found)) { drive.forget(found.node, count: 1) }
      }
    }
  }

  /// The kernel drops lookups of a node.
  public func forget(_ node: NodeID, count: UInt64) { drive.forget(node, count: count) }

  /// The kernel drops lookups of many nodes.
  public func forget(_ batch: Span<Forgotten>) {
    for index in batch.indices { drive.forget(batch[index].node, count: batch[index].count) }
  }

  /// Shows attributes.
  public func getattr(
    _ node: NodeID, handle: HandleIdentifier?, reply: consuming Reply<TimedAttributes>
  ) {
    let outcome = drive.attributes(of: node, reply.caller)
    answer(outcome, reply) { [view] reply, attributes in reply.succeed(view.timed(attributes)) }
  }

  /// Checks a permission.
  public func access(_ node: NodeID, _ mask: AccessMask, reply: consuming Reply<Empty>) {
    let outcome = drive.access(node, mask: mask.rawValue, reply.caller)
    answer(outcome, reply) { reply, _ in reply.succeed() }
  }

  /// Reads the target of a symbolic link.
  public func readlink(_ node: NodeID, reply: consuming Reply<Target>) {
    answer(drive.target(of: node, reply.caller), reply) { reply, target in reply.succeed(target) }
  }

  /// Shows the room of the account.
  public func statfs(_ node: NodeID, reply: consuming Reply<Statistics>) {
    drive.endWalk(at: node, reply.caller)
    let room = drive.room()
    let size: Int64 = 4096
    // An account without a limit shows as 1 TiB more than it holds.
    let total = (room.total ?? room.used + 1 << 40) / size
    let free = UInt64(max(0, total - (room.used + size - 1) / size))
    reply.succeed(
      Statistics(
        blockSize: UInt32(size), blocks: UInt64(total), freeBlocks: free, availableBlocks: free,
        files: 1 << 32, freeFiles: 1 << 31))
  }
}
