import Cloud
@testable import Drive
import Platform
import Profiles
import Simulation
import Testing

/// What each profile lets a program see of a document that is not here.
struct DialTests {
  @Test func `synology: the first check says missing and starts the download, the next one waits`()
    async throws
  {
    let test = try TestDrive("synology")
    try test.store.put(pattern(10_000), at: "Game.plist")
    let node = try await test.node("Game.plist")
    let gate = try test.hold("/Game.plist", at: .firstByte)

    #expect(test.stat(node).error == .noSuchFile)
    try await test.gates.awaitWaiting(1, at: gate)
    let second = test.stat(node)
    #expect(second.isPending)
    try test.gates.open(gate)

    let attributes = try await second.value()
    #expect(attributes.size == 10_000)
    #expect(attributes.blocks == 20)
    #expect(try await test.contents(node) == pattern(10_000))
  }

  @Test func `synology: an impatient second check ends in missing, and progress renews patience`()
    async throws
  {
    let test = try TestDrive("synology")
    try test.store.put(pattern(10_000), at: "Game.plist")
    let node = try await test.node("Game.plist")
    let first = try test.hold("/Game.plist", at: .firstByte)
    let later = try test.hold("/Game.plist", at: .byte(8192))
    #expect(test.stat(node).error == .noSuchFile)
    try await test.gates.awaitWaiting(1, at: first)

    let check = test.stat(node)
    test.clock.advance(by: .seconds(15))
    try test.gates.open(first)
    try await test.gates.awaitWaiting(1, at: later)
    // Without the progress at 15 s patience (20 s) would be over now.
    test.clock.advance(by: .seconds(15))
    #expect(check.isPending)
    test.clock.advance(by: .seconds(6))
    await #expect(throws: Errno.noSuchFile) { try await check.value() }
  }

  @Test func `synology: offline, a check says missing and an open does not wait for ever`()
    async throws
  {
    let test = try TestDrive("synology")
    try test.store.put("x", at: "Game.plist")
    let node = try await test.node("Game.plist")
    test.conditions.goOffline()
    #expect(test.stat(node).error == .noSuchFile)
    await #expect(throws: Errno.noSuchFile) { try await test.open(node).value() }
    #expect(try test.status("/Game.plist").downloadingStatus == .notDownloaded)
  }

  @Test func `icloud: everything but reading is answered at once, and reading waits`() async throws
  {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(10_000), at: "Game.plist")
    let node = try await test.node("Game.plist")
    let attributes = try #require(test.stat(node).ready)
    #expect(attributes.size == 10_000)
    #expect(attributes.blocks == 0)
    #expect(!attributes.isCacheable)
    #expect(test.drive.access(node, mask: 4, TestDrive.caller).ready != nil)
    #expect(try test.status("/Game.plist").isDownloading == false)

