import Catalog
import Cloud
@testable import Drive
import Ledger
import Platform
import Profiles
import Simulation
import Testing

/// Changes by another device, evictions, and what survives a restart.
struct ChangeTests {
  @Test func `an open handle reads its version whole, and a new open the new one`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(10_000), at: "a")
    let old = try await test.node("a")
    #expect(try await test.contents(old) == pattern(10_000))
    let item = try #require(test.open(old).ready)

    try test.store.put(pattern(500, seed: 7), at: "a")
    try await test.drive.synchronize()
    let new = try await test.node("a")
    #expect(new != old)
    #expect(new.inode == old.inode)
    #expect(try #require(test.stat(old).ready).size == 10_000)
    #expect(try #require(test.stat(new).ready).size == 500)
    #expect(try await test.contents(new) == pattern(500, seed: 7))
    let whole = ByteRange(offset: 0, count: 20_000)
    #expect(try await test.read(whole, item, old).value().bytes == pattern(10_000))
    #expect(test.caches.told.withLock { $0.contains("expire a in 1") })

    // Who looked the name up before the change may come as long as the kernel knows the node.
    test.drive.close(item.handle)
    let late = try #require(test.open(old).ready)
    #expect(try await test.read(whole, late, old).value().bytes == pattern(10_000))
    test.drive.close(late.handle)
    test.drive.forget(old, count: .max)
    #expect(test.open(old).error == .stale)
    #expect(test.contentFiles == 1)
  }

  @Test func `a half fetched version that the cloud lost is stale, and the next open is whole`()
    async throws
  {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(10_000), at: "a")
    let old = try await test.node("a")
    let gate = try test.hold("/a", at: .byte(4096))
    let item = try #require(test.open(old).ready)
    let read = test.read(ByteRange(offset: 0, count: 10_000), item, old)
    try await test.gates.awaitWaiting(1, at: gate)
    try test.store.put(pattern(500, seed: 7), at: "a")
    try test.gates.open(gate)
    await #expect(throws: Errno.stale) { try await read.value() }
    try await test.drive.synchronize()
    #expect(try await test.contents(try await test.node("a")) == pattern(500, seed: 7))
  }

  @Test func `who waits for a name gets the version that is there when the wait ends`() async throws
  {
    let test = try TestDrive("synology")
    try test.store.put(pattern(10_000), at: "a")
    let old = try await test.node("a")
    let gate = try test.gates.close(Gate(at: .byte(4096), for: "/a", limit: 1))
    let open = test.open(old)
    try await test.gates.awaitWaiting(1, at: gate)
    try test.store.put(pattern(500, seed: 7), at: "a")
    try test.gates.open(gate)
    // The kernel looks the name up again at ESTALE.
    await #expect(throws: Errno.stale) { try await open.value() }
    #expect(try await test.contents(try await test.node("a")) == pattern(500, seed: 7))
  }

  @Test func `moves and renames keep the inode number and the content`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(100), at: "a")
    try test.store.makeFolder(at: "f")
    let old = try await test.node("a")
    _ = try await test.list(try await test.node("f"))
    _ = try await test.contents(old)
    try test.store.rename("a", to: "f/b")
    try await test.drive.synchronize()
    await #expect(throws: Errno.noSuchFile) { try await test.node("a") }
    let new = try await test.node("f/b")
    #expect(new.inode == old.inode)
    #expect(try test.status("/f/b").downloadingStatus == .current)
  }

  @Test func `a document deleted elsewhere stays readable to who has it open`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(100), at: "a")
    let node = try await test.node("a")
    _ = try await test.contents(node)
    let item = try #require(test.open(node).ready)
    try test.store.delete(at: "a")
    try await test.drive.synchronize()
    await #expect(throws: Errno.noSuchFile) { try await test.node("a") }
    #expect(try #require(test.stat(node).ready).links == 0)
    let range = ByteRange(offset: 0, count: 100)
    #expect(try await test.read(range, item, node).value().bytes == pattern(100))
    test.drive.close(item.handle)
    test.drive.forget(node, count: .max)
    #expect(test.stat(node).error == .stale)
    #expect(test.contentFiles == 0)
  }

  @Test func `not being able to ask is no deletion`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(100), at: "a")
    let node = try await test.node("a")
    _ = try await test.contents(node)
    test.conditions.goOffline()
    await #expect(throws: Errno.timedOut) { try await test.drive.synchronize() }
    #expect(try await test.contents(try await test.node("a")) == pattern(100))
  }

  @Test func `changes during an enumeration are not lost`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put("1", at: "f/a")
    let folder = try await test.node("f")
    let gate = try test.hold("/f", at: .reply(.enumerate))
    let listing = test.drive.openFolder(folder, TestDrive.caller)
    try await test.gates.awaitWaiting(1, at: gate)
    try test.store.put("22", at: "f/a")
    try test.store.put("3", at: "f/b")
    try await test.drive.synchronize()
    try test.gates.open(gate)
    _ = try await listing.value()
    #expect(try await test.list(folder).sorted() == ["a", "b"])
    #expect(try test.status("/f/a").size == 2)
  }

  @Test func `a listing that is older than an upload or a deletion undoes neither`() async throws {
    let test = try TestDrive("icloud", store: MemoryStore(pieceSize: 4096, historyLimit: 1))
    try test.store.put("1", at: "old")
    try test.store.put("1", at: "moved")
    try test.store.put("1", at: "f/a")
    _ = try await test.list(try await test.node("f"))
    let gate = try test.hold("/", at: .reply(.enumerate))
    // More than the cloud remembers: every folder that is known is listed again.
    for number in 1...3 { try test.store.put("\(number)", at: "theirs") }
    try await test.gates.awaitWaiting(1, at: gate)
    try await test.put(pattern(100), "new")
    try await test.remove("old")
    try await test.rename("moved", to: "f/moved")
    try await test.drive.awaitUploads()
    let made = try await test.node("new")
    test.caches.told.withLock { $0 = [] }
    try test.gates.open(gate)
    try await test.drive.synchronize()
    #expect(try await test.list(.root).sorted() == ["f", "new", "theirs"])
    #expect(try await test.list(try await test.node("f")).sorted() == ["a", "moved"])
    #expect(try await test.node("new") == made)
    #expect(try await test.read("new") == pattern(100))
    #expect(test.ledger.transfers.isEmpty)
    let told = test.caches.told.withLock { $0 }
    #expect(!told.contains { $0.contains(" old ") || $0.contains(" moved in 1") }, "\(told)")
  }

  @Test func `evicting drops the content and nothing else`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(10_000), at: "a")
    let node = try await test.node("a")
    _ = try await test.contents(node)
    let before = try #require(test.stat(node).ready)
    try await test.drive.evict(node.inode, caller: nil)
    let again = try await test.node("a")
    var after = try #require(test.stat(again).ready)
    #expect(after.blocks == 0)
    #expect(!after.isCacheable)
    after.blocks = before.blocks
    after.isCacheable = before.isCacheable
    #expect(after == before)
    #expect(try await test.contents(again) == pattern(10_000))
    #expect(test.ledger.transfers.count == 2)
  }

  @Test func `each refusal to evict has its own reason`() async throws {
    let test = try TestDrive("onedrive")
    try test.store.put(pattern(10_000), at: "a")
    let node = try await test.node("a")
    func refusal() async -> DriveError.Code? {
      do {
        try await test.drive.evict(node.inode, caller: nil)
        return nil
      } catch { return error.code }
    }
    #expect(await refusal() == .notHere)
    let item = try #require(test.open(node).ready)
    _ = try await test.read(ByteRange(offset: 0, count: 1), item, node).value()
    #expect(await refusal() == .isOpen)
    test.drive.close(item.handle)
    #expect(await refusal() == nil)
    await #expect(throws: DriveError.self) {
      try await test.drive.evict(.root, caller: nil)
    }
  }

  @Test func `icloud evicts an open document, whose reader keeps its content`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(10_000), at: "a")
    let node = try await test.node("a")
    _ = try await test.contents(node)
    let item = try #require(test.open(node).ready)
    try await test.drive.evict(node.inode, caller: nil)
    let range = ByteRange(offset: 0, count: 20_000)
    #expect(try await test.read(range, item, node).value().bytes == pattern(10_000))
    #expect(try test.status("/a").downloadingStatus == .notDownloaded)
  }

  @Test func `synology: a copy that only a check brought is evicted when nobody opens it`()
    async throws
  {
    let test = try TestDrive("synology")
    try test.store.put(pattern(100), at: "a")
    try test.store.put(pattern(100), at: "b")
    let (a, b) = (try await test.node("a"), try await test.node("b"))
    for node in [a, b] {
      _ = test.stat(node)
      _ = try? await test.stat(node).value()
    }
    test.drive.close(try await test.open(b).value().handle)
    test.clock.advance(by: .seconds(31))
    #expect(try test.status("/a").downloadingStatus == .notDownloaded)
    #expect(try test.status("/b").downloadingStatus == .current)
  }

  @Test func `a restart shows the same world`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(100), at: "f/a")
    try test.store.put(pattern(100), at: "f/b")
    let (a, b) = (try await test.node("f/a"), try await test.node("f/b"))
    _ = try await test.contents(a)
    let before = [test.stat(a).ready, test.stat(b).ready]
    let next = try test.restarted("icloud")
    next.conditions.goOffline()
    let after = [try await next.node("f/a"), try await next.node("f/b")]
    #expect(after == [a, b])
    #expect(after.map { next.stat($0).ready } == before)
    #expect(try await next.contents(a) == pattern(100))
  }
}

