import Fuse
import Glibc
import Platform

extension MemoryFiles {
  func lookup(_ name: Span<UInt8>, in parent: NodeID, reply: consuming Reply<Entry>) {
    let text = String(decoding: [UInt8](copying: name), as: UTF8.self)
    if parent == .root, let node = Self.node(text) {
      reply.succeed(entry(node))
    } else if Self.name(parent) == "folder", text.hasPrefix("entry"),
      let number = UInt64(text.dropFirst(5)), number < Self.folderCount
    {
      reply.succeed(entry(NodeID(rawValue: 1000 + number)))
    } else {
      reply.fail(.noSuchFile)
    }
  }

  func getattr(
    _ node: NodeID, handle: HandleIdentifier?, reply: consuming Reply<TimedAttributes>
  ) {
    reply.succeed(TimedAttributes(attributes(node), timeout: Self.always))
  }

  func readlink(_ node: NodeID, reply: consuming Reply<Target>) {
    reply.succeed(Array("hello".utf8))
  }

  func open(_ node: NodeID, flags: OpenFlags, reply: consuming Reply<Opened>) {
    let handle = HandleIdentifier(rawValue: node.rawValue)
    switch Self.name(node) {
    case "slow": reply.succeed(Opened(handle, mode: .directIO))
    case "backed":
      guard let backing = backing() else {
        reply.fail(.notPermitted)
        return
      }
      reply.succeed(Opened(handle, mode: .noFlush, backing: backing.identifier))
    default: reply.succeed(Opened(handle, mode: .keepCache))
    }
  }

  func read(
    _ node: NodeID, at offset: Int64, handle: HandleIdentifier, flags: OpenFlags,
    reply: consuming Reply<Bytes>
  ) {
    if Self.name(node) == "slow", offset == 0 {
      let slot = ReplySlot(reply) { $0.take()?.fail(.interrupted) }
      state.withLock { $0.held.append(slot) }
      say("held")
      return
    }
    let text = state.withLock { state in Self.name(node).flatMap { state.texts[$0] } ?? [] }
    reply.succeed(Array(text.dropFirst(Int(offset))))
  }

  func readdir(
    _ node: NodeID, from position: UInt64, handle: HandleIdentifier,
    reply: consuming DirectoryReply
  ) {
    let isRoot = node == .root
    let count = isRoot ? Self.names.count : Self.folderCount
    var index = Int(position)
    while index < count {
      let name = isRoot ? Self.names[index] : "entry\(index)"
      let child = NodeID(rawValue: UInt64(isRoot ? 16 + index : 1000 + index))
      guard reply.append(Array(name.utf8).span, entry(child), next: UInt64(index + 1)) else {
        break
      }
      index += 1
    }
    reply.finish()
  }

  func getxattr(
    _ node: NodeID, _ name: Span<UInt8>, reply: consuming Reply<ExtendedAttribute>
  ) {
    if [UInt8](copying: name) == Array("user.color".utf8) {
      reply.succeed(Array("green".utf8))
    } else {
      reply.fail(.noData)
    }
  }

  func listxattr(_ node: NodeID, reply: consuming Reply<ExtendedAttribute>) {
    reply.succeed(Array("user.color\0".utf8))
  }

  private func backing() -> BackingFile? {
    if let backing = state.withLock({ $0.backing }) { return backing }
    guard let path = state.withLock({ $0.backingPath }),
      let file = try? FileDescriptor.open(path, O_RDWR),
      let backing = try? passthrough.register(file.rawValue)
    else { return nil }
    state.withLock { $0.backing = backing }
    return backing
  }
}
