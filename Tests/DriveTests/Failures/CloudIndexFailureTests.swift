import CSQLite
import Cloud
import FaultyDisk
import Foundation
import Platform
import Testing

@testable import Drive

/// Every call that the index of a cloud that is a folder makes of the disk fails in its turn, and again with
/// all that follow.
@Suite(.serialized, .timeLimit(.minutes(30))) struct CloudIndexFailureTests {
  struct Mode: CustomTestStringConvertible, Sendable {
    let name: String
    let result: Int32
    /// How many fail; -1 for all that follow.
    let count: Int
    var testDescription: String { name }
  }

  static let modes = [
    Mode(name: "one error", result: SQLITE_IOERR, count: 1),
    Mode(name: "full once", result: SQLITE_FULL, count: 1),
    Mode(name: "full from then on", result: SQLITE_FULL, count: -1),
    Mode(name: "errors from then on", result: SQLITE_IOERR, count: -1),
  ]

  private static let calls =
    faulty_disk_open.rawValue | faulty_disk_write.rawValue | faulty_disk_sync.rawValue
    | faulty_disk_truncate.rawValue

  /// semantics: "Whatever call of the cloud fails, or does what it should and loses its answer, the drive and the cloud are the same in the end: nothing is lost, and nothing is there twice."
  @Test func everyCallOfTheIndexFailsInItsTurn() async throws {
    faulty_disk_register()
    let reached = try await Failures.forEachCall(every: 30, in: Self.modes) { number, mode in
      try await Self.isReached(number, mode)
    }
    #expect(reached > 60)
  }

  /// - Returns: whether the script came so far.
  private static func isReached(_ number: Int, _ mode: Mode) async throws -> Bool {
    let folder = try Failures.makeFolder()
    let (cloud, index) = (folder + "/cloud", folder + "/index")
    for path in [cloud, index, folder + "/device"] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let plan = faulty_disk_watch(index, Int32(calls))
    defer { faulty_disk_forget(plan) }
    let hands = CloudHands(folder: cloud)
    try DeviceScript.fill(hands)
    let store = try DirectoryStore(cloud, index: index, hook: .none, fileSystem: "faulty")
    defer { store.close() }
    let test = try TestDrive("icloud", folder: folder + "/device", cloud: { _ in store })
    faulty_disk_fail(plan, number, mode.count, mode.result, 0)
    let comment: Comment = "call \(number): \(mode.name)"
    let script = DeviceScript(
      test, cloud: hands, allowed: [.io, .quotaExceeded], settles: mode.count == 1, comment)
    await script.run()
    let isReached = faulty_disk_calls(plan) >= number
    faulty_disk_fail(plan, 0, 0, 0, 0)
    try await script.check(test, comment)
    test.drive.stop()
    return isReached
  }
}
