import Catalog
import Cloud
import Foundation
import Ledger
import Platform
import Testing

@testable import Drive

/// Every call of the cloud fails, each in its turn, with every error that says that the cloud could not do
/// it, before it was done and after.
@Suite(.serialized, .timeLimit(.minutes(30))) struct CloudFailureTests {
  struct Mode: CustomTestStringConvertible, Sendable {
    let code: CloudError.Code
    let moment: FailingCloud.Moment
    var testDescription: String { "\(code) \(moment)" }
  }

  static let modes = [
    CloudError.Code.offline, .timedOut, .throttled(retryAfter: .seconds(1)), .failed, .denied,
    .quotaExceeded, .corrupt, .cancelled, .unsupported,
  ].flatMap { code in FailingCloud.Moment.allCases.map { Mode(code: code, moment: $0) } }

  /// semantics: "Whatever call of the cloud fails, or does what it should and loses its answer, the drive and the cloud are the same in the end: nothing is lost, and nothing is there twice."
  @Test func everyCallOfTheCloudFailsInItsTurn() async throws {
    let reached = try await Failures.forEachCall(every: 2, in: Self.modes) { number, way in
      try await Self.isReached(number, way)
    }
    #expect(reached > 25)
  }

  /// - Returns: whether the script came so far.
  private static func isReached(_ number: Int, _ mode: Mode) async throws -> Bool {
    let store = try DeviceScript.cloud()
    let plan = Locked(
      FailingCloud.Plan(number: number, code: mode.code, moment: mode.moment))
    let folder = try Failures.makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let test = try TestDrive(
      "icloud", store: store, folder: folder, cloud: { FailingCloud($0, plan) })
    let script = DeviceScript(
      test, allowed: Self.errors, settles: true, "call \(number): \(mode.testDescription)")
    await script.run()
    let (seen, failed) = plan.withLock { ($0.seen, $0.failed) }
    plan.withLock { $0.number = 0 }
    try await script.check(
      test, "call \(number): \(mode.testDescription), \(failed ?? "nothing") failed")
    return seen >= number
  }

  /// What calls get that need the cloud.
  private static let errors: Set<Errno> = [
    .io, .timedOut, .accessDenied, .quotaExceeded, .notSupported, .cancelled,
  ]

  /// The cloud refuses for as long as it likes: what is pending stays so, and says why.
  @Test(arguments: [CloudError.Code.quotaExceeded, .denied, .offline, .failed])
  func whatIsRefusedStaysPendingAndSaysWhy(_ code: CloudError.Code) async throws {
    let plan = Locked(FailingCloud.Plan(number: 0, code: code, moment: .before))
    let test = try TestDrive("icloud", cloud: { FailingCloud($0, plan) })
    _ = try await test.list(.root)
    plan.withLock { plan in plan.number = plan.seen + 1 }
    try await test.put([1, 2], "f")
    _ = try #require(
      await test.ledger.firstRecord(matching: .init(kind: .upload, answer: "\(code)")))
    try await test.awaitIdleUploads()
    let status = try test.status("/f")
    #expect(status.isPending && status.error?.contains("a test lets create fail") == true)
    try await test.settleUploads()
    #expect(try test.status("/f").error == nil)
    #expect(try test.store.tree() == ["f": [1, 2]])
  }
}
