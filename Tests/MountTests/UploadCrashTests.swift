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
  struct Change: Sendable {
    let name: String
    var prepare = ":"
    let script: String
    let after: [String: Tree.Entry]
    var hasContent = true
    /// Whether it is one call, or is sent with its last call.
    var isOne = true
  }

  /// Where it dies in every upload; and where content travels and takes its place.
  static let steps = ["uploaded", "upload-requested", "cloud:renamed", "upload-noted"]
  static let stepsOfContent = [
    "upload-first-byte", "upload-byte:1100000", "upload-last-byte", "cloud:staged",
    "cloud:renaming", "cloud:recorded",
  ]

  /// semantics: "Whenever the drive's process is killed in the middle of an upload, the cloud has the old version or the new one, whole, and after the next mount the new one: once, under its name, and with nothing beside it."
  @Test(.timeLimit(.minutes(15)), arguments: ["icloud", "local"])
  func `an upload goes on after a crash`(profile: String) throws {
    let drive = try MountedDrive(profile, options: ["--clock", "manual"])
    for (number, change) in Self.changes.enumerated() where change.isOne || profile != "local" {
      for point in Self.points(for: change, profile) {
        let name = "\(number)-" + point.replacingOccurrences(of: ":", with: "-")
        try crash(drive, at: point, in: name, change)
      }
    }
    #expect(try drive.cloudTree() == drive.tree())
    #expect(try drive.unmount().status == 0)
  }

  private static func points(for change: Change, _ profile: String) -> [String] {
    // On a local disk content does not travel.
    let all = steps + (change.hasContent && profile != "local" ? stepsOfContent : [])
    return Thoroughness.isThorough || change.hasContent ? all : Array(all.prefix(1))
  }

  private func crash(
    _ drive: MountedDrive, at point: String, in name: String, _ change: Change
  ) throws {
    let place = "\(change.name), \(point)"
    let prepared = try drive.run(
      "sh", "-ec", "umask 022; mkdir \"$0\"; cd \"$0\"; \(change.prepare)", drive.at(name))
    #expect(prepared.status == 0, "\(place): \(prepared)")
    try drive.awaitUploads(isAdvancing: true)
    let before = try drive.cloudTree(of: name)
    let script = "umask 022; cd \"$0\"; \(change.script)"
    try drive.world().closeGate(at: Checkpoint(rawValue: point), isDeadly: true)
    if try drive.run("sh", "-ec", script, drive.at(name)).status != 0 {
      // It died of the end of an upload from before, and the script could not begin.
      try drive.awaitDeath(isAdvancing: true)
      try drive.mount()
      try drive.awaitUploads(isAdvancing: true)
      try drive.world().closeGate(at: Checkpoint(rawValue: point), isDeadly: true)
      try drive.run("sh", "-ec", script, drive.at(name))
    }
    try drive.awaitDeath(isAdvancing: true)
    // Two that exchange their names need a third one for a moment.
    let entries = try drive.cloudTree(of: name).entries.filter { !$0.key.contains(".exchanged-") }
    for (path, entry) in entries {
      #expect([before.entries[path], change.after[path]].contains(entry), "\(place): \(path)")
    }
    try drive.mount()
    try drive.awaitUploads(isAdvancing: true)
    let (seen, inCloud) = (try drive.tree(of: name), try drive.cloudTree(of: name))
    #expect(seen == Tree(change.after), "\(place): the drive")
    #expect(inCloud == Tree(change.after), "\(place): the cloud")
  }

  private static let large = "head -c 1200000 /dev/zero | tr '\\0' x"
  private static let content = Tree.Entry.file(
    [UInt8](repeating: UInt8(ascii: "x"), count: 1_200_000))

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
