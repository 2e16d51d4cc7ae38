import Cloud
import Platform
import Simulation
import Testing

@Suite(.timeLimit(.minutes(15)))
struct GatesTests {
  private let world = TestWorld(pieceSize: 4)
  private var gates: Gates { world.gates }
  private let text = "0123456789"

  init() throws { try world.store.put(text, at: "f/a.txt") }

  @Test(
    "A transfer is held after exactly the bytes that the point says, and goes on when it is opened",
    arguments: [
      (GatePoint.firstByte, 0), (.byte(0), 0), (.byte(1), 1), (.byte(4), 4), (.byte(5), 5),
      (.lastByte, 9), (.byte(9), 9), (.byte(10), 10), (.reply(.content), 10),
    ])
  func contentPoints(_ point: GatePoint, _ count: Int) async throws {
    let gate = try gates.close(Gate(at: point))
    let sink = RecordingSink()
    let task = try world.read("f/a.txt", into: sink, cause: 7)
    try await gates.awaitWaiting(at: gate)
    #expect(sink.count == count)
    try gates.open(gate)
    #expect(await task.value == nil)
    #expect(sink.text == text)
    #expect(world.met.withLock { $0 } == ["gate:gate-1@\(point) /f/a.txt 7"])
  }

  @Test(
    "Points that a range does not reach hold nobody",
    arguments: [GatePoint.byte(1), .byte(9), .byte(11), .requested])
  func unreached(_ point: GatePoint) async throws {
    try gates.close(Gate(at: point))
    let sink = RecordingSink()
    let task = try world.read("f/a.txt", into: sink, range: ByteRange(offset: 2, count: 5))
    #expect(await task.value == nil)
    #expect(sink.text == "23456")
  }

  @Test("One transfer can be held at several points, one after another")
  func several() async throws {
    let points: [(GatePoint, Int)] = [
      (.lastByte, 9), (.byte(3), 3), (.firstByte, 0), (.byte(6), 6),
    ]
    var closed: [(GateIdentifier, Int)] = []
    for (point, count) in points { closed.append((try gates.close(Gate(at: point)), count)) }
    let sink = RecordingSink()
    let task = try world.read("f/a.txt", into: sink)
    for (gate, count) in closed.sorted(by: { $0.1 < $1.1 }) {
      try await gates.awaitWaiting(at: gate)
      #expect(sink.count == count)
      try gates.releaseOne(gate)
    }
    #expect(await task.value == nil)
    #expect(sink.text == text)
  }

  @Test("A gate that fails its transfer gives it the error's kind; the next transfer works")
  func failing() async throws {
    let gate = try gates.close(Gate(at: .byte(5)))
    let sink = RecordingSink()
    let task = try world.read("f/a.txt", into: sink)
    try await gates.awaitWaiting(at: gate)
    try gates.fail(gate, with: .timedOut)
    #expect(await task.value == .timedOut)
    #expect(sink.count == 5)
    let again = RecordingSink()
    #expect(try await world.read("f/a.txt", into: again).value == nil)
  }

  @Test("A gate that stays closed after a failure holds the next transfer too")
  func failingKeptClosed() async throws {
    let gate = try gates.close(Gate(at: .firstByte))
    for _ in 0..<2 {
      let task = try world.read("f/a.txt", into: RecordingSink())
      try await gates.awaitWaiting(at: gate)
      try gates.fail(gate, with: .io, keepClosed: true)
      #expect(await task.value == .failed)
    }
    #expect(gates.list().first?.heldCount == 2)
  }

  @Test("A wait ends when the gate is told to cancel, or the task is", arguments: [true, false])
  func cancelling(_ byGate: Bool) async throws {
    let gate = try gates.close(Gate(at: .byte(5)))
    let task = try world.read("f/a.txt", into: RecordingSink())
    try await gates.awaitWaiting(at: gate)
    if byGate { try gates.cancel(gate, keepClosed: true) } else { task.cancel() }
    #expect(await task.value == .cancelled)
    #expect(gates.list().map(\.waiting) == [[]])
  }

