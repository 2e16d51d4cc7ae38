import Control
import DriveClient
import Foundation
import Glibc
import Platform
import Testing

@Suite struct LocationTests {
  /// A table with an ordinary root, a drive, a drive within a drive, a covered one and a bind mount.
  private static func table(_ base: String) -> MountTable {
    MountTable(
      parsing: """
        21 1 8:1 / / rw - ext4 /dev/sda1 rw
        30 21 0:40 / \(base)/drive rw,nosuid shared:5 - fuse.fauxdrive fauxdrive:/w#phone rw,user_id=0
        31 30 0:41 / \(base)/drive/sub/in rw - fuse.fauxdrive fauxdrive:/w#inner rw
        32 30 0:42 / \(base)/drive/plain rw - tmpfs tmpfs rw
        33 21 0:43 / \(base)/covered rw - fuse.fauxdrive fauxdrive:/w#covered rw
        34 21 0:44 / \(base)/covered rw - tmpfs tmpfs rw
        35 21 0:40 /part \(base)/bound rw - fuse.fauxdrive fauxdrive:/w#phone rw
        36 21 0:45 / \(base)/my\\040drive rw - fuse.fauxdrive fauxdrive:/my%20w#a%23b rw
        37 21 0:46 / \(base)/ssh rw - fuse.sshfs host: rw
        nonsense

        38 21 0:47 / \(base)/bad rw - fuse.fauxdrive something rw
        """)
  }

  static let places: [(path: String, device: String?, inside: String)] = [
    ("/drive", "phone", "/"), ("/drive/", "phone", "/"), ("/drive/a/b", "phone", "/a/b"),
    ("/drive/./a//b/../c", "phone", "/a/c"), ("/drive/a/../../drive/x", "phone", "/x"),
    ("/drive/..", nil, ""), ("/drive/../drivers", nil, ""), ("/drives/x", nil, ""),
    ("/drive/sub/in/x", "inner", "/x"), ("/drive/sub/in/../y", "phone", "/sub/y"),
    ("/drive/plain/x", nil, ""), ("/covered/x", nil, ""), ("/bound", "phone", "/part"),
    ("/bound/x", "phone", "/part/x"), ("/my drive/x", "a#b", "/x"), ("/ssh/x", nil, ""),
    ("/bad/x", nil, ""), ("/link/x", "phone", "/x"), ("/deep", "phone", "/a/b"),
    ("/relative/y", "phone", "/y"), ("/loop/x", nil, ""), ("/drive/link", "phone", "/link"),
    ("/missing/../drive/x", "phone", "/x"),
  ]

  @Test(arguments: places.indices) func aPathIsFoundOnItsDrive(index: Int) throws {
    let (path, device, inside) = Self.places[index]
    let base = "/tmp/location-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: base) }
    // The drive's own folder does not exist: nothing at or below it may be looked at.
    try #require(mkdir(base, 0o700) == 0)
    try #require(symlink(base + "/drive", base + "/link") == 0)
    try #require(symlink("link/a/b", base + "/deep") == 0)
    try #require(
      symlink("../\((base as NSString).lastPathComponent)/drive", base + "/relative") == 0)
    try #require(symlink("loop", base + "/loop") == 0)
    let table = Self.table(base)
    guard let device else {
      let error = try #require(throws: ControlError.self) {
        try DriveLocation(of: base + path, in: table)
      }
      #expect(error.code == .notOnADrive)
      #expect(error.message.contains("is not on a FauxDrive mount"))
      return
    }
    let location = try DriveLocation(of: base + path, in: table)
    #expect(location.device == device)
    #expect(location.path == inside)
    #expect(location.world == (device == "a#b" ? "/my w" : "/w"))
  }

  @Test func onlyMountsThatAreSeenAreListed() {
    let drives = Self.table("/t").drives.map(\.mountpoint)
    #expect(drives == ["/t/bound", "/t/drive", "/t/drive/sub/in", "/t/my drive"])
  }

  @Test func theRealTableHasARoot() {
    #expect(MountTable.current().entries.contains { $0.mountpoint == "/" })
  }

  @Test func aWorldThatDoesNotRunIsNamed() throws {
    let error = try #require(throws: ControlError.self) { try World(directory: "/nowhere/world") }
    #expect(error.code == .notRunning)
    #expect(error.message == "the world at '/nowhere/world' is not running")
    #expect(error.exitCode == .unavailable)
  }
}
