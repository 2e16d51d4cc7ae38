import Control
import DriveClient
import Foundation
import Ledger
import MountKit
import Platform
import Testing

/// How long held calls wait, and what they get then; every class that waits, in every profile.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct PatienceTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let profile: String
    let callClass: String
    let patience: Duration
    /// What the caller gets when patience is over.
    let outOfPatience: String
    /// What it gets when the network goes away meanwhile.
    let unreachable: String
    /// Whether the call waits only for what others have started.
    var afterOthers = false
    var testDescription: String { "\(profile), \(callClass)" }
  }

  // The lengths are choices (no system documents its own); ETIMEDOUT is XNU's, read(2) and open(2);
  // "missing" is what a provider says that cannot download.
  static let rows = [
    Row(
      profile: "icloud", callClass: "read", patience: .seconds(60), outOfPatience: "ETIMEDOUT",
      unreachable: "ETIMEDOUT"),
    Row(
      profile: "icloud", callClass: "write", patience: .seconds(60), outOfPatience: "ETIMEDOUT",
      unreachable: "ETIMEDOUT"),
    Row(
      profile: "icloud", callClass: "truncate", patience: .seconds(60),
      outOfPatience: "ETIMEDOUT", unreachable: "ETIMEDOUT"),
    Row(
      profile: "onedrive", callClass: "write", patience: .seconds(60),
      outOfPatience: "ETIMEDOUT", unreachable: "ETIMEDOUT"),
    Row(
      profile: "icloud", callClass: "readdir", patience: .seconds(60),
      outOfPatience: "ETIMEDOUT", unreachable: "ETIMEDOUT"),
    Row(
      profile: "icloud-legacy", callClass: "readdir", patience: .seconds(60),
      outOfPatience: "ETIMEDOUT", unreachable: "ETIMEDOUT"),
    Row(
      profile: "synology", callClass: "stat", patience: .seconds(20), outOfPatience: "ENOENT",
      unreachable: "ENOENT", afterOthers: true),
    Row(
      profile: "synology", callClass: "access", patience: .seconds(20), outOfPatience: "ENOENT",
      unreachable: "ENOENT", afterOthers: true),
    Row(
      profile: "synology", callClass: "open", patience: .seconds(30), outOfPatience: "ETIMEDOUT",
      unreachable: "ENOENT"),
    Row(
      profile: "synology", callClass: "readdir", patience: .seconds(30),
      outOfPatience: "ETIMEDOUT", unreachable: "ETIMEDOUT"),
    Row(
      profile: "onedrive", callClass: "read", patience: .seconds(60),
      outOfPatience: "ETIMEDOUT", unreachable: "ETIMEDOUT"),
    Row(
      profile: "onedrive", callClass: "readdir", patience: .seconds(60),
      outOfPatience: "ETIMEDOUT", unreachable: "ETIMEDOUT"),
  ].filter { MatrixSettings.means($0.profile) }

  /// The same for a download that somebody asks for and waits for, through the control socket.
  static let downloads = [
    ("icloud", 60), ("icloud-legacy", 60), ("synology", 60), ("onedrive", 60),
  ]
  .filter { MatrixSettings.means($0.0) }

  /// semantics: "A held call waits as long as the profile has patience, and then gets the profile's answer for that."
  @Test(arguments: rows)
  func `a held call waits as long as its class has patience`(_ row: Row) async {
    await OwnThreads.run { complaints in
      let drive = try Self.drive(row.profile)
      let call = try HeldCall(
        row.callClass, of: Self.item(row), on: drive, afterOthers: row.afterOthers)
      try call.world.advanceClock(by: row.patience - .milliseconds(1))
      complaints.expect(try call.isHeld, "\(row.testDescription): it has waited too short")
      try call.world.advanceClock(by: .milliseconds(1))
      try call.program.finishInTime().expect(row.outOfPatience)
      try call.world.openGate(call.gate)
    }
  }

  /// semantics: "If the network goes away, a held call gets the profile's answer for a cloud that cannot be reached."
  @Test(arguments: rows.filter { $0.callClass != "readdir" })
  func `a held call learns that the cloud cannot be reached any more`(_ row: Row) async {
    await OwnThreads.run { _ in
      let drive = try Self.drive(row.profile)
      let call = try HeldCall(
        row.callClass, of: Self.item(row), on: drive, afterOthers: row.afterOthers)
      try call.world.setNetwork(isOnline: false)
      try call.world.openGate(call.gate)
      try call.program.finishInTime().expect(row.unreachable)
      let failed = try call.world.awaitRecords(
        LedgerFilter(kinds: [.transfer], answer: "failed"), timeout: MatrixSettings.patience)
      try Self.require(failed.count == 1 && failed[0].bytes == 0, "\(failed)")
    }
  }

  /// semantics: "A download that was asked for in so many words waits as long as the profile has patience, and says why it ended."
  @Test(arguments: downloads)
  func `a download in so many words waits with patience, and tells why it ended`(
    _ profile: String, _ seconds: Int
  ) async {
    await OwnThreads.run { _ in
      let drive = try Self.drive(profile)
      let world = try drive.world()
      let gate = try world.closeGate("first-byte", path: "/doc")
      let impatient = Download("/doc", drive)
      let asked = LedgerFilter(callClasses: ["explicit"], answer: "present")
      _ = try world.awaitRecords(asked, timeout: MatrixSettings.patience)
      try world.awaitGate(gate, timeout: MatrixSettings.patience)
      try world.advanceClock(by: .seconds(seconds) - .milliseconds(1))
      try Self.require(try world.devices()[0].heldReplies == 1, "it has waited too short")
      try world.advanceClock(by: .milliseconds(1))
      try Self.require(impatient.error()?.code == .offline, "\(impatient.error() as Any)")

      let unlucky = Download("/doc", drive)
      _ = try world.awaitRecords(asked, count: 2, timeout: MatrixSettings.patience)
      try world.setNetwork(isOnline: false)
      try world.openGate(gate)
      try Self.require(unlucky.error()?.code == .offline, "\(unlucky.error() as Any)")

      try world.setNetwork(isOnline: true)
      try Self.require(Download("/doc", drive).error() == nil, "it is not brought at last")
    }
  }

  private static func item(_ row: Row) -> String { row.callClass == "readdir" ? "folder" : "doc" }

  static func drive(_ profile: String, options: [String] = []) throws -> MountedDrive {
    let drive = try MountedDrive(
      MatrixSettings.mounted(profile),
      cloud: ["doc": Array("content".utf8), "folder/inner": [120]],
      options: ["--audit", "--clock", "manual"] + options)
    try CallingProgram.probe("readdir", drive.mountpoint).expect("present")
    return drive
  }

  static func require(
    _ condition: @autoclosure () throws -> Bool, _ text: @autoclosure () -> String
  ) throws {
    if try !condition() { throw TestFailure(text()) }
  }
}

/// A download that a thread of its own asks for and waits for.
final class Download: @unchecked Sendable {
  private let lock = NSLock()
  private let done = DispatchSemaphore(value: 0)
  private var outcome: Result<ControlError?, any Error>?

  init(_ path: String, _ drive: MountedDrive) {
    Thread.detachNewThread { [self] in
      let result = Result { try drive.drive().download([path]).first?.error }
      lock.withLock { outcome = result }
      done.signal()
    }
  }

  /// Why it failed; waits for its end.
  func error() -> ControlError? {
    if done.wait(timeout: .now() + 60) == .timedOut {
      return ControlError(.timedOut, "the download hangs")
    }
    done.signal()
    switch lock.withLock({ outcome }) {
    case .success(let error): return error
    case .failure(let error): return error as? ControlError
    case nil: return nil
    }
  }
}
