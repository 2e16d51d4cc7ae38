internal import Platform

/// What an account holds, as a plain value: the items, who lies in whom, and the history.
///
/// - Invariant: every node but the root is in the `children` and the `order` of its parent.
/// - Invariant: `usedBytes` is the sum of the sizes of all files.
struct MemoryTree: Sendable {
  struct Node: Sendable {
    var item: Item
    var serial: UInt64
    var content: [UInt8] = []
    var children: [FileName: UInt64] = [:]
    // Ascending; serials never change, so a page token made of one survives renames.
    var order: [UInt64] = []
  }

  private(set) var nodes: [UInt64: Node] = [:]
  private(set) var usedBytes: Int64 = 0
  var history: ChangeHistory
  let quota: Int64?
  private var lastSerial: UInt64 = 0
  private var lastVersion: UInt64 = 0

  init(quota: Int64?, historyLimit: Int, now: Timestamp) {
    self.quota = quota
    history = ChangeHistory(limit: historyLimit)
    let root = Item(
      identifier: .root, parent: .root, name: nil, kind: .folder, size: 0, modified: now,
      created: now, version: ItemVersion(content: "c0", metadata: "m0"))
    nodes[0] = Node(item: root, serial: 0)
  }

  static func serial(of identifier: ItemIdentifier) -> UInt64? {
    if identifier == .root { return 0 }
    guard identifier.rawValue.first == "i" else { return nil }
    return UInt64(identifier.rawValue.dropFirst())
  }

  func node(_ identifier: ItemIdentifier) throws(CloudError) -> Node {
    guard let serial = Self.serial(of: identifier), let node = nodes[serial] else {
      throw CloudError(.notFound, "There is no item \(identifier).")
    }
    return node
  }

  func folder(_ identifier: ItemIdentifier) throws(CloudError) -> Node {
    let node = try node(identifier)
    guard node.item.kind == .folder else {
      throw CloudError(.failed, "The item \(identifier) is not a folder.")
    }
    return node
  }

  func child(_ name: FileName, of folder: Node) -> Node? {
    folder.children[name].flatMap { nodes[$0] }
  }

  /// Whether `serial` is `folder` or lies somewhere in it.
  func contains(_ folder: UInt64, _ serial: UInt64) -> Bool {
    var place = serial
    while place != folder {
      guard place != 0, let node = nodes[place],
        let parent = Self.serial(of: node.item.parent)
      else { return false }
      place = parent
    }
    return true
  }

  mutating func nextVersion() -> UInt64 {
    lastVersion += 1
    return lastVersion
  }

  mutating func nextSerial() -> UInt64 {
    lastSerial += 1
    return lastSerial
  }

  /// Puts a node in, or back in, under its item's parent and name.
  mutating func attach(_ node: Node) {
    nodes[node.serial] = node
    guard let name = node.item.name, let parent = Self.serial(of: node.item.parent) else { return }
    nodes[parent]?.children[name] = node.serial
    let order = nodes[parent]?.order ?? []
    let place = order.partitioningIndex { $0 >= node.serial }
    nodes[parent]?.order.insert(node.serial, at: place)
    usedBytes += node.item.size
  }

  /// Puts a changed node in the place that it has already.
  mutating func replaceNode(_ node: Node, sizeChange: Int64) {
    nodes[node.serial] = node
    usedBytes += sizeChange
  }

  /// Takes a node out of its folder; what lies in it stays with it.
  mutating func detach(_ node: Node) {
    guard let name = node.item.name, let parent = Self.serial(of: node.item.parent) else { return }
    nodes[parent]?.children[name] = nil
    let order = nodes[parent]?.order ?? []
    let place = order.partitioningIndex { $0 >= node.serial }
    if place < order.count { nodes[parent]?.order.remove(at: place) }
    nodes[node.serial] = nil
    usedBytes -= node.item.size
  }

  /// Takes a node out with everything in it.
  mutating func detachRecursively(_ node: Node) {
    var rest = [node]
    while let next = rest.popLast() {
      rest.append(contentsOf: next.order.compactMap { nodes[$0] })
      detach(next)
    }
  }
}

extension Array {
  /// The first index whose element satisfies a condition that, once true, stays true.
  func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
