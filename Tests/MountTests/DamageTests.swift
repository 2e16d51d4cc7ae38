import Control
import DriveClient
import Foundation
import Glibc
import Ledger
import MountKit
import Testing

/// Worlds whose files were damaged while they did not run.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct DamageTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    /// What is done to the catalog, in the device's folder.
    let command: String
    var isKilled = false
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "cut off", command: "truncate -s 100 catalog.sqlite"),
    Case(name: "garbage", command: "head -c 20000 /dev/urandom >catalog.sqlite"),
    Case(name: "the log is gone", command: "rm catalog.sqlite-wal", isKilled: true),
  ]

  /// semantics: "A damaged catalog is set aside, never deleted, and rebuilt from the cloud and from what is on the device; `fauxdrive mount` says so, and so do the log and `fauxdrive status`."
  /// semantics: "`fauxdrive doctor --check WORLD` looks at all that the devices of a world have, which must not run, tells what is damaged, and repairs nothing."
  @Test(arguments: cases) func `a damaged catalog is rebuilt at the mount`(_ damage: Case) throws {
    let drive = try MountedDrive("icloud", cloud: ["d/a": [1, 2, 3], "d/b": [4]])
    let session = try drive.session()
    #expect(try drive.run("cat", drive.at("d/a")).output == "\u{1}\u{2}\u{3}")
    try drive.world().setNetwork(isOnline: false)
    try drive.run("sh", "-c", "echo changed >\(drive.at("d/a")); echo new >\(drive.at("d/new"))")
    // What nobody has waited for is in the redo log for a moment, which counts upon a whole catalog only.
    try drive.run("sync", drive.at("d/new"))
    let before = try session.ask("stat \(drive.at("d/new"))")
    session.endInput()
    if damage.isKilled { try drive.kill() } else { #expect(try drive.unmount().status == 0) }
    let folder = drive.worldFolder + "/devices/device"
    #expect(try drive.run("sh", "-ec", "cd \(folder); \(damage.command)").status == 0)
    if !damage.isKilled {
      let checked = try drive.run(MountedDrive.program, "doctor", "--check", drive.worldFolder)
      #expect(checked.status == 78, "\(checked)")
      #expect(checked.output.contains("the catalog is damaged"), "\(checked)")
    }
    let mounted = try drive.tryMounting()
    #expect(mounted.status == 0, "\(mounted)")
    try drive.adopt()
    let lines = mounted.errors.split(separator: "\n")
    #expect(lines.count == 1 && lines[0].hasPrefix("fauxdrive: the device's catalog was damaged ("))
    #expect(lines[0].contains("2 pending changes kept"), "\(lines)")
    let notices = try drive.world().status().devices[0].notices
    #expect(notices.count == 1 && lines[0].contains(notices.first ?? "none"))
    let log = try String(contentsOfFile: drive.worldFolder + "/log", encoding: .utf8)
    #expect(log.contains(notices.first ?? "none"))
    let shown = try drive.fauxdrive(["status", drive.mountpoint])
    #expect(shown.output.contains("was damaged"), "\(shown)")
    #expect(try drive.session().ask("stat \(drive.at("d/new"))") == before)
    #expect(try drive.run("cat", drive.at("d/a"), drive.at("d/new")).output == "changed\nnew\n")
    try drive.awaitUploads()
    #expect(
      try drive.run("cat", drive.cloud + "/d/a", drive.cloud + "/d/new").output == "changed\nnew\n")
    #expect(try drive.run("ls", drive.at("d")).output == "a\nb\nnew\n")
    let transfers = try drive.world().records(LedgerFilter(kinds: [.transfer]))
    #expect(transfers.isEmpty)
    #expect(try drive.unmount().status == 0)
    let checked = try drive.run(MountedDrive.program, "doctor", "--check", drive.worldFolder)
    #expect(checked.status == 0 && checked.output.contains("device is whole"), "\(checked)")
    #expect(try drive.tryMounting().errors.isEmpty)
    try drive.adopt()
    #expect(try drive.unmount().status == 0)
  }
}
