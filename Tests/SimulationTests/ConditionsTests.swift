import Cloud
import Platform
import Simulation
import Testing

@Suite(.timeLimit(.minutes(15)))
struct ConditionsTests {
  private let world = TestWorld()

  @Test("A perfect network adds nothing")
  func perfect() async throws {
    try world.store.put("hello", at: "a")
    let sink = RecordingSink()
    #expect(try await world.read("a", into: sink).value == nil)
    #expect(sink.text == "hello")
    #expect(world.clock.pendingCount == 0)
  }

  @Test("Every call takes the latency, by the world's clock")
  func latency() async throws {
    world.conditions.change { $0.latency = .seconds(2) }
    let cloud = world.cloud
    let task = Task { try await cloud.item(.root, cause: .housekeeping) }
    try await world.clock.waitForPending()
    #expect(world.clock.nextDeadline == WorldTime.zero + .seconds(2))
    world.clock.advance(by: .seconds(2))
    #expect(try await task.value.identifier == .root)
  }

  @Test("A latency that is shortened while a call waits holds at once")
  func shorterLatency() async throws {
    world.conditions.change { $0.latency = .seconds(100) }
    let cloud = world.cloud
    let task = Task { try await cloud.item(.root, cause: .housekeeping) }
    try await world.clock.waitForPending()
    world.conditions.change { $0.latency = .zero }
    _ = try await task.value
  }

  @Test(
    "Every call fails while there is no network, and works when it is back",
    arguments: [true, false])
  func offline(_ isBack: Bool) async throws {
    let item = try world.store.put("x", at: "a")
    let cloud = world.cloud
    world.conditions.goOffline()
    if isBack { world.conditions.goOnline() }
    let name = try #require(FileName("b"))
    let template = ItemTemplate(parent: .root, name: name, kind: .file, modified: .now)
    let anchor = try await world.store.currentAnchor(cause: .housekeeping)
    let codes = [
      await code { _ = try await cloud.item(.root, cause: .housekeeping) },
      await code { _ = try await cloud.enumerate(.root, page: nil, cause: .housekeeping) },
      await code { _ = try await cloud.currentAnchor(cause: .housekeeping) },
      await code { _ = try await cloud.changes(since: anchor, cause: .housekeeping) },
      await code { _ = try await cloud.quota(cause: .housekeeping) },
      await code { _ = try await cloud.create(template, content: nil, cause: .housekeeping) },
      await code {
        _ = try await cloud.modify(
          item.identifier, base: nil, changes: ItemChanges(), content: nil, cause: .housekeeping)
      },
      await code {
        _ = try await cloud.move(
          item.identifier, to: .root, name: name, base: nil, replacing: true,
          cause: .housekeeping)
      },
      await code {
        try await cloud.delete(
          item.identifier, base: nil, recursively: false, cause: .housekeeping)
      },
    ]
    #expect(codes == Array(repeating: isBack ? nil : .offline, count: 9))
    #expect(world.store.paths == (isBack ? [] : ["/a"]))
  }

  @Test("A call that waits for latency fails at once when the network goes")
  func offlineDuringLatency() async throws {
    world.conditions.change { $0.latency = .seconds(100) }
    let cloud = world.cloud
    let task = Task { await code { _ = try await cloud.item(.root, cause: .housekeeping) } }
    try await world.clock.waitForPending()
    world.conditions.goOffline()
    #expect(await task.value == .offline)
    #expect(world.clock.pendingCount == 0)
  }

  @Test("Content arrives at the bandwidth")
  func bandwidth() async throws {
    try world.store.put([UInt8](repeating: 1, count: 100_000), at: "a")
    world.conditions.change { $0.downloadRate = 10_000 }
    let sink = RecordingSink()
    let task = try world.read("a", into: sink)
    try await world.clock.waitForPending()
    #expect(sink.count == 0)
    world.clock.advance(by: .seconds(1))
    await sink.awaitBytes(9_000)
    try await world.clock.waitForPending()
    #expect(sink.count <= 10_000)
    world.clock.advance(to: .zero + .seconds(10))
    #expect(await task.value == nil)
    #expect(sink.count == 100_000)
  }

  @Test("A clock that jumps brings all that falls into the jump, and nothing more")
  func jump() async throws {
    try world.store.put([UInt8](repeating: 1, count: 100_000), at: "a")
    world.conditions.change { $0.downloadRate = 10_000 }
    let sink = RecordingSink()
    let task = try world.read("a", into: sink)
    try await world.clock.waitForPending()
    world.clock.advance(by: .seconds(5))
    try await world.clock.waitForPending()
    #expect((49_000...50_000).contains(sink.count))
    world.clock.advance(by: .seconds(5))
    #expect(await task.value == nil)
  }

