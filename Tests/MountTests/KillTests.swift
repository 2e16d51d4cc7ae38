import Control
import DriveClient
import Foundation
import Glibc
import MountKit
import Platform
import Testing

/// A drive whose process is killed again and again while programs write.
///
/// `FAUXDRIVE_KILLS=200` makes it so many times for each profile; `SEED` repeats a run.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"), .serialized)
struct KillTests {
  static let count = Thoroughness.kills ?? 4

  /// semantics: "However often the drive's process is killed while programs write: what the drive shows after the next mount is what the programs have done, as on a disk, and what reaches the cloud is exactly that, with no conflict and nothing beside it."
  @Test(.timeLimit(.minutes(60)), arguments: ["icloud", "synology", "local"])
  func `kills under load lose nothing and double nothing`(profile: String) throws {
    var run = try KillRun(profile)
    for round in 0..<Self.count { try run.play(round) }
    run.report()
    try run.finish()
  }
}

/// Rounds of writers, a kill, and a look at what is left.
struct KillRun {
  /// Points at which the process is made to die, beside moments of no meaning.
  static let points: [String] =
    ChangingCall.allCases.flatMap { ["before:\($0.rawValue)", "after:\($0.rawValue)"] } + [
      "upload-requested", "upload-first-byte", "upload-byte:10000", "upload-last-byte",
      "cloud:staged", "cloud:renaming", "cloud:renamed", "cloud:recorded", "uploaded",
      "upload-noted", "reply:create", "reply:modify", "reply:move", "reply:delete",
      "before-publish", "published", "requested", "first-byte",
    ]
  static let writers = 4

  let profile: String
  let drive: MountedDrive
  private let random: KeyedRandom
  private var round: UInt64 = 0
  private var models: [WriterModel]
  private var calls = 0
  private var deaths: [String: Int] = [:]
  private var looks = 0

  init(_ profile: String) throws {
    self.profile = profile
    random = KeyedRandom(seed: TestSeed.value)
    drive = try MountedDrive(profile, options: ["--clock", "manual"])
    models = Array(repeating: WriterModel(Tree([:])), count: Self.writers)
    for number in 0..<Self.writers { try drive.run("mkdir", drive.at("w\(number)")) }
  }

  private func draw(_ what: String, below limit: Int, _ number: Int = 0) -> Int {
    Int(random.draw(below: UInt64(limit), profile, what + "\(number)", occurrence: round))
  }

  /// Lets programs write, kills the process, and mounts again.
  mutating func play(_ round: Int) throws {
    self.round = UInt64(round)
    let death = try writeAndDie()
    deaths[death, default: 0] += 1
    // Now and then it dies while it still recovers.
    for again in 0..<draw("again", below: 3) where draw("dies", below: 3, again) == 0 {
      try drive.mount()
      try drive.kill()
      deaths["while it recovers", default: 0] += 1
    }
    try drive.mount()
    try check("round \(round), \(death)")
    if draw("settles", below: 2) == 0 { try settle("round \(round), \(death)") }
  }

  private func writeAndDie() throws -> String {
    let world = try drive.world()
    var death = "SIGKILL"
    if draw("gate", below: 2) == 0 {
      death = Self.points[draw("point", below: Self.points.count)]
      try world.closeGate(at: Checkpoint(rawValue: death), isDeadly: true)
    }
    let hands = try (0..<Self.writers).map { number in
      try Hands(
        "writer", drive.at("w\(number)"), journal(number),
        String(random.draw(profile, "seed\(number)", occurrence: round)),
        String((Int(round) * Self.writers + number) * 100_000))
    }
    let waits = 1 + draw("waits", below: 4)
    for wait in 0..<waits {
      let writer = hands[draw("writer", below: hands.count, wait)]
      for _ in 0..<(1 + draw("lines", below: 12, wait)) { _ = try? writer.line() }
      _ = try? world.advanceClock(by: .milliseconds(600))
    }
    // The point may not have been reached.
    if drive.server.isRunning { death = "SIGKILL" }
    try drive.kill()
    for writer in hands {
      while (try? writer.line()) != nil {}
      #expect(writer.finish() == 0, "a writer has failed")
    }
    return death
  }

  private func journal(_ number: Int) -> String { drive.folder + "/journal\(number)" }

  private mutating func check(_ place: String) throws {
    let tree = try drive.tree()
    looks += 1
    for number in 0..<Self.writers {
      let text = try String(contentsOfFile: journal(number), encoding: .utf8)
      calls += text.split(separator: "\n").count / 2
      models[number].play(text)
      let seen = tree.below("w\(number)")
      if !models[number].allows(seen) {
        Issue.record(
          """
          \(place), writer \(number): the drive has / what programs left there
          \(seen.difference(from: models[number].tree))
          or, with the last call,
          \(models[number].alternative.map(seen.difference) ?? "nothing else")
          after \(text.split(separator: "\n").suffix(12).joined(separator: "; "))
          """)
      }
      models[number] = WriterModel(seen)
    }
    let names = Set(tree.entries.keys.map { $0.split(separator: "/").first.map(String.init) ?? "" })
    #expect(names == Set((0..<Self.writers).map { "w\($0)" }), "\(place)")
  }

  /// Waits until the cloud has everything, and compares.
  private func settle(_ place: String) throws {
    try drive.awaitUploads(isAdvancing: true)
    let (tree, cloud) = (try drive.tree(), try drive.cloudTree())
    expect(cloud, tree, "\(place): the cloud / the drive")
    expect(tree, Tree(joined), "\(place), after all uploads: the drive / what it was before")
    guard profile != "local", draw("evicts", below: 2) == 0 else { return }
    try drive.fauxdrive(["evict", drive.mountpoint])
    expect(try drive.tree(), tree, "\(place): what comes from the cloud / what was here")
  }

  private func expect(_ one: Tree, _ other: Tree, _ comparison: String) {
    if one != other { Issue.record("\(comparison)\n\(one.difference(from: other))") }
  }

  private var joined: [String: Tree.Entry] {
    var all: [String: Tree.Entry] = [:]
    for (number, model) in models.enumerated() {
      all["w\(number)"] = .folder
      for (path, entry) in model.tree.entries { all["w\(number)/\(path)"] = entry }
    }
    return all
  }

  func finish() throws {
    try settle("the end")
    #expect(try drive.unmount().status == 0)
  }

  func report() {
    let list = deaths.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    print(
      "\(profile): \(deaths.values.reduce(0, +)) kills, \(calls) calls of programs, \(looks) looks; died at "
        + list.joined(separator: ", "))
  }
}
