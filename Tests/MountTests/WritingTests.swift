import Control
import DriveClient
import Ledger
import MountKit
import Testing

/// What programs write on a real mount, as far as a core without a kernel cannot show it.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct WritingTests {
  /// semantics: "A change of a document's date or permissions on this device leaves its content here."
  @Test(arguments: ["icloud", "synology"])
  func `what this device tells of a document does not bring it again`(profile: String) throws {
    let drive = try MountedDrive(profile, options: [])
    let path = drive.at("doc")
    for command in [
      "echo one >\"$0\"", "touch -d 2001-02-03 \"$0\"", "chmod 600 \"$0\"",
      "echo two >>\"$0\"; touch -d 2002-03-04 \"$0\"",
    ] {
      let ended = try drive.run("sh", "-c", command, path)
      #expect(ended.status == 0, "\(ended)")
      try drive.awaitUploads()
      let records = try drive.world().records(LedgerFilter(kinds: [.eviction, .conflict]))
      #expect(records.isEmpty, "\(command): \(records.map(\.line))")
    }
    let status = try drive.drive().status(["/doc"]).first?.info?.status
    #expect(status == .current)
    #expect(try drive.run("diff", "-r", drive.mountpoint, drive.cloud).status == 0)
  }
}
