import Control
import DriveClient
import Glibc
import Ledger
import MountKit
import Platform
import Testing

/// When content goes again: unclaimed, on request, and after a change in the cloud.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct EvictionTests {
  private static func means(_ profile: String) -> Bool { MatrixSettings.means(profile) }
  private static func require(
    _ condition: @autoclosure () throws -> Bool, _ text: @autoclosure () -> String
  ) throws { try PatienceTests.require(try condition(), text()) }

  private static func status(_ drive: MountedDrive) throws -> DownloadingStatus? {
    try drive.drive().status(["/doc"]).first?.info?.status
  }

  // MARK: Unclaimed

  /// semantics: "What only a check has brought is evicted again if nobody opens it within the profile's `claimFor`."
  @Test(arguments: ["stat", "access"].filter { _ in means("synology") })
  func `synology: what a check has brought goes after 30 s in which nobody opens it`(
    _ check: String
  ) async {
    await OwnThreads.run { _ in
      let drive = try PatienceTests.drive("synology")
      let world = try drive.world()
      try CallingProgram.probe(check, drive.at("doc")).expect("ENOENT")
      _ = try world.awaitRecords(
        LedgerFilter(kinds: [.transfer], answer: "completed"), timeout: MatrixSettings.patience)
      try world.advanceClock(by: .seconds(30) - .milliseconds(1))
      try Self.require(try Self.status(drive) == .current, "it went too early")
      try world.advanceClock(by: .milliseconds(1))
      let evictions = try world.records(LedgerFilter(kinds: [.eviction]))
      try Self.require(evictions.map(\.callClass) == ["unclaimed"], "\(evictions)")
      try Self.require(try Self.status(drive) == .notDownloaded, "it stays")
      try CallingProgram.probe("stat", drive.at("doc")).expect("ENOENT")
    }
  }

  @Test(.enabled(if: means("synology"))) func `synology: what somebody has opened stays`() async {
    await OwnThreads.run { _ in
      let drive = try PatienceTests.drive("synology")
      let world = try drive.world()
      try CallingProgram.probe("stat", drive.at("doc")).expect("ENOENT")
      try CallingProgram.probe("read", drive.at("doc")).expect("present content")
      try world.advanceClock(by: .seconds(3600))
      try Self.require(try Self.status(drive) == .current, "it went")
    }
  }

  // MARK: On request

  /// Whether a document that a program has open can be evicted: a provider that is told of eviction by
  /// the system refuses (Apple, `NSFileProviderManager.evictItem`: EBUSY), iCloud Drive does not.
  static let refusals = [
    ("icloud", false), ("icloud-legacy", false), ("synology", true), ("onedrive", true),
  ].filter { means($0.0) }

  /// semantics: "A document that a program has open can be evicted or not, as the profile says; the program reads on."
  @Test(arguments: refusals)
  func `an open document is evicted, or not, as the provider has it`(
    _ profile: String, _ isRefused: Bool
  ) async {
    await OwnThreads.run { _ in
      let drive = try PatienceTests.drive(profile)
      try drive.drive().download(["/doc"])
      let reader = try TestProgram(
        [CallingProgram.built("CallProbe"), "open-and-wait", drive.at("doc")])
      try reader.awaitStop()
      let error = try drive.drive().evict(["/doc"]).first?.error
      try Self.require((error?.code == .refused) == isRefused, "\(error as Any)")
      try Self.require((try Self.status(drive) == .current) == isRefused, "another status")
      reader.signal(SIGCONT)
      try reader.finishInTime().expect("present content")
    }
  }

  /// semantics: "What the cloud does not have yet is not evicted."
  @Test(arguments: replicas)
  func `what is pending is not evicted`(_ profile: String) async {
    await OwnThreads.run { _ in
      let drive = try PatienceTests.drive(profile)
      try drive.drive().download(["/doc"])
      // The manual clock stands still, so the upload does not begin.
      try CallingProgram.probe("write-byte", drive.at("doc")).expect("present")
      let error = try drive.drive().evict(["/doc"]).first?.error
      try Self.require(error?.code == .refused, "\(error as Any)")
      try CallingProgram.probe("read", drive.at("doc")).expect("present xontent")
    }
  }

  /// semantics: "When a command that downloads, evicts or asks the cloud anew has ended, programs meet the result at once."
  @Test(.enabled(if: means("onedrive")))
  func `onedrive: programs meet at once what a command has done`() async {
    await OwnThreads.run { complaints in
      let drive = try PatienceTests.drive("onedrive")
      func blocks() throws -> String {
        let ended = try TestProgram(["stat", "-c", "%b", drive.at("doc")]).finishInTime()
        return ended.output + ended.errors
      }
      for _ in 0..<10 {
        _ = try drive.drive().download(["/doc"])
        complaints.expect(try blocks() == "1\n", "it does not show that it is here")
        _ = try drive.drive().evict(["/doc"])
        complaints.expect(try blocks() == "0\n", "it does not show that it was evicted")
      }
    }
  }

  /// semantics: "On a local disk nothing is evicted."
  @Test(.enabled(if: means("local"))) func `local: nothing is ever evicted`() async {
    await OwnThreads.run { _ in
      let drive = try PatienceTests.drive("local")
      try CallingProgram.probe("read", drive.at("doc")).expect("present content")
      let error = try drive.drive().evict(["/doc"]).first?.error
      try Self.require(error?.code == .refused, "\(error as Any)")
      try CallingProgram.probe("read", drive.at("doc")).expect("present content")
    }
  }

  // MARK: After a change in the cloud

  /// Edits the document on another device: the same item with other content.
  private static func edit(_ text: String, _ drive: MountedDrive) throws {
    try CallingProgram.run(
      "dash", "-c", "printf %s \"$1\" > \"$2\"", "dash", text, drive.cloud + "/doc")
  }

  static let replicas = ["icloud", "icloud-legacy", "synology", "onedrive"].filter(means)

  /// semantics: "Content that has changed in the cloud is evicted or fetched, as the profile says."
  @Test(arguments: replicas)
  func `what changes in the cloud is evicted, and fetched when it is wanted`(
    _ profile: String
  ) async {
    await OwnThreads.run { _ in
      let drive = try PatienceTests.drive(profile)
      let world = try drive.world()
      try drive.drive().download(["/doc"])
      try Self.edit("newer content", drive)
      _ = try world.cloudRefresh()
      let evictions = try world.records(LedgerFilter(kinds: [.eviction]))
      try Self.require(evictions.map(\.callClass) == ["changed"], "\(evictions)")
      try Self.require(try Self.status(drive) == .notDownloaded, "the old copy is still here")
      try Self.require(
        try world.records(LedgerFilter(kinds: [.transfer])).count == 1, "it is fetched at once")
      try drive.drive().download(["/doc"])
      try CallingProgram.probe("read", drive.at("doc")).expect("present newer content")
    }
  }

  /// No provider documents how long a change takes; what the profiles say is a choice.
  static let delays: [(String, Duration)] = [
    ("icloud", .seconds(1)), ("icloud-legacy", .seconds(1)), ("synology", .milliseconds(500)),
    ("onedrive", .seconds(1)),
  ].filter { means($0.0) }

  /// semantics: "A device knows of a change in the cloud after the propagation delay."
  @Test(arguments: delays)
  func `a change in the cloud is seen after the propagation delay`(
    _ profile: String, _ delay: Duration
  ) async {
    await OwnThreads.run { _ in
      let drive = try PatienceTests.drive(profile)
      let world = try drive.world()
      let gate = try world.closeGate("reply:changes", path: "*")
      try Self.edit("newer content", drive)
      // What the store's thread does after the first call comes before the second.
      for _ in 1...2 { _ = try world.cloudContent("/doc") }
      try world.advanceClock(by: delay - .milliseconds(1))
      do {
        try world.awaitGate(gate, timeout: .milliseconds(300))
        throw TestFailure("the device has learned of it too early")
      } catch let error as ControlError {
        try Self.require(error.code == .timedOut, "\(error)")
      }
      try world.advanceClock(by: .milliseconds(1))
      try world.awaitGate(gate, timeout: MatrixSettings.patience)
      try world.openGate(gate)
      _ = try world.cloudRefresh()
      try Self.require(
        try drive.drive().status(["/doc"]).first?.info?.size == 13, "it is not seen")
    }
  }

  @Test(.enabled(if: means("local"))) func `local: a change of the disk is seen at once`() async {
    await OwnThreads.run { _ in
      let drive = try PatienceTests.drive("local")
      try CallingProgram.probe("read", drive.at("doc")).expect("present content")
      let watcher = try TestProgram([
        "dash", "-c", "until [ \"$(cat \"$1\")\" = newer ]; do :; done; echo seen", "dash",
        drive.at("doc"),
      ])
      try Self.edit("newer", drive)
      try watcher.finishInTime().expect("seen")
    }
  }
}
