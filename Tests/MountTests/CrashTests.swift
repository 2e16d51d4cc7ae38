import Control
import DriveClient
import Foundation
import Glibc
import Ledger
import MountKit
import Platform
import Testing

/// A drive whose process is killed with SIGKILL.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct CrashTests {
  struct Point: CustomStringConvertible, Sendable {
    let name: String
    /// How much is fetched after the crash; nil for no transfer at all.
    let rest: Int64?
    var kernel = Kernel.running
    var description: String { "\(name), \(kernel)" }
  }
  static let points = [
    Point(name: "requested", rest: 24 << 20),
    Point(name: "first-byte", rest: 24 << 20),
    Point(name: "byte:20971520", rest: 8 << 20),
    Point(name: "byte:20971520", rest: 8 << 20, kernel: .linux6_1),
    Point(name: "last-byte", rest: 8 << 20),
    Point(name: "before-publish", rest: 0),
    Point(name: "published", rest: nil),
    Point(name: "published", rest: nil, kernel: .linux6_1),
  ]

  /// semantics: "If the drive's process dies, programs that wait get an error at once (ENOTCONN or ECONNABORTED), and `fauxdrive mount` on the same path clears the dead mount away and goes on: same inode numbers, no torn content, and a download is resumed from what was noted down, every 8 MiB."
  @Test(arguments: points)
  func `a download goes on after a crash`(point: Point) throws {
    let document = Version(1, size: 24 << 20)
    let drive = try MountedDrive(
      "icloud", cloud: ["Folder/Document": document.bytes],
      options: ["--clock", "manual"] + point.kernel.options)
    let path = drive.at("Folder/Document")
    let before = try drive.session().ask("stat \(path)").split(separator: " ")
    let world = try drive.world()
    let gate = try world.closeGate(at: Checkpoint(rawValue: point.name))
    let reader = try drive.crowd(1, "read", "Folder/Document")
    try world.awaitGate(gate, holds: 1, timeout: .seconds(100))
    let lastRecord = try world.records().map(\.id).max() ?? 0
    try drive.kill()
    let error = try #require(try reader.result(of: reader.members[0])?.error)
    #expect([ENOTCONN, ECONNABORTED].contains(error), "\(point)")
    try drive.mount()
    let again = try drive.world()
    let session = try drive.session()
    let after = try session.ask("stat \(path)").split(separator: " ")
    #expect(after[1...2] == before[1...2], "size and inode number")
    #expect(try session.ask("whole \(path)") == document.answer)
    let transfers = try again.records(LedgerFilter(kinds: [.transfer]))
    #expect(transfers.allSatisfy { $0.id > lastRecord && $0.answer == "completed" })
    #expect(transfers.map(\.bytes) == (point.rest.map { [$0] } ?? []))
    let ended = try drive.unmount()
    #expect(ended.status == 0, "\(ended)")
  }

  /// semantics: "What a device has stays on it over a crash, and can be read offline."
  @Test func `documents that are here can be read offline after a crash`() throws {
    let documents = (1...5).map { Version($0, size: $0 * 100_000) }
    let files = documents.map { ("Folder/\($0.number)", $0.bytes) }
    let drive = try MountedDrive("icloud", cloud: Dictionary(uniqueKeysWithValues: files))
    for document in documents {
      let answer = try drive.session().ask("whole \(drive.at("Folder/\(document.number)"))")
      #expect(answer == document.answer)
    }
    try drive.kill()
    try drive.mount()
    try drive.world().setNetwork(isOnline: false)
    for document in documents {
      let answer = try drive.session().ask("whole \(drive.at("Folder/\(document.number)"))")
      #expect(answer == document.answer)
    }
    #expect(try drive.world().records(LedgerFilter(kinds: [.transfer])).isEmpty)
  }

  /// semantics: "A manual clock and the numbers of the ledger go on after a crash."
  @Test func `time and ledger go on after a crash`() throws {
    let drive = try MountedDrive(
      "icloud", cloud: ["Document": [1]], options: ["--audit", "--clock", "manual"])
    try drive.run("stat", drive.at("Document"))
    let world = try drive.world()
    #expect(try world.advanceClock(by: .seconds(90)).now == 90_000_000_000)
    let numbers = try world.records().map(\.id)
    #expect(!numbers.isEmpty)
    try drive.kill()
    try drive.mount()
    #expect(try drive.world().clock().now == 90_000_000_000)
    try drive.run("stat", drive.at("Document"))
    let later = try drive.world().records().map(\.id)
    #expect(later.min() ?? 0 > numbers.max() ?? 0)
  }

  /// semantics: "A folder whose listing was interrupted by a crash is listed whole at the next access."
  @Test(arguments: Kernel.allCases)
  func `a listing begins again after a crash`(kernel: Kernel) throws {
    let files = (1...1500).map { ("Folder/\($0)", [UInt8]()) }
    let drive = try MountedDrive(
      "icloud", cloud: Dictionary(uniqueKeysWithValues: files), options: kernel.options)
    try drive.run("ls", drive.mountpoint)
    let world = try drive.world()
    let gate = try world.closeGate(at: Checkpoint(rawValue: "reply:enumerate"))
    let lister = try drive.crowd(1, "opendir", "Folder")
    try world.awaitGate(gate, holds: 1, timeout: .seconds(100))
    try drive.kill()
    #expect(try lister.result(of: lister.members[0])?.error != 0)
    try drive.mount()
    #expect(try drive.session().ask("list \(drive.at("Folder"))") == "ok 1500")
  }

  /// semantics: "Whenever the drive's process is killed, no program ever gets torn content."
  @Test func `random kills under load tear nothing`() throws {
    let draw = KeyedRandom(seed: TestSeed.value)
    let documents = (0..<40).map { Version($0, size: 20_000 + $0 * 50_000) }
    let files = documents.map { ("\($0.number % 4)/\($0.number)", $0.bytes) }
    let drive = try MountedDrive(
      "icloud", cloud: Dictionary(uniqueKeysWithValues: files), options: ["--audit"])
    for round in 0..<20 {
      let readers = try (0..<3).map { _ in try drive.session() }
      let count = Int(draw.draw(below: 12, "count", "", occurrence: UInt64(round))) + 1
      let seen = Int(draw.draw(below: UInt64(count), "seen", "", occurrence: UInt64(round)))
      for step in 0..<count {
        for (number, reader) in readers.enumerated() {
          let document = documents[(round * 7 + step * 3 + number * 13) % 40]
          try reader.send("whole \(drive.at("\(document.number % 4)/\(document.number)"))")
        }
      }
      // So many have got something when it dies, and the others are under way.
      for _ in 0..<seen {
        #expect(try readers[0].line().hasPrefix("ok"))
      }
      try drive.kill()
      for reader in readers {
        reader.endInput()
        while let line = try? reader.line() {
          let words = line.split(separator: " ")
          guard words[0] == "ok" else { continue }
          #expect(documents[Int(words[2]) ?? 0].answer == line, "round \(round)")
        }
      }
      try drive.mount()
    }
    for document in documents {
      let path = drive.at("\(document.number % 4)/\(document.number)")
      #expect(try drive.session().ask("whole \(path)") == document.answer)
    }
  }
}
