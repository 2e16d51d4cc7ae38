import Catalog
import Cloud
import Ledger
import Platform
import Simulation
import Testing

@testable import Drive

/// What is kept on a device because somebody said so.
@Suite(.timeLimit(.minutes(5))) struct PinTests {
  /// Suspends until a document is here.
  private func awaitHere(_ test: TestDrive, _ path: String) async throws {
    while true {
      let entry = try test.catalog.entry(of: try test.drive.find("/" + path))
      if entry?.residency == .materialized { return }
      await Task.yield()
    }
  }

  private func pin(_ state: Pin?, _ path: String, _ test: TestDrive) throws {
    try test.drive.setPin(state, of: try test.drive.find("/" + path), caller: nil)
  }

  /// semantics: "A pinned document is downloaded in the background and not evicted; unpinning it evicts it where nothing forbids that."
  @Test func aPinnedDocumentComesAndStays() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(3000), at: "f")
    _ = try await test.list(.root)
    try pin(.pinned, "f", test)
    try await awaitHere(test, "f")
    let inode = try test.drive.find("/f")
    let refused = #expect(throws: DriveError.self) {
      try test.drive.evict(inode, .requested, caller: nil, done: {})
    }
    #expect(refused?.code == .isPinned)
    #expect(try test.status("/f").pin == .pinned)
    try pin(.unpinned, "f", test)
    #expect(try test.catalog.entry(of: inode)?.residency == .dataless)
    #expect(try test.status("/f").pin == .unpinned)
  }

  /// semantics: "What is in a pinned folder is pinned, unless something else was said of it or of a folder between: what is there, what comes later, and new versions."
  @Test func aPinnedFolderBringsAllThatIsInItAndComes() async throws {
    let test = try TestDrive("icloud")
    for path in ["d/a", "d/e/b", "d/e/c", "other"] { try test.store.put(pattern(2000), at: path) }
    _ = try await test.list(.root)
    try pin(.pinned, "d", test)
    while (try? test.drive.find("/d/e/c")) == nil { await Task.yield() }
    for path in ["d/a", "d/e/b", "d/e/c"] { try await awaitHere(test, path) }
    try pin(.unpinned, "d/e", test)
    #expect(try test.status("/d/e/b").downloadingStatus == .notDownloaded)
    try test.store.put(pattern(5000), at: "d/a")
    try test.store.put(pattern(10), at: "d/new")
    try test.store.put(pattern(10), at: "d/e/new")
    try await test.drive.synchronize()
    for path in ["d/a", "d/new"] { try await awaitHere(test, path) }
    #expect(try test.status("/d/a").size == 5000)
    #expect(try test.status("/d/e/new").downloadingStatus == .notDownloaded)
    try pin(nil, "d/e", test)
    for path in ["d/e/b", "d/e/c", "d/e/new"] { try await awaitHere(test, path) }
    #expect(try test.status("/other").pin == .unspecified)
    #expect(try test.status("/other").downloadingStatus == .notDownloaded)
    // A program on this device puts it there.
    try await test.rename("other", to: "d/other")
    try await awaitHere(test, "d/other")
  }

  /// semantics: "What is pinned and could not come, since there was no network, comes when there is one, and after a restart."
  @Test func whatIsPinnedComesWhenItCan() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(3000), at: "f")
    try test.store.put(pattern(3000), at: "g")
    _ = try await test.list(.root)
    test.conditions.goOffline()
    try pin(.pinned, "f", test)
    try pin(.pinned, "g", test)
    for path in ["/f", "/g"] {
      let failed = Query(kind: .transfer, path: .exact(path), answer: "failed")
      #expect(await test.ledger.firstRecord(matching: failed) != nil)
    }
    #expect(try test.status("/f").downloadingStatus == .notDownloaded)
    test.conditions.goOnline()
    test.drive.retryUploads()
    for path in ["f", "g"] { try await awaitHere(test, path) }
    let again = try test.restarted("icloud")
    #expect(try again.status("/f").pin == .pinned)
    try again.store.put(pattern(4000), at: "f")
    again.drive.beginUploading()
    try await again.drive.synchronize()
    try await awaitHere(again, "f")
    #expect(try again.status("/f").size == 4000)
  }

  @Test func aRemovedItemTakesItsPinAlong() async throws {
    let test = try TestDrive("icloud")
    try await test.put(pattern(10), "f")
    try pin(.pinned, "f", test)
    let inode = try test.drive.find("/f")
    #expect(try test.catalog.items(pinned: .pinned) == [inode])
    try await test.remove("f")
    #expect(try test.catalog.items(pinned: .pinned) == [])
  }

  /// semantics: "`setxattr` of `user.fauxdrive.pin` says `pinned`, `unpinned`, `unspecified`, or `inherited` to follow the folder; `getxattr` tells what counts."
  @Test func aProgramPinsByAnExtendedAttribute() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(3000), at: "f")
    let node = try await test.node("f")
    let set = { (value: String) in
      test.drive.setXattr(
        "user.fauxdrive.pin", Array(value.utf8), .any, of: node, TestDrive.caller
      ).ready
    }
    #expect(set("pinned") != nil)
    try await awaitHere(test, "f")
    let value = try await test.drive.xattr("user.fauxdrive.pin", of: node, TestDrive.caller).value()
    #expect(value == Array("pinned".utf8))
    #expect(set("excluded") == nil)
    #expect(set("inherited") != nil)
    #expect(try test.status("/f").pin == .unspecified)
  }
}
