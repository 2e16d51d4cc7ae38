import Control
import DriveClient
import Foundation
import Glibc
import Ledger
import MountKit
import Platform
import Testing

/// Programs that wait for one item, and those that do not need it.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct WaitingTests {
  static let patience = Duration.seconds(100)

  /// semantics: "A program that waits costs the drive no thread, however many wait."
  @Test(arguments: Kernel.allCases)
  func `a thousand waiting programs cost no thread and all get their bytes`(kernel: Kernel) throws {
    let document = Version(1, size: 50_000)
    let drive = try MountedDrive(
      "icloud", cloud: ["Big.bin": document.bytes],
      options: ["--audit", "--clock", "manual"] + kernel.options)
    let world = try drive.world()
    let gate = try world.closeGate(at: .requested)
    // One transfer first, so that what is made once is not counted.
    let first = try drive.crowd(1, "read", "Big.bin")
    try world.awaitGate(gate, holds: 1, timeout: Self.patience)
    let (threads, memory) = (drive.server.threads, drive.server.memory)
    let crowd = try drive.crowd(1000, "read", "Big.bin")
    // Without direct reads all wait for one page, and the drive sees one request.
    let last = kernel.readsDirectly ? "read" : "open"
    _ = try world.awaitRecords(
      LedgerFilter(callClasses: [last], path: "/Big.bin"), count: 1001, timeout: Self.patience)
    #expect(drive.server.threads == threads)
    print("\(kernel): \((drive.server.memory - memory) / 1000) bytes for each that waits")
    #expect(try world.openGate() == 1)
    let whole = Crowd.Result(error: 0, count: document.size, hash: document.hash, signals: 0)
    #expect(try crowd.finish() == [whole: 1000])
    #expect(try first.finish() == [whole: 1])
    #expect(try world.records(LedgerFilter(kinds: [.transfer])).count == 1)
  }

  struct Stuck: CustomStringConvertible {
    let profile: String
    let what: String
    let options: [String]
    let kernel: Kernel
    var description: String { "\(profile) \(what) \(options) \(kernel)" }
  }
  static let stuck = [
    Stuck(profile: "icloud", what: "read", options: ["--audit"], kernel: .running),
    Stuck(profile: "icloud", what: "scatter", options: [], kernel: .running),
    Stuck(profile: "icloud", what: "scatter", options: [], kernel: .linux6_1),
    Stuck(profile: "icloud", what: "map-shared", options: [], kernel: .running),
    Stuck(profile: "icloud", what: "map-private", options: [], kernel: .linux6_1),
    Stuck(profile: "synology", what: "open", options: ["--audit"], kernel: .running),
    Stuck(profile: "synology", what: "open", options: [], kernel: .linux6_1),
  ]

  /// semantics: "A document that does not come delays nobody who does not need it: neither reads of other documents, nor any other call, in the same folder or elsewhere."
  @Test(arguments: stuck)
  func `readers stuck in one document delay no other call`(_ stuck: Stuck) throws {
    let files = ["A/stuck": 9 << 20, "A/near": 300_000, "B/far": 300_000].map {
      ($0.key, Version(2, size: $0.value).bytes)
    }
    let drive = try MountedDrive(
      stuck.profile, cloud: Dictionary(uniqueKeysWithValues: files),
      options: ["--clock", "manual"] + stuck.options + stuck.kernel.options)
    let other = Version(2, size: 300_000)
    let world = try drive.world()
    let session = try drive.session()
    for folder in ["A", "B"] { _ = try session.ask("list \(drive.at(folder))") }
    let gate = try world.closeGate(at: .requested, path: "/A/stuck")
    let crowd = try drive.crowd(32, stuck.what, "A/stuck")
    try world.awaitGate(gate, holds: 1, timeout: Self.patience)
    _ = try world.awaitRecords(
      LedgerFilter(callClasses: ["open"], path: "/A/stuck"),
      count: stuck.what.hasPrefix("map") ? 1 : 32, timeout: Self.patience)
    for path in ["A/near", "B/far"] {
      // The first check of a Synology document says that it is missing, and brings it.
      _ = try session.ask("stat \(drive.at(path))")
      #expect(try session.ask("whole \(drive.at(path))") == other.answer)
      #expect(try session.ask("stat \(drive.at(path))").hasPrefix("ok 300000 "))
    }
    for folder in ["A", "B"] {
      #expect(try session.ask("list \(drive.at(folder))").hasPrefix("ok "))
      #expect(try session.ask("create \(drive.at(folder))/new").hasPrefix("ok"))
      let names = "\(drive.at(folder))/\(folder == "A" ? "near" : "far") \(drive.at("B"))/other"
      #expect(try session.ask("rename \(names)").hasPrefix("ok"))
    }
    #expect(try session.ask("stat \(drive.mountpoint)").hasPrefix("ok "))
    #expect(try session.ask("stat \(drive.at("A"))").hasPrefix("ok "))
    for member in crowd.members { #expect(try !crowd.hasEnded(member)) }
    #expect(try world.openGate(gate) == 1)
    let results = try crowd.finish()
    #expect(results.keys.allSatisfy { $0.error == 0 })
    #expect(results.values.reduce(0, +) == 32)
  }
}