extension ChangeTests {
  @Test func `a move together with new content leaves the old handle its own size`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(10_000), at: "a")
    let old = try await test.node("a")
    _ = try await test.contents(old)
    let item = try #require(test.open(old).ready)
    try test.store.rename("a", to: "b")
    try test.store.put(pattern(500, seed: 7), at: "b")
    try await test.drive.synchronize()
    let new = try await test.node("b")
    #expect(new.inode == old.inode)
    #expect(try #require(test.stat(old).ready).size == 10_000)
    #expect(try #require(test.stat(new).ready).size == 500)
    let whole = ByteRange(offset: 0, count: 20_000)
    #expect(try await test.read(whole, item, old).value().bytes == pattern(10_000))
    #expect(try await test.contents(new) == pattern(500, seed: 7))
  }

  @Test func `an item that goes and comes back while the kernel knows it gets a node of its own`()
    async throws
  {
    let test = try TestDrive("icloud")
    try test.store.put("1", at: "a")
    let other = try test.store.put("22", at: "b")
    let old = try await test.node("a")
    let handle = try #require(test.open(old).ready)
    // Two items with one name, as a feed can tell for a moment: one of them is not to be seen.
    var clash = other
    clash.name = FileName("a")
    let anchor = SyncAnchor(rawValue: "x")
    for change in [Change.updated(clash), .deleted(other.identifier)] {
      try test.drive.revise { () throws(CatalogError) in
        try test.catalog.apply([change], anchor: anchor)
      }
    }
    let new = try await test.node("a")
    #expect(new.inode == old.inode)
    #expect(try #require(test.stat(new).ready).links == 1)
    #expect(try await test.contents(new) == Array("1".utf8))
    test.drive.close(handle.handle)
  }
}
