import Fuse
import Glibc
import Platform

/// A fixed tree with changeable texts: `hello`, `slow` (whose reads are held), `backed` (passed
/// through to a file), `link`, and `folder` with 1,000 entries.
final class MemoryFiles: FuseOperations {
  struct State: Sendable {
    var texts: [String: [UInt8]] = [
      "hello": Array("hello, world\n".utf8), "slow": Array("at last\n".utf8), "backed": [],
    ]
    var held: [ReplySlot<Bytes>] = []
    var backingPath: String?
    var backing: BackingFile?
  }

  let notifier = Notifier()
  let passthrough = Passthrough()
  let state = Locked(State())
  static let names = ["hello", "slow", "backed", "link", "folder"]
  static let folderCount = 1000
  static let always = CacheTimeout.forever

  func setText(_ text: String, of name: String) {
    state.withLock { $0.texts[name] = Array((text + "\n").utf8) }
    say("done")
  }

  func back(withFile path: String) { state.withLock { $0.backingPath = path } }

  func invalidate(_ name: String) {
    guard let node = Self.node(name) else { return }
    notifier.post(.invalidateInode(node))
    notifier.post(.expireEntry(Array(name.utf8), in: .root))
    notifier.drain { say("invalidated") }
  }

  func release() {
    let (held, text) = state.withLock { state in
      defer { state.held = [] }
      return (state.held, state.texts["slow"] ?? [])
    }
    for slot in held { slot.take()?.succeed(text) }
    say("released \(held.count)")
  }

  func sessionWillStop() {
    for slot in state.withLock({ $0.held }) { slot.take()?.fail(.io) }
  }

  static func node(_ name: String) -> NodeID? {
    names.firstIndex(of: name).map { NodeID(rawValue: UInt64($0) + 16) }
  }

  static func name(_ node: NodeID) -> String? {
    let index = Int(node.rawValue) - 16
    return names.indices.contains(index) ? names[index] : nil
  }

  func attributes(_ node: NodeID) -> Attributes {
    let inode = node.inode
    let name = Self.name(node)
    if node == .root || name == "folder" {
      return Attributes(inode: inode, mode: S_IFDIR | 0o755, linkCount: 2)
    }
    if name == "link" { return Attributes(inode: inode, mode: S_IFLNK | 0o777, size: 5) }
    let text = state.withLock { state in name.flatMap { state.texts[$0] } }
    var size = Int64(text?.count ?? 0)
    if name == "backed", let path = state.withLock({ $0.backingPath }) {
      var status = stat()
      if stat(path, &status) == 0 { size = Int64(status.st_size) }
    }
    return Attributes(inode: inode, mode: S_IFREG | 0o644, size: size, blocks: (size + 511) / 512)
  }

  func entry(_ node: NodeID) -> Entry {
    Entry(
      node: node, attributes: attributes(node), entryTimeout: Self.always,
      attributeTimeout: Self.always)
  }
}
