import Catalog
import Cloud
import Foundation
import Platform
import Testing

@testable import Drive

/// Every step of what is written to a cloud that is a folder fails in its turn.
@Suite(.serialized, .timeLimit(.minutes(30))) struct CloudFolderFailureTests {
  struct Mode: CustomTestStringConvertible, Sendable {
    let error: Errno
    let place: StagingPlace
    var testDescription: String { "\(error.name), staged \(place)" }
  }

  static let modes = StagingPlace.allCases.flatMap { place in
    [Errno.noSpace, .io].map { Mode(error: $0, place: place) }
  }

  /// semantics: "Whatever call of the cloud fails, or does what it should and loses its answer, the drive and the cloud are the same in the end: nothing is lost, and nothing is there twice."
  @Test func everyStepOfAWriteToAFolderFailsInItsTurn() async throws {
    let reached = try await Failures.forEachCall(every: 5, in: Self.modes) { number, way in
      try await Self.isReached(number, way)
    }
    #expect(reached > 30)
  }

  /// - Returns: whether the script came so far.
  private static func isReached(_ number: Int, _ mode: Mode) async throws -> Bool {
    let folder = try Failures.makeFolder()
    let (cloud, index) = (folder + "/cloud", folder + "/index")
    for path in [cloud, index, folder + "/device"] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let plan = Locked((seen: 0, isOver: false, failed: ""))
    let hook = WritingHook { step in
      plan.withLock { plan in
        plan.seen += 1
        guard plan.seen == number, !plan.isOver else { return nil }
        plan.failed = "\(step)"
        return mode.error
      }
    }
    let hands = CloudHands(folder: cloud)
    try DeviceScript.fill(hands)
    let store = try DirectoryStore(cloud, index: index, hook: hook, places: [mode.place])
    defer { store.close() }
    let test = try TestDrive("icloud", folder: folder + "/device", cloud: { _ in store })
    let comment: Comment = "step \(number): \(mode.testDescription)"
    let script = DeviceScript(test, cloud: hands, allowed: [], settles: true, comment)
    await script.run()
    let (seen, failed) = plan.withLock { ($0.seen, $0.failed) }
    plan.withLock { $0.isOver = true }
    try await script.check(test, "\(comment), \(failed) failed")
    test.drive.stop()
    store.close()
    let left = try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
      $0.contains("staging/") || $0.contains(".fauxdrive-staging")
    }
    #expect(left.isEmpty, comment)
    return seen >= number
  }
}
