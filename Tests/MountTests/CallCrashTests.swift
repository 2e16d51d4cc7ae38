import Control
import DriveClient
import Foundation
import MountKit
import Platform
import Testing

/// A drive whose process is killed in the middle of a program's call that changes something.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct CallCrashTests {
  /// Each runs in a folder of its own.
  struct Work: Sendable {
    let call: ChangingCall
    /// What is there before.
    var prepare = ":"
    let script: String
    /// What is there if the process dies before anything changes, and after all has.
    let before: [String: Tree.Entry]
    let after: [String: Tree.Entry]
  }

  /// semantics: "A call that changes something has happened wholly or not at all when the drive's process dies in the middle of it, and wholly once the program was answered."
  /// semantics: "What a program has written stays over a crash, closed or not, as it stays on a disk when the program dies."
  @Test(
    .timeLimit(.minutes(15)), arguments: Thoroughness.isThorough ? ["icloud", "local"] : ["icloud"])
  func `a call happens wholly or not at all when the process dies`(profile: String) throws {
    let drive = try MountedDrive(profile, options: [])
    try drive.run("sh", "-c", "printf newer >\"$0\"", drive.at("newer"))
    for work in Self.works {
      for isAfter in [false, true] {
        let name = "\(work.call.rawValue)-\(isAfter ? "after" : "before")"
        let prepared = try drive.run(
          "sh", "-ec", "umask 022; mkdir \"$0\"; cd \"$0\"; \(work.prepare)", drive.at(name))
        #expect(prepared.status == 0, "\(name): \(prepared)")
        let point: Checkpoint = isAfter ? .after(work.call) : .before(work.call)
        try drive.world().closeGate(at: point, path: "/\(name)/*", isDeadly: true)
        let ended = try drive.run("sh", "-c", "cd \"$0\"; \(work.script)", drive.at(name))
        #expect(ended.status != 0, "\(name): the program has not met the crash")
        try drive.awaitDeath()
        try drive.mount()
        let expected = Tree(isAfter ? work.after : work.before)
        let seen = try drive.tree(of: name)
        #expect(seen == expected, "\(name)")
      }
    }
    try drive.awaitUploads()
    #expect(try drive.cloudTree() == drive.tree())
    #expect(try drive.unmount().status == 0)
  }

  static let works = [
    Work(call: .create, script: ": >new", before: [:], after: ["new": ""]),
    Work(call: .mkdir, script: "mkdir new", before: [:], after: ["new": .folder]),
    Work(call: .symlink, script: "ln -s a new", before: [:], after: ["new": .link("a")]),
    Work(
      call: .write, prepare: "printf old >doc", script: "printf new 1<>doc",
      before: ["doc": "old"], after: ["doc": "new"]),
    Work(
      call: .truncate, prepare: "printf old >doc", script: ": >doc",
      before: ["doc": "old"], after: ["doc": ""]),
    Work(
      call: .setattr, prepare: "printf old >doc", script: "chmod 600 doc",
      before: ["doc": "old"], after: ["doc": .file(Array("old".utf8), mode: 0o600)]),
    Work(
      call: .rename, prepare: "printf old >doc; printf new >doc.tmp", script: "mv doc.tmp doc",
      before: ["doc": "old", "doc.tmp": "new"], after: ["doc": "new"]),
    Work(
      call: .unlink, prepare: "printf old >doc", script: "rm doc",
      before: ["doc": "old"], after: [:]),
    Work(
      call: .rmdir, prepare: "mkdir old", script: "rmdir old",
      before: ["old": .folder], after: [:]),
    // What was written is there, whatever becomes of the close.
    Work(
      call: .close, prepare: "printf old >doc", script: "cp ../newer doc",
      before: ["doc": "newer"], after: ["doc": "newer"]),
    Work(
      call: .fsync, prepare: "printf old >doc",
      script: "printf newer | dd of=doc conv=notrunc,fsync status=none",
      before: ["doc": "newer"], after: ["doc": "newer"]),
  ]
}
