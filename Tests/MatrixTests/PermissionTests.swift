import Control
import DriveClient
import Foundation
import Glibc
import Ledger
import MountKit
import Testing

/// Permission bits, with and without the kernel's own checks: both must say the same.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct PermissionTests {
  struct Asker: Sendable, CustomTestStringConvertible {
    let what: String
    let options: [String]
    var testDescription: String { what }
  }

  // The device belongs to root, with root's group.
  static let root = Asker(what: "root", options: [])
  static let member = Asker(
    what: "a member of the group by its supplementary groups",
    options: ["--reuid=65534", "--regid=65534", "--groups=0"])
  static let owner = Asker(
    what: "somebody whose own group it is",
    options: ["--reuid=65534", "--regid=0", "--clear-groups"])
  static let stranger = Asker(
    what: "a stranger", options: ["--reuid=65534", "--regid=65534", "--clear-groups"])

  /// Mode of the document, who asks, and whether it may be read.
  static let rows: [(mode: Int, asker: Asker, mayRead: Bool)] = [
    (0o000, root, true), (0o640, member, true), (0o640, owner, true), (0o640, stranger, false),
    (0o604, member, false), (0o604, stranger, true),
  ]

  /// Where the kernel checks (no audit, and a profile that holds neither stat, access nor open), and where
  /// the drive does.
  static let places: [(profile: String, options: [String])] = [
    ("icloud", []), ("icloud", ["--audit"]), ("local", []), ("local", ["--audit"]),
    ("synology", []),
  ]

  /// semantics: "Permission bits count the same whether the kernel checks them or the drive does."
  @Test(
    .enabled(if: geteuid() == 0, "only root can ask as somebody else"), arguments: places)
  func `permission bits count the same whoever checks them`(
    _ profile: String, _ options: [String]
  ) async {
    await OwnThreads.run { complaints in
      let modes = Array(Set(Self.rows.map(\.mode)))
      let drive = try MountedDrive(
        profile, options: options + ["--allow-other"], mounting: false)
      for mode in modes {
        try drive.put([120], at: "doc-\(mode)")
        chmod(drive.cloud + "/doc-\(mode)", mode_t(mode))
      }
      // What tells programs apart is the drive, not the folders above it.
      chmod(drive.folder, 0o755)
      try drive.mount()
      try CallingProgram.probe("readdir", drive.mountpoint).expect("present")
      for mode in modes { try drive.drive().download(["/doc-\(mode)"]) }
      let probe = try PublicCopy(of: CallingProgram.built("CallProbe"))
      defer { probe.remove() }
      for row in Self.rows {
        for call in ["access", "open"] {
          let command = row.asker.options.isEmpty ? [] : ["setpriv"] + row.asker.options
          let ended = try TestProgram(
            command + [probe.path, call, drive.at("doc-\(row.mode)")]
          ).finishInTime()
          complaints.expect(
            ended.output == (row.mayRead ? "present\n" : "EACCES\n"),
            "\(call) of mode \(String(row.mode, radix: 8)) by \(row.asker.what): \(ended)")
        }
      }
    }
  }

  @Test(arguments: ["icloud", "local", "synology"])
  func `in an audit, a question whether one may write is answered as for reading`(
    _ profile: String
  ) async {
    await OwnThreads.run { _ in
      let drive = try PatienceTests.drive(profile)
      try drive.drive().download(["/doc"])
      try CallingProgram.probe("access-write", drive.at("doc")).expect("present")
      let records = try drive.world().records(LedgerFilter(callClasses: ["access"]))
      try PatienceTests.require(records.map(\.answer) == ["present"], "\(records)")
    }
  }
}

/// A program where everybody may run it.
private struct PublicCopy {
  let path: String

  init(of program: String) throws {
    path = "/tmp/fauxdrive-probe-" + UUID().uuidString
    try FileManager.default.copyItem(atPath: program, toPath: path)
    chmod(path, 0o755)
  }

  func remove() { unlink(path) }
}
