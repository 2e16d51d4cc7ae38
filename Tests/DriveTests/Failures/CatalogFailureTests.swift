import CSQLite
import Catalog
import Cloud
import FaultyDisk
import Foundation
import Platform
import Testing

@testable import Drive

/// Every call that the catalog's database makes of the disk fails once, each in its turn, and again with
/// all that follow.
@Suite(.serialized, .timeLimit(.minutes(30))) struct CatalogFailureTests {
  struct Mode: CustomTestStringConvertible, Sendable {
    let name: String
    let result: Int32
    /// How many fail; -1 for all that follow.
    let count: Int
    var isTorn = false
    var calls = changes
    var testDescription: String { name }
  }

  private static let changes =
    faulty_disk_open.rawValue | faulty_disk_write.rawValue | faulty_disk_sync.rawValue
    | faulty_disk_truncate.rawValue

  static let modes = [
    Mode(name: "one error", result: SQLITE_IOERR, count: 1),
    Mode(name: "full once", result: SQLITE_FULL, count: 1),
    Mode(name: "full from then on", result: SQLITE_FULL, count: -1),
    Mode(
      name: "errors from then on, the first torn", result: SQLITE_IOERR, count: -1, isTorn: true),
  ]

  private static let failedRead = SQLITE_IOERR | 1 << 8
  static let readModes = [
    Mode(name: "one read", result: failedRead, count: 1, calls: faulty_disk_read.rawValue),
    Mode(
      name: "reads from then on", result: failedRead, count: -1, calls: faulty_disk_read.rawValue),
  ]

  /// After it the process goes on, or dies.
  private static func ways(_ modes: [Mode]) -> [(mode: Mode, isKilled: Bool)] {
    [false, true].flatMap { isKilled in modes.map { (mode: $0, isKilled) } }
  }

  /// semantics: "Whatever the device's disk refuses, a call that fails has done nothing, and says EIO or ENOSPC; what has said yes is there, also after a crash, and reaches the cloud when the disk works again."
  @Test func everyCallOfTheDatabaseFailsInItsTurn() async throws {
    faulty_disk_register()
    let ways = Self.ways(Self.modes)
    let reached = try await Failures.forEachCall(every: 20, in: ways) { number, way in
      try await Self.isReached(number, way)
    }
    #expect(reached > 60)
  }

  /// What the device cannot read of its catalog is not taken for something that is not there.
  @Test func everyReadOfTheDatabaseFailsInItsTurn() async throws {
    faulty_disk_register()
    let ways = Self.ways(Self.readModes)
    let reached = try await Failures.forEachCall(every: 40, in: ways) { number, way in
      try await Self.isReached(number, way)
    }
    #expect(reached > 60)
  }

  /// - Returns: whether the script came so far.
  private static func isReached(_ number: Int, _ way: (mode: Mode, isKilled: Bool)) async throws
    -> Bool
  {
    let (mode, isKilled) = way
    let folder = try Failures.makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let plan = faulty_disk_watch(folder, Int32(mode.calls))
    defer { faulty_disk_forget(plan) }
    faulty_disk_fail(plan, number, mode.count, mode.result, mode.isTorn ? 1 : 0)
    let comment: Comment = "call \(number): \(mode.name)"
    let store = try DeviceScript.cloud()
    guard let test = try open(folder, store, comment) else { return true }
    let script = DeviceScript(
      test, allowed: [.io, .noSpace], settles: mode.count == 1, comment)
    await script.run()
    let isReached = faulty_disk_calls(plan) >= number
    if !isKilled {
      faulty_disk_fail(plan, 0, 0, 0, 0)
      try await script.check(test, comment)
      test.drive.stop()
      test.catalog.close()
      try Catalog(directory: folder, isThorough: true).close()
    } else {
      let copy = try await Failures.kill(test)
      let again = try TestDrive("icloud", store: store, folder: copy)
      #expect(again.rebuild == nil, "\(comment) \(String(describing: again.rebuild))")
      try await script.check(again, "\(comment), killed")
      again.remove()
    }
    return isReached
  }

  private static func open(
    _ folder: String, _ store: MemoryStore, _ comment: Comment
  ) throws -> TestDrive? {
    do {
      return try TestDrive("icloud", store: store, folder: folder, fileSystem: "faulty")
    } catch let error as CatalogError {
      #expect([.io, .full].contains(error.code), comment)
      return nil
    }
  }
}
