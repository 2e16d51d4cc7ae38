import Control
import DriveClient
import Foundation
import MountKit
import Platform
import Testing

/// A drive whose process is killed in the middle of an upload.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct UploadCrashTests {
  /// A change; each is done in a folder of its own, which the cloud has with what was prepared.
  struct Change: Sendable, CustomTestStringConvertible {
    let name: String
    var prepare = ":"
    let script: String
    let after: [String: Tree.Entry]
    var hasContent = true
    /// Whether it is one call, or is sent with its last call.
    var isOne = true
    var testDescription: String { name }
  }

  static let steps = ["upload-requested", "cloud:renamed", "uploaded", "upload-noted"]
  static let bytes = [
    "upload-first-byte", "upload-byte:1500000", "upload-last-byte", "cloud:staged",
    "cloud:renaming", "cloud:recorded",
  ]

  /// semantics: "Whenever the drive's process is killed in the middle of an upload, the cloud has the old version or the new one, whole, and after the next mount the new one: once, under its name, and with nothing beside it."
  @Test(
    .timeLimit(.minutes(15)),
    arguments: changes.map { ($0, "icloud") } + changes.filter(\.isOne).map { ($0, "local") })
  func `an upload goes on after a crash`(change: Change, profile: String) throws {
    let drive = try MountedDrive(profile, options: ["--clock", "manual"])
    let isOverNetwork = profile != "local"
    let points = Self.steps + (change.hasContent && isOverNetwork ? Self.bytes : [])
    for point in points {
      let name = point.replacingOccurrences(of: ":", with: "-")
      let prepared = try drive.run(
        "sh", "-ec", "umask 022; mkdir \"$0\"; cd \"$0\"; \(change.prepare)", drive.at(name))
      #expect(prepared.status == 0, "\(point): \(prepared)")
      try drive.awaitUploads(isAdvancing: true)
      let before = try drive.cloudTree().below(name)
      try drive.world().closeGate(at: Checkpoint(rawValue: point), isDeadly: true)
      // On a local disk nothing delays the upload, and it may die before the script has ended.
      try drive.run("sh", "-ec", "umask 022; cd \"$0\"; \(change.script)", drive.at(name))
      try drive.awaitDeath(isAdvancing: true)
      for (path, entry) in try drive.cloudTree().below(name).entries {
        #expect([before.entries[path], change.after[path]].contains(entry), "\(point): \(path)")
      }
      try drive.mount()
      try drive.awaitUploads(isAdvancing: true)
      let seen = try drive.tree().below(name)
      #expect(seen == Tree(change.after), "\(point)")
      let inCloud = try drive.cloudTree().below(name)
      #expect(inCloud == Tree(change.after), "\(point)")
    }
    #expect(try drive.cloudTree() == drive.tree())
    #expect(try drive.unmount().status == 0)
  }

  private static let large = "head -c 3000000 /dev/zero | tr '\\0' x"
  private static let content = Tree.Entry.file(
    [UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000))

  static let changes = [
    Change(name: "a new document", script: "\(large) >doc", after: ["doc": content]),
    Change(
      name: "other content", prepare: "echo old >doc", script: "\(large) >doc",
      after: ["doc": content]),
    Change(
      name: "a save by a new file", prepare: "echo old >doc",
      script: "\(large) >doc.tmp; mv doc.tmp doc", after: ["doc": content], isOne: false),
    Change(
      name: "a document in the place of another", prepare: "echo old >doc; echo new >other",
      script: "mv other doc", after: ["doc": "new\n"], hasContent: false),
    Change(name: "a new folder", script: "mkdir new", after: ["new": .folder], hasContent: false),
    Change(
      name: "a new folder with documents", script: "mkdir new; echo 1 >new/1; echo 2 >new/2",
      after: ["new": .folder, "new/1": "1\n", "new/2": "2\n"], hasContent: false, isOne: false),
    Change(
      name: "a new symbolic link", script: "ln -s a new", after: ["new": .link("a")],
      hasContent: false),
    Change(
      name: "another folder", prepare: "mkdir a b; echo old >a/doc", script: "mv a/doc b/other",
      after: ["a": .folder, "b": .folder, "b/other": "old\n"], hasContent: false),
    Change(
      name: "an exchange", prepare: "echo 1 >a; echo 2 >b",
      script: "mv a c; mv b a; mv c b", after: ["a": "2\n", "b": "1\n"], hasContent: false,
      isOne: false),
    Change(
      name: "permissions", prepare: "echo old >doc", script: "chmod 600 doc",
      after: ["doc": .file(Array("old\n".utf8), mode: 0o600)], hasContent: false),
    Change(
      name: "a deletion", prepare: "echo old >doc", script: "rm doc", after: [:],
      hasContent: false),
    Change(
      name: "a folder's deletion", prepare: "mkdir a; echo old >a/doc", script: "rm -r a",
      after: [:], hasContent: false, isOne: false),
  ]
}
