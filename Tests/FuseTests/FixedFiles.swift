import Fuse
import Glibc
import Platform

/// A file system for the stub: fixed answers, and a record of what reached it.
final class FixedFiles: FuseOperations {
  struct State: Sendable {
    var calls: [String] = []
    var held: [ReplySlot<TimedAttributes>] = []
    var agreement: Agreement?
    var end: SessionEnd?
    var interrupts = 0
  }

  let state = Locked(State())
  private let holdsAttributes: Bool
  private let changed = EventSignal()

  static let attributes = Attributes(
    inode: InodeNumber(rawValue: 7), mode: S_IFREG | 0o640, linkCount: 3, user: 10, group: 20,
    device: 5, size: 1234, blocks: 8, blockSize: 512,
    modificationTime: Timestamp(seconds: 300, nanoseconds: 3),
    accessTime: Timestamp(seconds: -1, nanoseconds: 2),
    changeTime: Timestamp(seconds: 400, nanoseconds: 4))
  static let entry = Entry(
    node: NodeID(rawValue: 77), generation: 9, attributes: attributes,
    entryTimeout: CacheTimeout(seconds: 5, nanoseconds: 6),
    attributeTimeout: CacheTimeout.milliseconds(1500))

  init(holdsAttributes: Bool = false) { self.holdsAttributes = holdsAttributes }

  func note(_ call: String) {
    state.withLock { $0.calls.append(call) }
    changed.signal()
  }

  var calls: [String] { state.withLock { $0.calls } }

  /// Returns when a condition holds that a call may have made true.
  func wait(until condition: (State) -> Bool) {
    while !condition(state.withLock { $0 }) { changed.wait() }
  }

  func sessionWillStart(_ agreement: Agreement) { state.withLock { $0.agreement = agreement } }

  func sessionDidEnd(_ reason: SessionEnd) {
    state.withLock { $0.end = reason }
    note("end")
  }

  func lookup(_ name: Span<UInt8>, in parent: NodeID, reply: consuming Reply<Entry>) {
    let text = String(decoding: [UInt8](copying: name), as: UTF8.self)
    note("lookup \(text) in \(parent) by \(reply.caller.user)")
    switch text {
    case "file": reply.succeed(Self.entry)
    case "absent": reply.succeed(.negative(timeout: CacheTimeout(seconds: 60)))
    case "dropped": return
    case "odd": reply.fail(Errno(rawValue: 0))
    default: reply.fail(.noSuchFile)
    }
  }

  func forget(_ node: NodeID, count: UInt64) { note("forget \(node) \(count)") }

  func getattr(
    _ node: NodeID, handle: HandleIdentifier?, reply: consuming Reply<TimedAttributes>
  ) {
    guard holdsAttributes else {
      note("getattr \(node) \(handle.map { "\($0.rawValue)" } ?? "-")")
      reply.succeed(TimedAttributes(Self.attributes, timeout: CacheTimeout(seconds: 2)))
      return
    }
    let slot = ReplySlot(reply) { [weak self] slot in
      self?.state.withLock { $0.interrupts += 1 }
      slot.take()?.fail(.interrupted)
    }
    state.withLock { $0.held.append(slot) }
    note("held \(node)")
  }

  func setattr(
    _ node: NodeID, _ changes: AttributeChanges, handle: HandleIdentifier?,
    reply: consuming Reply<TimedAttributes>
  ) {
    note("setattr \(changes)")
    reply.succeed(TimedAttributes(Self.attributes))
  }

  func readlink(_ node: NodeID, reply: consuming Reply<Target>) {
    reply.succeed(Array("to/there".utf8))
  }

  func rename(
    _ name: Span<UInt8>, in parent: NodeID, to newName: Span<UInt8>, in newParent: NodeID,
    flags: RenameFlags, reply: consuming Reply<Empty>
  ) {
    let (old, new) = ([UInt8](copying: name), [UInt8](copying: newName))
    note(
      "rename \(String(decoding: old, as: UTF8.self)) in \(parent) to"
        + " \(String(decoding: new, as: UTF8.self)) in \(newParent), \(flags.rawValue)")
    reply.succeed()
  }
}
