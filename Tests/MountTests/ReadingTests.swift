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
}
