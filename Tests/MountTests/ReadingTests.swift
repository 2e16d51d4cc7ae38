import Control
import DriveClient
import Ledger
import MountKit
import Platform
import Testing

/// The first use of a drive, with unmodified programs on a real mount.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct ReadingTests {
  @Test func `synology: a check fails and forces the download, and then the document opens`() throws
  {
    let drive = try MountedDrive("synology", cloud: ["Game.plist": Array("hello\n".utf8)])
    #expect(try drive.run("ls", drive.mountpoint).output == "Game.plist\n")
    #expect(try drive.run("stat", drive.at("Game.plist")).status == 1)
    #expect(try drive.run("stat", "-c", "%s", drive.at("Game.plist")).output == "6\n")
    #expect(try drive.run("cat", drive.at("Game.plist")).output == "hello\n")
    let transfers = try drive.world().records(.init(kinds: [.transfer]))
    #expect(transfers.map(\.path) == ["/Game.plist"])
    #expect(try drive.unmount().status == 0)
  }

  /// What a backup makes of a document that is not here.
  ///
  /// semantics: "`tar` keeps documents whole that are not here, with `--sparse` too; where a profile says `blocks: faithful`, `tar --sparse` archives nothing but zeros, as on a Mac."
  @Test(arguments: [true, false])
  func `tar keeps whole what is not here, unless its blocks are told as they are`(isSafe: Bool)
    throws
  {
    let content = [UInt8](repeating: 120, count: 100_000)
    for option in ["--no-seek", "--sparse"] {
      let drive = try MountedDrive("icloud", cloud: ["doc": content], mounting: false)
      let own = drive.folder + "/own.json5"
      let change = "s/blocks: \"safe\"/blocks: \"\(isSafe ? "safe" : "faithful")\"/"
      let show = "\"$0\" profile show icloud | sed '\(change)' >\"$1\""
      #expect(try drive.run("sh", "-ec", show, MountedDrive.program, own).status == 0)
      #expect(try drive.tryMounting(["--profile", own]).status == 0)
      try drive.adopt()
      let script = """
        ls "$0"; tar -C "$0" \(option) -cf "$1/a.tar" doc; tar -C "$1" -xf "$1/a.tar"
        tr -d x <"$1/doc" | wc -c; stat -c %s "$1/doc"
        """
      let ended = try drive.run("sh", "-ec", script, drive.mountpoint, drive.folder)
      let zeros = option == "--sparse" && !isSafe ? content.count : 0
      #expect(ended.output == "doc\n\(zeros)\n\(content.count)\n", "\(option): \(ended)")
      #expect(try drive.unmount().status == 0)
    }
  }
}
