import Catalog
import Cloud
import Platform
import Testing

@testable import Drive

struct NodeStoreTests {
  @Test func `it holds what it was given, as a dictionary does`() {
    let draw = KeyedRandom(seed: 7)
    var store = NodeStore()
    var model: [NodeID: Node] = [:]
    for step in 0..<20_000 {
      let number = { (what: String, bound: UInt64) in
        draw.draw(below: bound, what, "", occurrence: UInt64(step))
      }
      // It grows, and then it is nearly emptied.
      let removes = step < 12_000 ? 2 : 9
      let inode = InodeNumber(rawValue: 16 + number("inode", 9000))
      let id = NodeID(inode: inode, epoch: UInt16(number("epoch", 2)), isStub: number("s", 9) == 0)
      if number("what", 10) < removes {
        store[id] = nil
        model[id] = nil
      } else {
        let node = node(id, number)
        store[id] = node
        model[id] = node
      }
      #expect(store.count == model.count)
    }
    for (id, node) in model { #expect(store[id].map(describe) == describe(node)) }
    #expect(store[NodeID(inode: .root)] == nil)
  }

  @Test func `a node costs little`() {
    #expect(NodeStore.bytesForEach <= 80)
  }

  private func node(_ id: NodeID, _ number: @escaping (String, UInt64) -> UInt64) -> Node {
    let time = { (what: String) in
      Timestamp(seconds: Int64(number(what, 1 << 40)), nanoseconds: Int32(number(what, 999)))
    }
    var node = Node(
      entry: Entry(
        inode: id.inode, parent: .root, kind: ItemKind.allCases[Int(number("kind", 3))],
        size: Int64(number("size", 1 << 50)), modified: time("m"), created: time("c"),
        changed: time("n"), permissions: UInt16(number("mode", 4096)),
        residency: Residency(rawValue: UInt8(number("r", 3))) ?? .dataless,
        isPopulated: number("p", 2) == 0, contentSerial: number("serial", 1 << 60),
        epoch: id.epoch), lookupCount: number("count", 1 << 40))
    if number("open", 4) == 0 {
      node.openCount = 3
      node.directCount = 2
      node.passthroughCount = 1
      node.openers = [17: 3]
    }
    node.isCurrent = number("current", 2) == 0
    node.isRemoved = number("removed", 2) == 0
    node.keepsContent = number("keeps", 2) == 0
    return node
  }

  private func describe(_ node: Node) -> String { "\(node)" }
}
