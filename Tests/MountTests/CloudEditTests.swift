import Control
import DriveClient
import Foundation
import Glibc
import MountKit
import Platform
import Testing

/// What `fauxdrive cloud` changes, as another device would.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct CloudEditTests {
  private func run(_ drive: MountedDrive, _ words: String...) throws -> TestProgram.Ended {
    let ended = try drive.fauxdrive(["cloud"] + words)
    _ = try drive.world().cloudRefresh()
    return ended
  }

  private func item(_ drive: MountedDrive, _ path: String) throws -> ItemInfo? {
    try drive.drive().status([path]).first?.info
  }

  /// semantics: "`fauxdrive cloud put` gives a document of the cloud a new version, and it stays the same item; with `--replace` another item takes its place."
  @Test func `a document is edited, replaced, moved and deleted`() throws {
    let drive = try MountedDrive("onedrive", cloud: ["a": Array("one".utf8)], options: [])
    #expect(try drive.run("cat", drive.at("a")).output == "one")
    let first = try #require(try item(drive, "/a"))
    let content = drive.folder + "/content"
    try Data("two".utf8).write(to: URL(filePath: content))
    #expect(try run(drive, "put", content, drive.at("a")).status == 0)
    #expect(try drive.run("cat", drive.at("a")).output == "two")
    let second = try #require(try item(drive, "/a"))
    #expect(second.item == first.item && second.inode == first.inode)
    #expect(second.version != first.version)
    #expect(try run(drive, "put", "--replace", content, drive.at("a")).status == 0)
    let third = try #require(try item(drive, "/a"))
    #expect(third.item != first.item && third.inode != first.inode)
    #expect(try run(drive, "mkdir", drive.at("d")).status == 0)
    #expect(try run(drive, "mv", drive.at("a"), drive.at("d/b")).status == 0)
    #expect(try drive.run("cat", drive.at("d/b")).output == "two")
    #expect(try item(drive, "/d/b")?.inode == third.inode)
    #expect(try run(drive, "rm", "-r", drive.at("d")).status == 0)
    #expect(try drive.run("ls", drive.mountpoint).output == "")
  }

  @Test func `a wrong edit is refused with what to do`() throws {
    let drive = try MountedDrive(
      "onedrive", cloud: ["a": Array("one".utf8), "b/c": Array("two".utf8)], options: [])
    let cases: [(TestProgram.Ended, ExitCode, String)] = [
      (try run(drive, "put", drive.folder + "/none", drive.at("a")), .noInput, "cannot be read"),
      (try run(drive, "put", drive.folder, drive.at("a")), .failure, "cannot be read"),
      (try run(drive, "put", "/etc/hostname", drive.at("x/y")), .noInput, "no x in the cloud"),
      (try run(drive, "put", "/etc/hostname", drive.at("b")), .failure, "not a document"),
      (try run(drive, "mkdir", drive.at("a")), .cannotCreate, "The name a is taken"),
      (try run(drive, "mv", drive.at("a"), drive.at("b")), .cannotCreate, "The name b is taken"),
      (try run(drive, "mv", drive.at("none"), drive.at("n")), .noInput, "none"),
      (try run(drive, "mv", drive.at("a"), "/tmp/a"), .noInput, "not on a FauxDrive mount"),
      (try run(drive, "rm", drive.at("b")), .failure, "not empty"),
      (try run(drive, "rm", "-r", drive.mountpoint), .failure, "top folder"),
    ]
    for (ended, status, text) in cases {
      let isOneSentence = ended.errors.split(separator: "\n").count <= 2
      #expect(
        ended.status == status.rawValue && ended.errors.contains(text) && isOneSentence, "\(ended)")
    }
    #expect(try drive.run("ls", drive.cloud).output == "a\nb\n")
  }
}
