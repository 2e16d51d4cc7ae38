import Control
import DriveClient
import Glibc
import Ledger
import MountKit
import Platform
import Testing

/// What signals do to held calls, and what `st_blocks` says of a document that is not here.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct InterruptTests {
  /// As XNU's wait for its resolver ends with EINTR (bsd/vfs/vfs_syscalls.c).
  static let held: [(profile: String, callClass: String, afterOthers: Bool)] = [
    ("icloud", "read", false), ("icloud", "readdir", false), ("icloud-legacy", "readdir", false),
    ("synology", "stat", true), ("synology", "access", true), ("synology", "open", false),
    ("synology", "readdir", false), ("onedrive", "read", false), ("onedrive", "readdir", false),
  ].filter { MatrixSettings.means($0.profile) }

  /// semantics: "A signal ends a held call with EINTR, and the transfer goes on."
  @Test(arguments: held)
  func `a signal ends a held call with EINTR, and the transfer goes on`(
    _ profile: String, _ callClass: String, _ afterOthers: Bool
  ) async {
    await OwnThreads.run { _ in
      let drive = try PatienceTests.drive(profile)
      let call = try HeldCall(
        callClass, of: callClass == "readdir" ? "folder" : "doc", on: drive,
        afterOthers: afterOthers, options: ["--catch"])
      call.program.signal(SIGUSR1)
      try call.program.finishInTime().expect("EINTR")
      try PatienceTests.require(try call.record?.answer == "EINTR", "not in the ledger")
      try PatienceTests.require(try call.world.held(at: call.gate) == 1, "the transfer has ended")
      try call.world.openGate(call.gate)
    }
  }

  /// A profile that differs from a built-in one in a few values.
  static func derived(_ base: String, _ values: String) throws -> MountedDrive {
    let file = try derivedFile(base, values)
    defer { file.remove() }
    return try PatienceTests.drive(file.path)
  }

  static func derivedFile(_ base: String, _ values: String) throws -> TemporaryFile {
    try TemporaryFile(
      "{ format: 1, name: \"changed\", basedOn: \"\(base)\", representation: {\(values)} }")
  }

  /// semantics: "In a profile that says `fatalOnly`, only a signal that ends the program ends a held call."
  @Test
  func `where only fatal signals count, another one changes nothing, and SIGKILL ends the wait`()
    async
  {
    await OwnThreads.run { _ in
      let drive = try Self.derived("icloud", "interruptible: \"fatalOnly\"")
      let call = try HeldCall(
        "read", of: "doc", on: drive, afterOthers: false, options: ["--catch"])
      call.program.signal(SIGUSR1)
      // The kernel hands an interrupt over before any later request.
      try CallingProgram.probe("stat", drive.at("doc")).expect("present")
      try PatienceTests.require(try call.isHeld, "it was interrupted")
      try call.world.openGate(call.gate)
      try call.program.finishInTime().expect("present content")

      try drive.drive().evict(["/doc"])
      let killed = try HeldCall("read", of: "doc", on: drive, afterOthers: false)
      killed.program.signal(SIGUSR2)
      let ended = try killed.program.finishInTime()
      try PatienceTests.require(ended.status == -SIGUSR2, "it was not killed: \(ended)")
      try killed.world.openGate(killed.gate)
    }
  }

  /// GNU tar takes a file of no blocks for a hole and never reads it, so while it is open it has some.
  ///
  /// semantics: "A document that is not here has no blocks, but some while a program has it open."
  @Test(arguments: ["icloud", "onedrive"].filter { MatrixSettings.means($0) })
  func `a document that is not here has no blocks, but some while it is open`(
    _ profile: String
  ) async {
    await OwnThreads.run { _ in
      let drive = try PatienceTests.drive(profile)
      try CallingProgram.probe("stat", drive.at("doc")).expect("present 7 bytes, 0 blocks")
      try CallingProgram.probe("open-fstat", drive.at("doc")).expect("present 7 bytes, 1 blocks")
      try CallingProgram.probe("stat", drive.at("doc")).expect("present 7 bytes, 0 blocks")
      try PatienceTests.require(
        try drive.world().records(LedgerFilter(kinds: [.transfer])).isEmpty, "it was fetched")
    }
  }
}
