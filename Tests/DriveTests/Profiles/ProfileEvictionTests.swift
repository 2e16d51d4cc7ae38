import Cloud
@testable import Drive
import Ledger
import Platform
import Profiles
import Simulation
import Testing

/// What becomes of content that is here, for the profiles that MatrixTests does not mount.
@Suite struct ProfileEvictionTests {
  struct Expected: Sendable {
    /// Whether a document is evicted at all, and while it is open.
    var evicts = true
    var evictsOpen = false
    /// How long what a check has brought stays; nil when no check brings anything.
    var claim: Int?
    /// Whether new content in the cloud is fetched at once.
    var fetchesChanges = false
    /// Whether blocks are shown of what is open and not here.
    var showsBlocks = true
  }

  static let expected: [String: Expected] = [
    "googledrive": Expected(), "dropbox-desktop": Expected(), "nextcloud-mac": Expected(),
    "dropbox-ios": Expected(claim: 30), "nextcloud-ios": Expected(claim: 30),
    "owncloud-ios": Expected(claim: 30),
    "nextcloud-suffix": Expected(evictsOpen: true, fetchesChanges: true),
    "smb": Expected(evicts: false),
  ]
  static let profiles = expected.keys.sorted().filter(ProfileUnderTest.means)

  private static func expected(_ profile: String) throws -> Expected {
    try #require(expected[profile])
  }

  private func drive(_ profile: String) async throws -> TestDrive {
    let test = try TestDrive(profile)
    try test.store.put(pattern(9000), at: "doc")
    await test.populate("/")
    return test
  }

  private func evicts(_ test: TestDrive) async -> Bool {
    do {
      try await test.drive.evict(try test.drive.find("/doc"), caller: nil)
      return true
    } catch {
      return false
    }
  }

  @Test(arguments: profiles)
  func `a document is evicted when the profile lets it`(_ profile: String) async throws {
    let expected = try Self.expected(profile)
    let test = try await drive(profile)
    try await test.drive.download(try test.drive.find("/doc"), caller: nil)
    let node = try await test.node("doc")
    let item = try #require(test.open(node).ready)
    #expect(await evicts(test) == (expected.evicts && expected.evictsOpen), "while it is open")
    test.drive.close(item.handle)
    if !expected.evictsOpen { #expect(await evicts(test) == expected.evicts) }
    let status = try test.status("/doc").downloadingStatus
    #expect(status == (expected.evicts ? .notDownloaded : .current))
  }

  @Test(arguments: profiles)
  func `what the cloud does not have yet stays`(_ profile: String) async throws {
    let test = try await drive(profile)
    try await test.drive.download(try test.drive.find("/doc"), caller: nil)
    let (_, item) = try await test.openToWrite("doc")
    try await test.write([1, 2, 3], item)
    test.conditions.goOffline()
    try test.close(item)
    #expect(await !evicts(test))
  }

  @Test(arguments: profiles)
  func `what only a check has brought goes again`(_ profile: String) async throws {
    guard let claim = try Self.expected(profile).claim else { return }
    let test = try await drive(profile)
    #expect(test.stat(try await test.node("doc")).error == .noSuchFile)
    try await test.settled("/doc")
    test.clock.advance(by: .seconds(claim - 1))
    #expect(try test.status("/doc").downloadingStatus == .current)
    test.clock.advance(by: .seconds(2))
    try await test.ledger.settled(kind: .eviction, answer: "completed")
    #expect(try test.status("/doc").downloadingStatus == .notDownloaded)
  }

  @Test(arguments: profiles)
  func `content that changes in the cloud is dropped or fetched`(_ profile: String) async throws {
    let test = try await drive(profile)
    try await test.drive.download(try test.drive.find("/doc"), caller: nil)
    try test.store.put(pattern(500, seed: 9), at: "doc")
    try await test.drive.synchronize()
    let fetches = try Self.expected(profile).fetchesChanges
    #expect(test.ledger.transfers.count == (fetches ? 2 : 1))
    if fetches { try await test.settled("/doc") }
    #expect(try await test.read("doc") == pattern(500, seed: 9))
  }

  @Test(arguments: profiles)
  func `a document that is open and not here has some blocks`(_ profile: String) async throws {
    let test = try await drive(profile)
    guard let node = try? await test.node("doc"),
      case .ready(let item) = test.drive.open(node, flags: 1, TestDrive.caller)
    else { return }
    #expect(try #require(test.stat(node).ready).blocks > 0)
    test.drive.close(item.handle)
    #expect(try #require(test.stat(node).ready).blocks == 0)
  }
}