  @Test(
    "Every call can be held before its answer, with the change already made",
    arguments: CloudOperation.allCases)
  func replies(_ operation: CloudOperation) async throws {
    let gate = try gates.close(Gate(at: .reply(operation)))
    let (cloud, item) = (world.cloud, try world.store.item(at: "f/a.txt"))
    let anchor = try await world.store.currentAnchor(cause: .housekeeping)
    let name = try #require(FileName("b"))
    let cause = Cause(rawValue: 3)
    let task = Task {
      await code {
        switch operation {
        case .item: _ = try await cloud.item(item.identifier, cause: cause)
        case .enumerate: _ = try await cloud.enumerate(item.parent, page: nil, cause: cause)
        case .anchor: _ = try await cloud.currentAnchor(cause: cause)
        case .changes: _ = try await cloud.changes(since: anchor, cause: cause)
        case .content:
          try await cloud.content(
            of: item.identifier, version: item.version.content, range: .whole(3),
            to: RecordingSink(), cause: cause)
        case .create:
          let template = ItemTemplate(
            parent: item.parent, name: name, kind: .file, modified: .now)
          _ = try await cloud.create(template, content: nil, cause: cause)
        case .modify:
          _ = try await cloud.modify(
            item.identifier, base: nil, changes: ItemChanges(permissions: 0o400), content: nil,
            cause: cause)
        case .move:
          _ = try await cloud.move(
            item.identifier, to: .root, name: name, base: nil, replacing: false, cause: cause)
        case .delete:
          try await cloud.delete(item.identifier, base: nil, recursively: false, cause: cause)
        case .quota: _ = try await cloud.quota(cause: cause)
        }
      }
    }
    try await gates.awaitWaiting(at: gate)
    let changed = try await world.store.currentAnchor(cause: .housekeeping) != anchor
    #expect(changed == [.create, .modify, .move, .delete].contains(operation))
    let subject = try #require(gates.list().first?.waiting.first?.subject)
    #expect(subject.cause == 3)
    let paths: [CloudOperation: String] = [
      .enumerate: "/f", .anchor: "", .changes: "", .quota: "", .create: "/f/b",
    ]
    #expect(subject.path == paths[operation, default: "/f/a.txt"])
    try gates.fail(gate, with: .timedOut)
    #expect(await task.value == .timedOut)
  }

  @Test("A gate lists who waits, in order, since when, and lets them go one by one")
  func listing() async throws {
    try world.store.put("x", at: "b.txt")
    let gate = try gates.close(Gate(at: .firstByte, for: "*.txt"), as: "slow")
    let first = try world.read("f/a.txt", into: RecordingSink(), cause: 1)
    try await gates.awaitWaiting(at: gate)
    world.clock.advance(by: .seconds(3))
    let second = try world.read("b.txt", into: RecordingSink(), cause: 2)
    try await gates.awaitWaiting(2, at: gate)
    let status = try #require(gates.list().first)
    #expect(status.identifier == "slow")
    #expect(status.waiting.map(\.subject.path) == ["/f/a.txt", "/b.txt"])
    #expect(status.waiting.map(\.since) == [.zero, .zero + .seconds(3)])
    #expect(try gates.releaseOne(gate))
    #expect(await first.value == nil)
    #expect(gates.list().first?.waiting.map(\.subject.cause) == [2])
    #expect(try gates.releaseOne(gate))
    #expect(try !gates.releaseOne(gate))
    #expect(await second.value == nil)
  }

  @Test("A gate with a limit lets everybody pass after so many")
  func limited() async throws {
    let gate = try gates.close(Gate(at: .firstByte, limit: 1))
    let held = try world.read("f/a.txt", into: RecordingSink())
    try await gates.awaitWaiting(at: gate)
    #expect(try await world.read("f/a.txt", into: RecordingSink()).value == nil)
    try gates.open(gate)
    #expect(await held.value == nil)
  }

  @Test("Time at a gate is no time on the line: the bandwidth counts from where it was held")
  func bandwidthAfterGate() async throws {
    world.conditions.change { $0.downloadRate = 4 }
    let gate = try gates.close(Gate(at: .byte(4)))
    let sink = RecordingSink()
    let task = try world.read("f/a.txt", into: sink)
    try await world.clock.waitForPending()
    world.clock.advance(by: .seconds(1))
    try await gates.awaitWaiting(at: gate)
    world.clock.advance(by: .seconds(100))
    try gates.open(gate)
    try await world.clock.waitForPending()
    #expect(sink.count == 4)
    #expect(world.clock.nextDeadline == .zero + .seconds(102))
    world.clock.advance(by: .seconds(2))
    #expect(await task.value == nil)
  }

