import Control
import DriveClient
import Foundation
import Glibc
import Ledger
import MountKit
import Platform
import Testing

/// Changes in the cloud while programs have the document open or mapped.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct VersionTests {
  enum Change: String, CaseIterable, Sendable {
    case replaced, editedInPlace, truncated, grown, deleted, renamed
  }
  struct Case: CustomStringConvertible {
    let change: Change
    let size: Int
    let kernel: Kernel
    var description: String { "\(change), \(size) bytes, \(kernel)" }
  }
  // From 1 MiB on, root's documents are read by the kernel itself.
  static let cases = Kernel.allCases.flatMap { kernel in
    Change.allCases.map { Case(change: $0, size: 60_000, kernel: kernel) }
      + [Change.replaced, .truncated].map { Case(change: $0, size: 3_000_000, kernel: kernel) }
  }

  /// semantics: "A program that has a document open or mapped, shared or private, sees the version that it opened, whole and with its size, whatever happens in the cloud; whoever opens the document afterwards sees the newest."
  @Test(arguments: cases)
  func `an open or mapped document keeps its version`(_ test: Case) throws {
    let old = Version(1, size: test.size)
    let drive = try MountedDrive(
      "icloud", cloud: ["Folder/Document": old.bytes], options: test.kernel.options)
    let (world, session) = (try drive.world(), try drive.session())
    let path = drive.at("Folder/Document")
    #expect(try session.ask("open 1 \(path)").hasPrefix("ok"))
    #expect(try session.ask("whole \(path)") == old.answer)
    #expect(try session.ask("open 2 \(path)").hasPrefix("ok"))
    #expect(try session.ask("map 2 1 private") == "ok \(old.size)")
    #expect(try session.ask("map 2 2 shared") == "ok \(old.size)")
    // One mapping is touched before the change, and the other one never was.
    #expect(try session.ask("peek 1 0 \(old.size)") == old.answer)
    let status = try session.ask("fstat 1")
    let new = try apply(test.change, to: old, drive)
    #expect(try world.cloudRefresh() > 0)
    let whole = try session.ask("whole \(drive.at(new.path))")
    #expect(whole == new.version?.answer ?? "error ENOENT")
    let shown = try session.ask("stat \(drive.at(new.path))").split(separator: " ")
    #expect(shown[1] == new.version.map { "\($0.size)" } ?? "ENOENT")
    #expect(try session.ask("fstat 1").split(separator: " ")[1] == status.split(separator: " ")[1])
    for handle in [1, 2] { #expect(try session.ask("pread \(handle) 0 4000000") == old.answer) }
    for map in [1, 2] { #expect(try session.ask("peek \(map) 0 \(old.size)") == old.answer) }
    for handle in [1, 2] { #expect(try session.ask("close \(handle)") == "ok 0") }
    // A mapping needs no descriptor to live on.
    for map in [1, 2] { #expect(try session.ask("peek \(map) 0 \(old.size)") == old.answer) }
  }

  private func apply(
    _ change: Change, to old: Version, _ drive: MountedDrive
  ) throws -> (path: String, version: Version?) {
    let path = "Folder/Document"
    let file = drive.cloud + "/" + path
    var new = Version(2, size: old.size)
    switch change {
    case .replaced:
      new = Version(2, size: old.size / 3)
      try drive.put(new.bytes, at: path)
      return (path, new)
    case .editedInPlace:
      try overwrite(path, with: new, 0, drive)
      return (path, new)
    case .truncated:
      new = Version(2, size: 100)
      try overwrite(path, with: new, O_TRUNC, drive)
      return (path, new)
    case .grown:
      new = Version(2, size: old.size * 2)
      try overwrite(path, with: new, 0, drive)
      return (path, new)
    case .deleted:
      unlink(file)
      return (path, nil)
    case .renamed:
      rename(file, drive.cloud + "/Folder/Renamed")
      return ("Folder/Renamed", old)
    }
  }

  private func overwrite(
    _ path: String, with version: Version, _ flags: CInt, _ drive: MountedDrive
  ) throws {
    let descriptor = open(drive.cloud + "/" + path, O_WRONLY | flags)
    defer { close(descriptor) }
    guard write(descriptor, version.bytes, version.size) == version.size else {
      throw TestFailure("the cloud's file was not written")
    }
  }

  /// semantics: "A reader never sees the bytes of one version with the size of another."
  @Test(arguments: Kernel.allCases, ["handle", "path"])
  func `readers see whole versions only while versions come and go`(
    kernel: Kernel, how: String
  ) throws {
    let versions = (1...201).map { Version($0, size: 5_000 + $0 * 7919 % 60_000) }
    let drive = try MountedDrive(
      "icloud", cloud: ["Document": versions[0].bytes], options: kernel.options)
    let world = try drive.world()
    let watcher = try Hands("watch", how, drive.at("Document"))
    #expect(try watcher.line() == "ready 1")
    for version in versions.dropFirst() {
      try drive.put(version.bytes, at: "Document")
      _ = try world.cloudRefresh()
    }
    watcher.endInput()
    let seen = try watcher.line().split(separator: " ").dropFirst().map { Int($0) ?? -1 }
    print("\(kernel), by \(how): \(seen[0]) readings of \(seen[1]) versions")
    #expect(seen[2] == 0, "torn")
    #expect(seen[3] == 0, "an older version after a newer one")
    #expect(seen[5] == 0, "an error")
    if how == "handle" {
      #expect(seen[1] == 1)
      #expect(seen[4] == 0, "the version was here, so it cannot go")
    } else {
      #expect(seen[1] > 1)
    }
    #expect(try drive.session().ask("whole \(drive.at("Document"))") == versions[200].answer)
  }

  /// semantics: "If the cloud loses a version before it has come whole, whoever has it open gets ESTALE, and the next open gets the newest version whole."
  @Test(arguments: Kernel.allCases)
  func `a version that the cloud lost half-way is stale`(kernel: Kernel) throws {
    let (old, new) = (Version(1, size: 3 << 20), Version(2, size: 70_000))
    let drive = try MountedDrive(
      "icloud", cloud: ["Document": old.bytes], options: ["--audit"] + kernel.options)
    let (world, session) = (try drive.world(), try drive.session())
    let gate = try world.closeGate(at: Checkpoint(rawValue: "byte:\(1 << 20)"))
    try session.send("whole \(drive.at("Document"))")
    try world.awaitGate(gate, holds: 1, timeout: .seconds(60))
    // In place: a file that is only replaced can still be read to its end by whoever has it open.
    try overwrite("Document", with: new, O_TRUNC, drive)
    try world.openGate()
    #expect(try session.line() == "error ESTALE")
    #expect(try session.ask("whole \(drive.at("Document"))") == new.answer)
  }

  /// semantics: "A document that is not here can be mapped, shared as well as private: touching it brings it."
  @Test(arguments: Kernel.allCases, ["shared", "private"])
  func `a document that is not here can be mapped`(kernel: Kernel, how: String) throws {
    let document = Version(1, size: 700_000)
    let drive = try MountedDrive(
      "icloud", cloud: ["Document": document.bytes], options: kernel.options)
    let (world, session) = (try drive.world(), try drive.session())
    let path = drive.at("Document")
    #expect(try session.ask("open 1 \(path)").hasPrefix("ok"))
    #expect(try session.ask("map 1 1 \(how)") == "ok \(document.size)")
    #expect(try world.records(LedgerFilter(kinds: [.transfer])).isEmpty)
    #expect(try session.ask("peek 1 0 \(document.size)") == document.answer)
    #expect(try world.records(LedgerFilter(kinds: [.transfer])).count == 1)
    #expect(try session.ask("pread 1 0 800000") == document.answer)
  }

  /// semantics: "If the content of a mapped page cannot be brought, touching it ends the program with SIGBUS, as on any file system."
  @Test(arguments: Kernel.allCases)
  func `touching what cannot be brought is a bus error`(kernel: Kernel) throws {
    let document = Version(1, size: 700_000)
    let drive = try MountedDrive(
      "icloud", cloud: ["Document": document.bytes], options: kernel.options)
    let (world, session) = (try drive.world(), try drive.session())
    #expect(try session.ask("open 1 \(drive.at("Document"))").hasPrefix("ok"))
    #expect(try session.ask("map 1 1 shared") == "ok \(document.size)")
    try world.setNetwork(isOnline: false)
    #expect(try session.ask("peek 1 0 100") == "error SIGBUS")
    try world.setNetwork(isOnline: true)
    #expect(try session.ask("peek 1 0 \(document.size)") == document.answer)
  }
}
