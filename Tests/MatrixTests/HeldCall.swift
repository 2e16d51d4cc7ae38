import Control
import DriveClient
import Foundation
import Ledger
import MountKit
import Platform

/// A call that a gate holds, in a world whose clock only the test moves.
///
/// The transfer or listing that it waits for is held; the call is proved to be held by its open record.
struct HeldCall {
  let world: World
  let gate: Int
  let program: TestProgram
  let callClass: String

  /// Starts the call and returns when it is held.
  ///
  /// - Parameter callClass: "stat", "access", "open", "read", "write", "truncate" or "readdir"; it decides what the program does.
  /// - Parameter others: whether somebody else has started the transfer before.
  init(
    _ callClass: String, of name: String, on drive: MountedDrive, afterOthers others: Bool,
    options: [String] = []
  ) throws {
    world = try drive.world()
    self.callClass = callClass
    let isFolder = callClass == "readdir"
    let item = "/" + name
    gate = try world.closeGate(isFolder ? "reply:enumerate" : "first-byte", path: item)
    if others {
      try Drive(device: "device", of: world).download([item], wait: false)
      try world.awaitGate(gate, timeout: MatrixSettings.patience)
    }
    program = try TestProgram(
      [CallingProgram.built("CallProbe")] + options
        + [callClass == "write" ? "write-byte" : callClass, drive.at(name)])
    if !others { try world.awaitGate(gate, timeout: MatrixSettings.patience) }
    _ = try world.awaitRecords(
      LedgerFilter(callClasses: [callClass], process: program.process, isComplete: false),
      timeout: MatrixSettings.patience)
    guard try isHeld else { throw TestFailure("\(callClass) of \(name) is not held") }
  }

  /// Whether the program still waits, and the ledger shows its request as open.
  var isHeld: Bool {
    get throws { try program.isRunning && record?.answer == nil && record != nil }
  }

  /// The request's record.
  var record: Record? {
    get throws {
      try world.records(LedgerFilter(callClasses: [callClass], process: program.process)).last
    }
  }
}
