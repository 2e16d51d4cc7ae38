import Foundation
import Ledger
import Platform
import Testing

/// A clock that stands still until it is told otherwise.
final class StoppedClock: WorldClock {
  private let time = Locked(Int64(0))

  var now: WorldTime { WorldTime(nanoseconds: time.withLock { $0 }) }

  func advance(_ duration: Duration) { time.withLock { $0 += duration.nanoseconds } }

  func schedule(
    at deadline: WorldTime, _ action: @escaping @Sendable () -> Void
  ) -> any WorldTimer { Timer() }

  private struct Timer: WorldTimer {
    func cancel() {}
  }
}

/// A recorder on a stopped clock; its wall clock is the same one, an hour ahead.
struct Fixture {
  static let hour: Int64 = 3_600_000_000_000
  let clock = StoppedClock()
  let recorder: Recorder

  init(capacity: Int = 100, file: String? = nil, maximumFileSize: Int64 = 1 << 20) throws {
    recorder = try Recorder(
      clock: clock, wallClock: { [clock] in clock.now.nanoseconds + Self.hour },
      capacity: capacity, file: file, maximumFileSize: maximumFileSize)
  }

  func paths(_ query: Query = Query()) -> [String] {
    recorder.records(matching: query).map(\.path)
  }
}

func record(
  _ callClass: String = "stat", _ path: String = "/a", kind: RecordKind = .request,
  device: String = "phone", process: Int32 = 7, executable: String = "/usr/bin/cat",
  cause: UInt64 = 0, started: String = "nothing", answer: String? = nil
) -> Record {
  var record = Record(
    kind: kind, device: device, callClass: callClass, path: path, item: "i" + path,
    process: process, executable: executable, cause: cause, started: started)
  record.answer = answer
  return record
}

/// A directory of its own for a test, which goes away with the value.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func lines(of name: String) throws -> [String] {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
      .split(separator: "\n").map(String.init)
  }

  func records(of name: String) throws -> [Record] {
    try lines(of: name).map { try JSONDecoder().decode(Record.self, from: Data($0.utf8)) }
  }
}