  @Test("A bandwidth that changes while a transfer waits holds for what is left")
  func changedBandwidth() async throws {
    try world.store.put([UInt8](repeating: 1, count: 1000), at: "a")
    world.conditions.change { $0.downloadRate = 100 }
    let sink = RecordingSink()
    let task = try world.read("a", into: sink)
    try await world.clock.waitForPending()
    #expect(world.clock.nextDeadline == .zero + .seconds(10))
    world.clock.advance(by: .seconds(5))
    world.conditions.change { $0.downloadRate = 500 }
    // Half has come; the other 500 bytes take one second more.
    try await world.clock.waitForNextDeadline(.zero + .seconds(6))
    world.clock.advance(by: .seconds(1))
    #expect(await task.value == nil)
    #expect(sink.count == 1000)
  }

  @Test(
    "At bandwidth 0 a transfer stands still until that changes, it is cancelled, or offline",
    arguments: ["rate", "cancel", "offline"])
  func standstill(_ end: String) async throws {
    try world.store.put("hello", at: "a")
    // The latency tells when the transfer has begun.
    world.conditions.change { $0 = .init(latency: .seconds(1), downloadRate: 0) }
    let sink = RecordingSink()
    let task = try world.read("a", into: sink)
    try await world.clock.waitForPending()
    world.clock.advance(by: .seconds(1000))
    #expect(sink.count == 0)
    switch end {
    case "rate":
      world.conditions.change { $0.downloadRate = nil }
      #expect(await task.value == nil)
      #expect(sink.text == "hello")
    case "cancel":
      task.cancel()
      #expect(await task.value == .cancelled)
    default:
      world.conditions.goOffline()
      #expect(await task.value == .offline)
      #expect(sink.count == 0)
    }
  }

  @Test("A running transfer fails at its next piece when the network goes, and can begin again")
  func offlineDuringTransfer() async throws {
    let world = TestWorld(pieceSize: 4)
    try world.store.put("0123456789", at: "a")
    let gate = try world.gates.close(Gate(at: .byte(4)))
    let sink = RecordingSink()
    let task = try world.read("a", into: sink)
    try await world.gates.awaitWaiting(at: gate)
    world.conditions.goOffline()
    try world.gates.open(gate)
    #expect(await task.value == .offline)
    #expect(sink.text == "0123")
    world.conditions.goOnline()
    let again = RecordingSink()
    #expect(try await world.read("a", into: again).value == nil)
    #expect(again.text == "0123456789")
  }

  @Test("An upload takes its time, and is not stored when the network goes meanwhile")
  func upload() async throws {
    world.conditions.change { $0.uploadRate = 10 }
    let name = try #require(FileName("a"))
    let template = ItemTemplate(parent: .root, name: name, kind: .file, modified: .now)
    let cloud = world.cloud
    let source = ArraySource(bytes: [UInt8](repeating: 1, count: 100))
    func start() -> Task<CloudError.Code?, Never> {
      Task {
        await code { _ = try await cloud.create(template, content: source, cause: .housekeeping) }
      }
    }
    let failing = start()
    try await world.clock.waitForPending()
    world.conditions.goOffline()
    #expect(await failing.value == .offline)
    #expect(world.store.paths.isEmpty)
    world.conditions.goOnline()
    let task = start()
    try await world.clock.waitForPending()
    world.clock.advance(by: .seconds(10))
    #expect(await task.value == nil)
    #expect(try world.store.item(at: "a").size == 100)
  }

  @Test("A notice of a change that comes while there is no network is delivered once it is back")
  func notices() throws {
    let heard = Locked(0)
    let observation = world.cloud.observeChanges { heard.withLock { $0 += 1 } }
    try world.store.put("1", at: "a")
    #expect(heard.withLock { $0 } == 1)
    world.conditions.goOffline()
    try world.store.put("2", at: "a")
    try world.store.put("3", at: "a")
    #expect(heard.withLock { $0 } == 1)
    world.conditions.goOnline()
    #expect(heard.withLock { $0 } == 2)
    world.conditions.goOffline()
    world.conditions.goOnline()
    #expect(heard.withLock { $0 } == 2)
    observation.end()
    try world.store.put("4", at: "a")
    #expect(heard.withLock { $0 } == 2)
  }
}
