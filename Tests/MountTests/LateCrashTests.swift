import Control
import DriveClient
import Foundation
import MountKit
import Platform
import Testing

/// A drive whose process is killed after an upload that programs have overtaken with other changes.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct LateCrashTests {
  /// A change that is held on its way to the cloud, and one that a program makes meanwhile.
  struct Race: Sendable {
    let name: String
    var prepare = ":"
    let first: String
    let then: String
    let after: [String: Tree.Entry]
  }

  /// semantics: "What a program changes while an upload is on its way is not lost and meets no conflict with that upload, also when the drive's process is killed, or the answer is lost, before the drive knows that the cloud has it."
  @Test(.timeLimit(.minutes(15)), arguments: [true, false])
  func `what overtakes an upload survives a crash`(isKilled: Bool) throws {
    let drive = try MountedDrive("icloud", options: ["--clock", "manual"])
    for (number, race) in Self.races.enumerated() {
      for point in Self.points(for: race) {
        try run(race, at: point, in: "\(number)-\(point)", isKilled: isKilled, drive)
      }
    }
    #expect(try drive.cloudTree() == drive.tree())
    #expect(try drive.unmount().status == 0)
  }

  private static func points(for race: Race) -> [String] {
    guard Thoroughness.isThorough else { return ["uploaded"] }
    return ["uploaded", "upload-noted"]
      + (race.first.contains("echo") ? ["upload-last-byte"] : [])
  }

  private func run(
    _ race: Race, at point: String, in name: String, isKilled: Bool, _ drive: MountedDrive
  ) throws {
    let place = "\(race.name), \(point)"
    func run(_ script: String) throws {
      let ended = try drive.run("sh", "-ec", "cd \"$0\"; \(script)", drive.at(name))
      #expect(ended.status == 0, "\(place): \(ended)")
    }
    try drive.run("mkdir", drive.at(name))
    try run(race.prepare)
    try drive.awaitUploads(isAdvancing: true)
    let world = try drive.world()
    let gate = try world.closeGate(at: Checkpoint(rawValue: point))
    try run(race.first)
    try world.advanceClock(by: .seconds(1))
    try world.awaitGate(gate, holds: 1, timeout: .seconds(100))
    try run(race.then)
    if isKilled {
      try drive.kill()
      try drive.mount()
    } else {
      // The answer is lost on its way.
      try world.failGate(gate, with: .io)
    }
    try drive.awaitUploads(isAdvancing: true)
    let (seen, inCloud) = (try drive.tree(of: name), try drive.cloudTree(of: name))
    #expect(seen == Tree(race.after), "\(place): the drive")
    #expect(inCloud == Tree(race.after), "\(place): the cloud")
  }

  static let races = made + changed + moved

  private static let made = [
    Race(name: "made, overwritten", first: "echo 1 >a", then: "echo 2 >a", after: ["a": "2\n"]),
    Race(
      name: "made, appended to", first: "echo 1 >a", then: "echo 2 >>a", after: ["a": "1\n2\n"]),
    Race(name: "made, renamed", first: "echo 1 >a", then: "mv a b", after: ["b": "1\n"]),
    Race(
      name: "made, moved", prepare: "mkdir d", first: "echo 1 >a", then: "mv a d/b",
      after: ["d": .folder, "d/b": "1\n"]),
    Race(name: "made, deleted", first: "echo 1 >a", then: "rm a", after: [:]),
    Race(
      name: "made, deleted, made again", first: "echo 1 >a", then: "rm a; echo 2 >a",
      after: ["a": "2\n"]),
    Race(
      name: "made, replaced by a save", first: "echo 1 >a", then: "echo 2 >a.tmp; mv a.tmp a",
      after: ["a": "2\n"]),
    Race(
      name: "made, put in the place of another", prepare: "echo 0 >doc", first: "echo 1 >a",
      then: "mv a doc", after: ["doc": "1\n"]),
    Race(
      name: "made, renamed, another made", first: "echo 1 >a", then: "mv a b; echo 2 >a",
      after: ["a": "2\n", "b": "1\n"]),
    Race(
      name: "a folder made, renamed, filled", first: "mkdir d", then: "mv d e; echo 1 >e/f",
      after: ["e": .folder, "e/f": "1\n"]),
    Race(
      name: "a folder made, filled", first: "mkdir d", then: "echo 1 >d/f",
      after: ["d": .folder, "d/f": "1\n"]),
    Race(name: "a folder made, deleted", first: "mkdir d", then: "rmdir d", after: [:]),
    Race(
      name: "a link made, replaced", first: "ln -s x a", then: "ln -sf y a",
      after: ["a": .link("y")]),
  ]

  private static let changed = [
    Race(
      name: "changed, overwritten", prepare: "echo 0 >a", first: "echo 1 >a", then: "echo 2 >a",
      after: ["a": "2\n"]),
    Race(
      name: "changed, replaced by a save", prepare: "echo 0 >a", first: "echo 1 >a",
      then: "echo 2 >a.tmp; mv a.tmp a", after: ["a": "2\n"]),
    Race(
      name: "changed, renamed, overwritten", prepare: "echo 0 >a", first: "echo 1 >a",
      then: "mv a b; echo 2 >b", after: ["b": "2\n"]),
    Race(
      name: "changed, deleted", prepare: "echo 0 >a", first: "echo 1 >a", then: "rm a", after: [:]),
    Race(
      name: "changed, deleted, made again", prepare: "echo 0 >a", first: "echo 1 >a",
      then: "rm a; echo 2 >a", after: ["a": "2\n"]),
    Race(
      name: "changed, put in the place of another", prepare: "echo 0 >a; echo 9 >b",
      first: "echo 1 >a", then: "mv a b", after: ["b": "1\n"]),
    Race(
      name: "another mode, then overwritten", prepare: "echo 0 >a", first: "touch -d @5 a",
      then: "echo 2 >a", after: ["a": "2\n"]),
    Race(
      name: "another mode, then deleted", prepare: "echo 0 >a", first: "touch -d @5 a",
      then: "rm a", after: [:]),
  ]

  private static let moved = [
    Race(
      name: "moved, deleted", prepare: "echo 0 >a", first: "mv a b", then: "rm b", after: [:]),
    Race(
      name: "moved, moved back", prepare: "echo 0 >a", first: "mv a b", then: "mv b a",
      after: ["a": "0\n"]),
    Race(
      name: "moved, overwritten", prepare: "echo 0 >a", first: "mv a b", then: "echo 2 >b",
      after: ["b": "2\n"]),
    Race(
      name: "moved, another made", prepare: "echo 0 >a", first: "mv a b", then: "echo 2 >a",
      after: ["a": "2\n", "b": "0\n"]),
    Race(
      name: "deleted, made again", prepare: "echo 0 >a", first: "rm a", then: "echo 2 >a",
      after: ["a": "2\n"]),
    Race(
      name: "a folder moved, filled", prepare: "mkdir d", first: "mv d e", then: "echo 1 >e/f",
      after: ["e": .folder, "e/f": "1\n"]),
  ]
}
