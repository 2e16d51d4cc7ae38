import Catalog
import Cloud
import Glibc
import Platform

/// The nodes that the kernel knows, and the open files and folders.
///
/// INVARIANT: the node of an open handle is in `nodes`, and its `openCount` counts it.
struct NodeTable: Sendable {
  private(set) var nodes = NodeStore()
  private(set) var handles: [HandleIdentifier: OpenItem] = [:]
  /// The content files of nodes that are being written, open for writing.
  private(set) var written: [NodeID: ContentFile] = [:]
  /// Grows with every change of rows, so that a row read before a change is not put in after it.
  private(set) var generation: UInt64 = 0
  private var nextHandle: UInt64 = 1

  subscript(_ id: NodeID) -> Node? { nodes[id] }

  /// Counts one look-up of a row read at `readAt`; nil when the rows have changed since.
  ///
  /// A node that another one has replaced is given out only if nothing newer was read.
  mutating func remember(
    _ id: NodeID, _ entry: @autoclosure () -> Entry, readAt: UInt64
  ) -> Node? {
    if var known = nodes[id] {
      guard known.isCurrent || readAt == generation else { return nil }
      known.lookupCount += 1
      nodes[id] = known
      return known
    }
    guard readAt == generation else { return nil }
    let node = Node(entry: entry(), lookupCount: 1)
    nodes[id] = node
    return node
  }

  /// The kernel forgot `count` look-ups.
  ///
  /// - Returns: the node, if that was the last use of it.
  mutating func forget(_ id: NodeID, count: UInt64) -> Node? {
    guard var node = nodes[id] else { return nil }
    // The root is known from the start without a look-up, so its count may be below what is forgotten.
    node.lookupCount -= min(count, node.lookupCount)
    return settle(id, node)
  }

  mutating func open(
    _ id: NodeID, _ entry: Entry, _ route: ByteRoute, by process: pid_t,
    writing: Bool = false
  ) -> OpenItem {
    var node = nodes[id] ?? Node(entry: entry)
    node.openCount += 1
    if writing { node.writerCount += 1 }
    if process != 0 { node.openers[process, default: 0] += 1 }
    if route == .direct { node.directCount += 1 }
    if route.isBacked { node.passthroughCount += 1 }
    nodes[id] = node
    let item = OpenItem(
      identifier: .init(serial: nextHandle, route: route, isFolder: entry.kind == .folder),
      node: id,
      route: route, contentSerial: node.entry.contentSerial, size: node.entry.size,
      process: process, isWriter: writing)
    nextHandle += 1
    handles[item.identifier] = item
    return item
  }

  /// A handle writes no more.
  ///
  /// - Returns: the node, if nobody else can write it.
  mutating func stopWriting(_ identifier: HandleIdentifier) -> NodeID? {
    guard let item = handles[identifier], item.isWriter, var node = nodes[item.node] else {
      return nil
    }
    handles[identifier]?.isWriter = false
    node.writerCount -= 1
    nodes[item.node] = node
    guard node.writerCount == 0 else { return nil }
    written[item.node] = nil
    return item.node
  }

  /// Closes a handle, which must not be a writer's any more.
  ///
  /// - Returns: what was open, and the node if that was the last use of it.
  mutating func close(_ identifier: HandleIdentifier) -> (item: OpenItem, last: Node?)? {
    guard let item = handles.removeValue(forKey: identifier), var node = nodes[item.node] else {
      return nil
    }
    node.openCount -= 1
    if item.process != 0 {
      let rest = (node.openers[item.process] ?? 1) - 1
      node.openers[item.process] = rest > 0 ? rest : nil
    }
    if item.route == .direct { node.directCount -= 1 }
    if item.route.isBacked { node.passthroughCount -= 1 }
    return (item, settle(item.node, node))
  }

  /// Keeps a handle's content file open.
  mutating func keep(_ content: ContentFile, for handle: HandleIdentifier) {
    handles[handle]?.content = content
  }

  /// Keeps the file that everybody writes to who has the node open.
  mutating func keepWritten(_ content: ContentFile, for id: NodeID) { written[id] = content }

  mutating func dropWritten(_ id: NodeID) { written[id] = nil }

  /// Everybody who has the node open reads its new content from now on.
  mutating func rebase(_ id: NodeID, on serial: UInt64) {
    for (identifier, item) in handles where item.node == id {
      handles[identifier]?.contentSerial = serial
      handles[identifier]?.content = nil
    }
  }

  /// Rows have changed: brings the nodes that show them up to date.
  mutating func update(_ id: NodeID, _ change: (inout Node) -> Void) {
    if var node = nodes[id] {
      change(&node)
      nodes[id] = node
    }
  }

  /// Says that rows of the catalog have changed.
  mutating func rowsChanged() { generation += 1 }

  /// Forgets a node that nobody needs any more.
  ///
  /// - Returns: the node, if so.
  mutating func settle(_ id: NodeID) -> Node? { nodes[id].flatMap { settle(id, $0) } }

  private mutating func settle(_ id: NodeID, _ node: Node) -> Node? {
    guard !node.isNeeded, id != .root else {
      nodes[id] = node
      return nil
    }
    nodes[id] = nil
    return node
  }
}
