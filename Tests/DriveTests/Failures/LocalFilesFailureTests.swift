import Catalog
import Cloud
import Foundation
import Platform
import Testing

@testable import Drive

/// Every call that a drive makes of its content files fails once, each in its turn, and again with all that
/// follow.
@Suite(.serialized, .timeLimit(.minutes(30))) struct LocalFilesFailureTests {
  struct Mode: CustomTestStringConvertible, Sendable {
    let failure: LocalFiles.Failure
    /// How many fail; nil for all that follow.
    let count: Int?
    var testDescription: String { "\(failure), \(count.map { "\($0)" } ?? "and from then on")" }
  }

  static let modes = [
    Mode(failure: .error(.io), count: 1), Mode(failure: .error(.noSpace), count: 1),
    Mode(failure: .halfway(.noSpace), count: 1), Mode(failure: .error(.noSpace), count: nil),
    Mode(failure: .error(.io), count: nil),
  ]

  /// After it the process goes on, or dies.
  static let ways = [false, true].flatMap { isKilled in modes.map { (mode: $0, isKilled) } }

  /// semantics: "Whatever the device's disk refuses, a call that fails has done nothing, and says EIO or ENOSPC; what has said yes is there, also after a crash, and reaches the cloud when the disk works again."
  @Test func everyCallOfTheContentFilesFailsInItsTurn() async throws {
    let reached = try await Failures.forEachCall(every: 4, in: Self.ways) { number, way in
      try await Self.isReached(number, way)
    }
    #expect(reached > 40)
  }

  /// - Returns: whether the script came so far.
  private static func isReached(_ number: Int, _ way: (mode: Mode, isKilled: Bool)) async throws
    -> Bool
  {
    let (mode, isKilled) = way
    let comment: Comment = "call \(number): \(mode.testDescription)"
    let folder = try Failures.makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let plan = Locked((seen: 0, isOver: false))
    let files = LocalFiles { _ in
      plan.withLock { plan in
        plan.seen += 1
        let isMet = plan.seen >= number && plan.seen < number + (mode.count ?? .max - number)
        return isMet && !plan.isOver ? mode.failure : nil
      }
    }
    let store = try DeviceScript.cloud()
    let test = try TestDrive("icloud", store: store, folder: folder, files: files)
    let script = DeviceScript(
      test, allowed: [.io, .noSpace], settles: mode.count != nil, comment)
    await script.run()
    let isReached = plan.withLock { $0.seen >= number }
    plan.withLock { $0.isOver = true }
    if !isKilled {
      try await script.check(test, comment)
      test.drive.stop()
      test.catalog.close()
      #expect(try DeviceFolder.examine(folder).isEmpty, comment)
    } else {
      let copy = try await Failures.kill(test)
      let again = try TestDrive("icloud", store: store, folder: copy)
      #expect(again.rebuild == nil, comment)
      try await script.check(again, "\(comment), killed")
      again.remove()
    }
    return isReached
  }
}
