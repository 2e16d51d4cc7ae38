import Catalog
import Foundation
import Glibc
import Simulation

@testable import Drive

/// Which calls fail, each in a run of its own: every n-th in one way, by turns, or with
/// FAUXDRIVE_FAILURES=all each in every way. A number lets only that call fail, in every way.
enum Failures {
  private static let choice = ProcessInfo.processInfo.environment["FAUXDRIVE_FAILURES"]
  private static let isThorough = choice == "all"
  private static let only = choice.flatMap { Int($0) }

  /// Lets call after call fail until a run has no more of them.
  ///
  /// - Returns: how many there are.
  static func forEachCall<Way>(
    every step: Int = 1, in ways: [Way], _ isReached: (Int, Way) async throws -> Bool
  ) async throws -> Int {
    if let only {
      for way in ways { _ = try await isReached(only, way) }
      return .max
    }
    var number = 1
    var reached = 0
    for turn in 0... {
      let chosen = isThorough ? ways : [ways[turn % ways.count]]
      var isOver = true
      for way in chosen where try await isReached(number, way) { isOver = false }
      if isOver { break }
      reached = number
      number += isThorough ? 1 : step
    }
    if isThorough { print("\(reached) calls failed in their turn") }
    return reached
  }

  /// A copy of a device's folder as it is when its process dies, and ends the device.
  ///
  /// Nothing reaches the cloud that the copy does not know of.
  static func kill(_ test: TestDrive) async throws -> String {
    test.conditions.change { $0.isOnline = false }
    try await test.awaitIdleUploads()
    let copy = test.folder + "-killed"
    try test.catalog.whileNothingIsCommitted {
      try FileManager.default.copyItem(atPath: test.folder, toPath: copy)
    }
    test.drive.stop()
    test.catalog.close()
    return copy
  }

  /// A new folder: in memory where that is possible, since some hundred runs wait for the disk otherwise.
  static func makeFolder() throws -> String {
    let memory = "/dev/shm"
    let isInMemory = access(memory, W_OK) == 0
    let path = (isInMemory ? memory + "/" : NSTemporaryDirectory()) + "failing-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }
}
