import Cloud
import Platform
import Simulation

/// A cloud in memory behind a network, on a clock that stands still.
struct TestWorld: Sendable {
  let store: MemoryStore
  let clock = ManualClock()
  let conditions = Conditions()
  let gates: Gates
  let cloud: SimulatedCloud
  let met = Locked<[String]>([])

  init(pieceSize: Int = 1 << 20) {
    let store = MemoryStore(pieceSize: pieceSize, now: { Timestamp(seconds: 0) })
    self.store = store
    let met = met
    gates = Gates(clock: clock) { fault, subject in
      met.withLock { $0.append("\(fault) \(subject.path) \(subject.cause)") }
    }
    cloud = SimulatedCloud(
      store, clock: clock, conditions: conditions, gates: gates,
      describe: { identifier in
        store.paths.first { (try? store.item(at: $0))?.identifier == identifier } ?? "/"
      })
  }

  /// Starts to read a file; the task gives the failure's code, or nil.
  func read(
    _ path: String, into sink: RecordingSink, range: ByteRange? = nil, cause: UInt64 = 0
  ) throws -> Task<CloudError.Code?, Never> {
    let item = try store.item(at: path)
    return Task {
      await code {
        try await cloud.content(
          of: item.identifier, version: item.version.content, range: range ?? .whole(item.size),
          to: sink, cause: Cause(rawValue: cause))
      }
    }
  }
}

/// Keeps what arrives, with the moment.
final class RecordingSink: ContentSink {
  private let state = Locked<(bytes: [UInt8], waits: [(count: Int, wait: Wait<Bool>)])>(([], []))

  var count: Int { state.withLock { $0.bytes.count } }
  var text: String { String(decoding: state.withLock { $0.bytes }, as: UTF8.self) }

  func receive(_ bytes: ContentBytes, at offset: Int64) async throws(CloudError) {
    let due = state.withLock { state in
      state.bytes += bytes
      let count = state.bytes.count
      let due = state.waits.filter { $0.count <= count }.map(\.wait)
      state.waits.removeAll { $0.count <= count }
      return due
    }
    for wait in due { wait.finish(true) }
  }

  /// Returns when so many bytes are there.
  func awaitBytes(_ count: Int) async {
    let wait = Wait<Bool>()
    let isThere = state.withLock { state in
      if state.bytes.count < count { state.waits.append((count, wait)) }
      return state.bytes.count >= count
    }
    if !isThere { _ = await wait.value() }
  }
}

/// The code of the failure of a call; nil when it succeeds.
func code(of body: () async throws -> Void) async -> CloudError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? CloudError)?.code ?? .failed
  }
}

struct ArraySource: ContentSource {
  let bytes: [UInt8]
  var size: Int64 { Int64(bytes.count) }

  func read(at offset: Int64, count: Int) async throws(CloudError) -> ContentBytes {
    bytes[Int(offset)...].prefix(count)
  }
}
