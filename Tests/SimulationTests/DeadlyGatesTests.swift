import Cloud
import Platform
import Simulation
import Testing

@Suite(.timeLimit(.minutes(15)))
struct DeadlyGatesTests {
  private let deaths = Locked(0)
  private let gates: Gates
  private let subject = CheckpointSubject(item: "i1", path: "/f/a", cause: 5)

  init() {
    let deaths = deaths
    gates = Gates(clock: ManualClock(), endProcess: { deaths.withLock { $0 += 1 } })
  }

  @Test("A deadly gate ends the process when its subject comes to its point, and holds nobody")
  func deadly() async throws {
    let checkpoints = SimulatedCheckpoints(gates: gates)
    try gates.close(Gate(at: .checkpoint(.after(.rename)), for: "/f/a", isDeadly: true))
    try gates.close(Gate(at: .checkpoint(.uploaded), for: "/f/", isDeadly: true))
    checkpoints.pass(.before(.rename)) { subject }
    checkpoints.pass(.after(.rename)) { CheckpointSubject(item: "", path: "/g", cause: 0) }
    try await checkpoints.reach(.uploadRequested, subject)
    #expect(deaths.withLock { $0 } == 0)
    checkpoints.pass(.after(.rename)) { subject }
    #expect(deaths.withLock { $0 } == 1)
  }

  @Test("Nobody describes a call as long as there is no deadly gate at its point")
  func cheap() throws {
    try gates.close(Gate(at: .checkpoint(.after(.rename))))
    try gates.close(Gate(at: .checkpoint(.after(.create)), isDeadly: true))
    SimulatedCheckpoints(gates: gates).pass(.after(.rename)) {
      Issue.record("somebody asked")
      return subject
    }
  }

  @Test("Where nothing waits, as on a local disk, only deadly gates count")
  func local() async throws {
    let checkpoints = SimulatedCheckpoints(gates: gates, holds: false)
    let held = try gates.close(Gate(at: .checkpoint(.uploaded)))
    try await checkpoints.reach(.uploaded, subject)
    #expect(deaths.withLock { $0 } == 0)
    try gates.open(held)
    try gates.close(Gate(at: .checkpoint(.uploaded), isDeadly: true))
    try await checkpoints.reach(.uploaded, subject)
    #expect(deaths.withLock { $0 } == 1)
  }

  @Test("Points are read as they are written, and tell whether somebody can be held there")
  func points() {
    for call in ChangingCall.allCases {
      for checkpoint in [Checkpoint.before(call), .after(call)] {
        let point = GatePoint(checkpoint.rawValue)
        #expect(point == .checkpoint(checkpoint) && point?.canHold == false)
      }
    }
    for step in CloudStep.allCases {
      let point = GatePoint("cloud:\(step.rawValue)")
      #expect(point == .cloud(step) && point?.canHold == false && point?.hasPath == false)
    }
    for text in [
      "upload-requested", "upload-first-byte", "upload-byte:7", "uploaded", "reply:move",
    ] {
      #expect(GatePoint(text)?.description == text)
      #expect(GatePoint(text)?.canHold == true && GatePoint(text)?.hasPath == true)
    }
    for text in ["before:read", "after:", "cloud:probing", "upload-byte:-1", "upload-byte:"] {
      #expect(GatePoint(text) == nil)
    }
  }

  @Test(
    "An upload is held after exactly the bytes that the point says",
    arguments: [
      ("upload-first-byte", 0), ("upload-byte:0", 0), ("upload-byte:3", 3),
      ("upload-last-byte", 9), ("upload-byte:9", 9), ("upload-byte:10", 10),
    ])
  func uploads(_ text: String, _ count: Int) async throws {
    let world = TestWorld()
    let point = try #require(GatePoint(text))
    let gate = try world.gates.close(Gate(at: point, for: "/a"))
    let source = CountedSource("0123456789")
    let template = ItemTemplate(
      parent: .root, name: try #require(FileName("a")), kind: .file, modified: .now)
    let task = Task {
      try await world.cloud.create(template, content: source, cause: .housekeeping)
    }
    try await world.gates.awaitWaiting(at: gate)
    #expect(source.count == count)
    #expect(world.store.paths.isEmpty)
    try world.gates.open(gate)
    #expect(try await task.value.size == 10)
    #expect(source.count == 10)
  }
}

/// Counts the bytes that were asked for.
private final class CountedSource: ContentSource {
  private let bytes: [UInt8]
  private let given = Locked(0)

  init(_ text: String) { bytes = Array(text.utf8) }

  var size: Int64 { Int64(bytes.count) }
  var count: Int { given.withLock { $0 } }

  func read(at offset: Int64, count: Int) async throws(CloudError) -> ContentBytes {
    let piece = bytes[Int(offset)..<min(bytes.count, Int(offset) + count)]
    given.withLock { $0 += piece.count }
    return piece
  }
}