  @Test("The drive's checkpoints are held, failed and cancelled as calls are")
  func checkpoints() async throws {
    let checkpoints = SimulatedCheckpoints(gates: gates)
    let subject = CheckpointSubject(item: "i1", path: "/a", cause: 5)
    let gate = try gates.close(Gate(at: .beforePublish, for: "/a"))
    for (verdict, result) in [
      ("open", nil), ("fail", CheckpointFailure.failed(.io)), ("cancel", .cancelled),
    ] {
      let task = Task { () -> CheckpointFailure? in
        do throws(CheckpointFailure) {
          try await checkpoints.reach(.requested, subject)
          try await checkpoints.reach(.beforePublish, subject)
          return nil
        } catch { return error }
      }
      try await gates.awaitWaiting(at: gate)
      switch verdict {
      case "open": try gates.releaseOne(gate)
      case "fail": try gates.fail(gate, with: .io, keepClosed: true)
      default: try gates.cancel(gate, keepClosed: true)
      }
      #expect(await task.value == result)
    }
  }

  @Test(
    "The first and last byte are held on their way from the cloud, not where the drive reports them"
  )
  func noDoubleHold() async throws {
    try gates.close(Gate(at: .firstByte))
    try gates.close(Gate(at: .lastByte))
    let checkpoints = SimulatedCheckpoints(gates: gates)
    let subject = CheckpointSubject(item: "i1", path: "/a", cause: 5)
    try await checkpoints.reach(.firstByte, subject)
    try await checkpoints.reach(.lastByte, subject)
  }

  @Test(
    "A gate that is not there, or is there twice, is an error; a watcher learns that it was opened")
  func errors() async throws {
    let gate = try gates.close(Gate(at: .firstByte), as: "g")
    #expect(throws: GateError.self) { try gates.close(Gate(at: .lastByte), as: "g") }
    #expect(throws: GateError.self) { try gates.open("h") }
    #expect(throws: GateError.self) { try gates.releaseOne("h") }
    await #expect(throws: GateError.self) { try await gates.awaitWaiting(at: "h") }
    let watcher = Task { [gates] in try await gates.awaitWaiting(3, at: gate) }
    let cancelled = Task { [gates] in try await gates.awaitWaiting(4, at: gate) }
    cancelled.cancel()
    await #expect(throws: GateError.self) { try await cancelled.value }
    gates.openAll()
    await #expect(throws: GateError.self) { try await watcher.value }
    #expect(gates.list().isEmpty)
  }

  @Test("Points are read as they are written, and others are refused")
  func pointText() {
    let points: [GatePoint] =
      [.requested, .firstByte, .byte(0), .byte(1000), .lastByte, .beforePublish, .published]
      + CloudOperation.allCases.map { .reply($0) }
    for point in points { #expect(GatePoint(point.description) == point) }
    for text in ["", "byte", "byte:", "byte:-1", "byte:x", "reply:", "reply:open", "First-Byte"] {
      #expect(GatePoint(text) == nil)
    }
  }

  @Test(
    "A pattern matches what it says",
    arguments: [
      ("", "/Games/a.plist", true), ("/Games/a.plist", "/Games/a.plist", true),
      ("Games/a.plist", "/Games/a.plist", true), ("a.plist", "/Games/a.plist", false),
      ("i7", "/Games/a.plist", true), ("Games/", "/Games/a.plist", true),
      ("/Games/", "/Games", true), ("Games/", "/GamesToo/a.plist", false),
      ("/", "/Games/a.plist", true), ("*.plist", "/Games/a.plist", true),
      ("*.txt", "/Games/a.plist", false), ("Games/*.plist", "/Games/a.plist", true),
      ("*/a.plist", "/Games/a.plist", true), ("*/a.plist", "/x/Games/a.plist", false),
      ("?.plist", "/Games/a.plist", true), ("[b-z].plist", "/Games/a.plist", false),
    ])
  func patterns(_ pattern: String, _ path: String, _ isMatch: Bool) {
    let subject = CheckpointSubject(item: "i7", path: path, cause: 0)
    #expect(SubjectPattern(pattern).matches(subject) == isMatch)
  }

  @Test("A call about no item is matched by the empty pattern only", arguments: ["/", "*", "x"])
  func account(_ pattern: String) {
    let subject = CheckpointSubject(item: "", path: "", cause: 0)
    #expect(SubjectPattern.any.matches(subject))
    #expect(!SubjectPattern(pattern).matches(subject))
  }
}
