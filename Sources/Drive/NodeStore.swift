import Catalog
import Cloud
import Glibc
import Platform

/// Nodes by what the kernel calls them, kept small: there may be a million.
///
/// What every node has lies packed in chunks, which never move; what only open ones have lies apart. A
/// node costs about 100 bytes, at most 130 just after the table of places has grown.
struct NodeStore: Sendable {
  private var places: [NodeID: UInt32] = [:]
  private var chunks: [[Packed]] = []
  private var free: [UInt32] = []
  private var opens: [NodeID: Opens] = [:]

  private static let chunkSize = 1024

  /// What a node that is not open costs in a chunk, in bytes.
  static var bytesForEach: Int { MemoryLayout<Packed>.stride }

  /// How many there are.
  var count: Int { places.count }

  subscript(_ id: NodeID) -> Node? {
    get {
      guard let place = places[id] else { return nil }
      let packed = chunks[Int(place) / Self.chunkSize][Int(place) % Self.chunkSize]
      return packed.node(id, packed.isOpen ? opens[id] : nil)
    }
    set {
      guard let node = newValue else { return remove(id) }
      put(node, at: id)
    }
  }

  private mutating func put(_ node: Node, at id: NodeID) {
    let isOpen = node.openCount > 0 || node.isWriting
    if isOpen { opens[id] = Opens(node) } else if !opens.isEmpty { opens[id] = nil }
    let place = places[id] ?? takePlace(for: id)
    chunks[Int(place) / Self.chunkSize][Int(place) % Self.chunkSize] = Packed(node)
  }

  private mutating func takePlace(for id: NodeID) -> UInt32 {
    if free.isEmpty {
      let first = UInt32(chunks.count * Self.chunkSize)
      chunks.append(Array(repeating: Packed(Node.nothing), count: Self.chunkSize))
      free = (first..<first + UInt32(Self.chunkSize)).reversed()
    }
    let place = free.removeLast()
    places[id] = place
    return place
  }

  private mutating func remove(_ id: NodeID) {
    guard let place = places.removeValue(forKey: id) else { return }
    opens[id] = nil
    free.append(place)
    // After the kernel has forgotten nearly everything, its memory is given back.
    if chunks.count > 4, places.count < Self.chunkSize { shrink() }
  }

  private mutating func shrink() {
    let (places, old) = (places, self)
    self = NodeStore()
    for id in places.keys { self[id] = old[id] }
  }
}

/// What only nodes have that are open or being written.
private struct Opens: Sendable {
  let openCount: UInt32
  let directCount: UInt32
  let passthroughCount: UInt32
  let openers: [pid_t: UInt32]
  let writerCount: UInt32
  let isWriting: Bool

  init(_ node: Node) {
    openCount = node.openCount
    directCount = node.directCount
    passthroughCount = node.passthroughCount
    openers = node.openers
    writerCount = node.writerCount
    isWriting = node.isWriting
  }
}

/// What every node has, but what its identifier tells already.
private struct Packed: Sendable {
  let parent: InodeNumber
  let size: Int64
  let contentSerial: UInt64
  let lookupCount: UInt64
  let modified: Int64
  let created: Int64
  let changed: Int64
  let modifiedNanoseconds: Int32
  let createdNanoseconds: Int32
  let changedNanoseconds: Int32
  let permissions: UInt16
  let kind: ItemKind
  let residency: Residency
  let flags: Flags

  struct Flags: OptionSet {
    let rawValue: UInt8
    static let isPopulated = Flags(rawValue: 1)
    static let isCurrent = Flags(rawValue: 2)
    static let isRemoved = Flags(rawValue: 4)
    static let keepsContent = Flags(rawValue: 8)
    static let isOpen = Flags(rawValue: 16)
  }

  var isOpen: Bool { flags.contains(.isOpen) }

  init(_ node: Node) {
    let entry = node.entry
    parent = entry.parent
    size = entry.size
    contentSerial = entry.contentSerial
    lookupCount = node.lookupCount
    modified = entry.modified.seconds
    created = entry.created.seconds
    changed = entry.changed.seconds
    modifiedNanoseconds = entry.modified.nanoseconds
    createdNanoseconds = entry.created.nanoseconds
    changedNanoseconds = entry.changed.nanoseconds
    permissions = entry.permissions
    kind = entry.kind
    residency = entry.residency
    var flags: Flags = []
    if entry.isPopulated { flags.insert(.isPopulated) }
    if node.isCurrent { flags.insert(.isCurrent) }
    if node.isRemoved { flags.insert(.isRemoved) }
    if node.keepsContent { flags.insert(.keepsContent) }
    if node.openCount > 0 || node.isWriting { flags.insert(.isOpen) }
    self.flags = flags
  }

  func node(_ id: NodeID, _ opens: Opens?) -> Node {
    let entry = Entry(
      inode: id.inode, parent: parent, kind: kind, size: size,
      modified: Timestamp(seconds: modified, nanoseconds: modifiedNanoseconds),
      created: Timestamp(seconds: created, nanoseconds: createdNanoseconds),
      changed: Timestamp(seconds: changed, nanoseconds: changedNanoseconds),
      permissions: permissions, residency: residency, isPopulated: flags.contains(.isPopulated),
      contentSerial: contentSerial, epoch: id.epoch)
    var node = Node(entry: entry, lookupCount: lookupCount)
    if let opens {
      node.openCount = opens.openCount
      node.directCount = opens.directCount
      node.passthroughCount = opens.passthroughCount
      node.openers = opens.openers
      node.writerCount = opens.writerCount
      node.isWriting = opens.isWriting
    }
    node.isCurrent = flags.contains(.isCurrent)
    node.isRemoved = flags.contains(.isRemoved)
    node.keepsContent = flags.contains(.keepsContent)
    return node
  }
}

extension Node {
  /// Fills places that hold no node.
  fileprivate static let nothing = Node(
    entry: Entry(
      inode: .root, parent: .root, kind: .file, size: 0, modified: Timestamp(seconds: 0),
      created: Timestamp(seconds: 0), changed: Timestamp(seconds: 0), permissions: 0,
      residency: .dataless, isPopulated: false, contentSerial: 0, epoch: 0))
}