    let gate = try test.hold("/Game.plist", at: .lastByte)
    let item = try #require(test.open(node).ready)
    #expect(item.route == .direct)
    let read = test.read(ByteRange(offset: 0, count: 100), item, node)
    #expect(read.isPending)
    try await test.gates.awaitWaiting(1, at: gate)
    // While it is open, blocks are never 0: archivers would take it for a hole.
    #expect(try #require(test.stat(node).ready).blocks > 0)
    try test.gates.open(gate)
    #expect(try await read.value().bytes == Array(pattern(10_000)[..<100]))
    test.drive.close(item.handle)
    #expect(try #require(test.stat(node).ready).isCacheable)
  }

  @Test func `icloud: offline, listing and stat go on and a read times out`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put("x", at: "Game.plist")
    let node = try await test.node("Game.plist")
    test.conditions.goOffline()
    #expect(test.stat(node).ready != nil)
    #expect(try await test.list(.root) == ["Game.plist"])
    let item = try #require(test.open(node).ready)
    await #expect(throws: Errno.timedOut) {
      try await test.read(ByteRange(offset: 0, count: 1), item, node).value()
    }
    test.conditions.goOnline()
    #expect(
      try await test.read(ByteRange(offset: 0, count: 1), item, node).value().bytes == [120])
  }

  @Test func `a folder that nobody listed and that cannot be asked for is an error, never empty`()
    async throws
  {
    let test = try TestDrive("icloud")
    try test.store.put("x", at: "Games/Game.plist")
    let node = try await test.node("Games")
    test.conditions.goOffline()
    await #expect(throws: Errno.timedOut) { try await test.list(node) }
    test.conditions.goOnline()
    #expect(try await test.list(node) == ["Game.plist"])
  }

  @Test(arguments: ["synology", "icloud"])
  func `who has read a row just before the document came gets it, and starts nothing`(
    profile: String
  ) async throws {
    let test = try TestDrive(profile)
    try test.store.put(pattern(100), at: "a")
    let id = try await test.node("a")
    let before = try #require(test.drive.node(id))
    _ = try await test.contents(id)
    for callClass in [CallClass.stat, .access, .open, .read] {
      let outcome = test.drive.react(callClass, to: before, id, TestDrive.caller) { .success(()) }
      #expect(outcome.ready != nil, "\(callClass)")
    }
    #expect(test.ledger.transfers.count == 1)
    #expect(test.drive.activity.transfers == 0)
  }

  @Test func `a look-up in an unknown folder waits for a short time only`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put("x", at: "Games/Game.plist")
    let node = try await test.node("Games")
    let gate = try test.hold("/Games", at: .reply(.enumerate))
    let outcome = test.drive.lookup(Array("Game.plist".utf8).span, in: node, TestDrive.caller)
    try await test.gates.awaitWaiting(1, at: gate)
    test.clock.advance(by: .seconds(3))
    await #expect(throws: Errno.timedOut) { try await outcome.value() }
    try test.gates.open(gate)
    #expect(try await test.found("Game.plist", in: node).attributes.size == 1)
  }

  @Test func `icloud-legacy: a stand-in is listed, and one name goes as the other comes`()
    async throws
  {
    let test = try TestDrive("icloud-legacy")
    try test.store.put(pattern(10_000), at: "Game.plist")
    #expect(try await test.list(.root) == [".Game.plist.icloud"])
    await #expect(throws: Errno.noSuchFile) { try await test.node("Game.plist") }
    let stub = try await test.node(".Game.plist.icloud")
    #expect(stub.isStub)
    let size = try #require(test.stat(stub).ready).size
    #expect((50...400).contains(size))

    let item = try #require(test.open(stub).ready)
    let list = try await test.read(ByteRange(offset: 0, count: 4096), item, stub).value().bytes
    #expect(Int64(list.count) == size)
    #expect(list.starts(with: Array("bplist00".utf8)))
    try await test.settled("/Game.plist")
    #expect(try await test.list(.root) == ["Game.plist"])
    await #expect(throws: Errno.noSuchFile) { try await test.node(".Game.plist.icloud") }
    #expect(try await test.contents(try await test.node("Game.plist")) == pattern(10_000))
    #expect(test.caches.told.withLock { $0.contains("remove .Game.plist.icloud in 1") })
  }

  @Test func `local: nothing is ever not here`() async throws {
    let test = try TestDrive("local")
    try test.store.put(pattern(10_000), at: "Game.plist")
    let node = try await test.node("Game.plist")
    let attributes = try #require(test.stat(node).ready)
    #expect(attributes.blocks == 20)
    #expect(attributes.isCacheable)
    #expect(try await test.contents(node) == pattern(10_000))
    await #expect(throws: DriveError.self) {
      try await test.drive.evict(node.inode, caller: nil)
    }
  }

  @Test(arguments: ["icloud", "onedrive"])
  func `opening for writing starts nothing`(_ profile: String) async throws {
    let test = try TestDrive(profile)
    try test.store.put("x", at: "Game.plist")
    _ = try await test.list(.root)
    let node = try await test.node("Game.plist")
    #expect(test.drive.open(node, flags: 1, TestDrive.caller).error == nil)
    #expect(try test.status("/Game.plist").isDownloading == false)
  }
}
