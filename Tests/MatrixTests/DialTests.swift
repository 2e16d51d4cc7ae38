import Control
import DriveClient
import Foundation
import Ledger
import MountKit
import Platform
import Testing

/// Values of the dial that no built-in profile uses, so that every value of a profile does something.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct DialTests {
  private static func dial(_ base: String, _ values: String) throws -> MountedDrive {
    try InterruptTests.derived(base, "dial: {\(values)}")
  }

  @Test func `a path walk may be refused, and may start the download`() async {
    await OwnThreads.run { _ in
      // Both say "missing": the kernel looks a name up twice before it believes that.
      let drive = try Self.dial(
        "icloud",
        "lookup: {answer: \"missing\", starts: \"content\", whileMaterializing: \"missing\"}")
      let world = try drive.world()
      let gate = try world.closeGate("first-byte", path: "/doc")
      try CallingProgram.probe("open", drive.at("doc")).expect("ENOENT")
      try world.awaitGate(gate, timeout: MatrixSettings.patience)
      try CallingProgram.probe("open", drive.at("doc")).expect("ENOENT")
      try world.openGate(gate)
      let transfers = try world.awaitRecords(
        LedgerFilter(kinds: [.transfer], answer: "completed"), timeout: MatrixSettings.patience)
      try CallingProgram.probe("open", drive.at("doc")).expect("present")
      let walks = try world.records(LedgerFilter(callClasses: ["lookup"], answer: "missing"))
      let starting = walks.filter { $0.started == "content" }
      try PatienceTests.require(
        transfers.map(\.cause) == starting.map(\.id) && starting.count == 1, "\(walks)")
    }
  }

  /// semantics: "A listing that meets one that runs gets the profile's answer for that, and never an empty folder."
  @Test func `a listing that meets another one may be told to come again`() async {
    await OwnThreads.run { _ in
      let drive = try Self.dial("icloud", "readdir: {whileMaterializing: \"EAGAIN\"}")
      let first = try HeldCall("readdir", of: "folder", on: drive, afterOthers: false)
      try CallingProgram.probe("readdir", drive.at("folder")).expect("EAGAIN")
      try first.world.openGate(first.gate)
      try first.program.finishInTime().expect("present inner")
      try CallingProgram.probe("readdir", drive.at("folder")).expect("present inner")
    }
  }

  @Test func `a listing may be refused and start all the same`() async {
    await OwnThreads.run { _ in
      let file = try InterruptTests.derivedFile(
        "icloud", "dial: {readdir: {answer: \"EAGAIN\"}}")
      defer { file.remove() }
      let drive = try MountedDrive(file.path, cloud: ["doc": [120]])
      let world = try drive.world()
      let gate = try world.closeGate("reply:enumerate", path: "*")
      try CallingProgram.probe("readdir", drive.mountpoint).expect("EAGAIN")
      try world.awaitGate(gate, timeout: MatrixSettings.patience)
      let second = try TestProgram(
        [CallingProgram.built("CallProbe"), "readdir", drive.mountpoint])
      _ = try world.awaitRecords(
        LedgerFilter(callClasses: ["readdir"], process: second.process, isComplete: false),
        timeout: MatrixSettings.patience)
      try world.openGate(gate)
      try second.finishInTime().expect("present doc")
    }
  }

  @Test func `a profile may refuse downloads in so many words`() async {
    await OwnThreads.run { _ in
      let drive = try Self.dial("icloud", "explicit: {answer: \"EPERM\", starts: \"nothing\"}")
      try CallingProgram.probe("request-download", drive.at("doc")).expect("EPERM")
      let error = try drive.drive().download(["/doc"]).first?.error
      try PatienceTests.require(
        error?.code == .failed && error?.message.contains("EPERM") == true, "\(error as Any)")
      try PatienceTests.require(
        try drive.world().records(LedgerFilter(kinds: [.transfer])).isEmpty, "it was fetched")
    }
  }

  @Test func `a profile may name its own error for whom nobody let in`() async {
    await OwnThreads.run { _ in
      let file = try InterruptTests.derivedFile("icloud", "withoutGrant: \"EACCES\"")
      defer { file.remove() }
      let drive = try MountedDrive(file.path, cloud: ["doc": [120]], options: ["--scoped"])
      try CallingProgram.probe("readdir", drive.mountpoint).expect("EACCES")
    }
  }

  /// Who follows the ledger is told of a request when it is complete, and only time tells that nothing
  /// follows a path walk.
  ///
  /// semantics: "A path walk belongs to the call that follows it, and is of class `lookup` if none does within a second."
  @Test func `a path walk that nothing follows is told to those who follow the ledger`() async {
    await OwnThreads.run { _ in
      let drive = try PatienceTests.drive("icloud")
      let seen = FollowedRecords(try drive.world())
      // Nothing tells when a follower is heard, but what it sees.
      repeat {
        try CallingProgram.probe("stat", drive.at("doc")).expect("present")
      } while seen.isEmpty
      try CallingProgram.probe("lookup", drive.at("doc")).expect("present")
      try PatienceTests.require(seen.wait { $0.callClass == "lookup" }, "it is not told")
    }
  }
}

/// What a thread of its own sees of a ledger.
private final class FollowedRecords: @unchecked Sendable {
  private let condition = NSCondition()
  private var records: [Record] = []

  init(_ world: World) {
    let follower = Follower(world: world)
    Thread.detachNewThread { [self] in
      try? follower.world.follow { record in
        condition.withLock {
          records.append(record)
          condition.broadcast()
        }
      }
    }
  }

  private struct Follower: @unchecked Sendable { let world: World }

  var isEmpty: Bool { condition.withLock { records.isEmpty } }

  /// Waits for a record; false when none comes.
  func wait(for isMeant: (Record) -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: Double(MatrixSettings.patience.components.seconds))
    return condition.withLock {
      while !records.contains(where: isMeant) {
        guard condition.wait(until: end) else { return false }
      }
      return true
    }
  }
}
