import Catalog
import Cloud
import Platform
import Simulation
import Testing

@testable import Drive

/// What the cloud refuses because of something that is on its way.
@Suite(.timeLimit(.minutes(5))) struct LateRefusalTests {
  /// Lets a program change something while the upload of one item is held; of the cloud's n-th refusal
  /// nobody hears before the cloud has that one.
  private func run(
    at number: Int, files: [String], held: String, _ body: (TestDrive) async throws -> Void
  ) async throws -> TestDrive {
    let refusals = Locked(0)
    let release = Locked<(@Sendable () async -> Void)?>(nil)
    let hooks = FailingCloud.Hooks(refused: { _ in
      let count = refusals.withLock { count in
        count += 1
        return count
      }
      if count == number { await release.withLock { $0.take() }?() }
    })
    let store = MemoryStore(pieceSize: 4096)
    for file in files { try store.put(pattern(10), at: file) }
    let test = try TestDrive("icloud", store: store, cloud: { FailingCloud($0, hooks: hooks) })
    _ = try await test.list(.root)
    let gate = try test.hold(held, at: .checkpoint(.uploadRequested))
    release.withLock {
      $0 = { [drive = test.drive, gates = test.gates] in
        try? gates.open(gate)
        while (try? drive.catalog.pendingItem(of: drive.find(held))) ?? nil != nil {
          await Task.yield()
        }
      }
    }
    try await body(test)
    try await test.settleUploads()
    #expect(refusals.withLock { $0 } >= number)
    return test
  }

  @Test func aFolderThatTheLastItemHasJustLeftIsDeleted() async throws {
    let test = try await run(at: 1, files: ["d/x"], held: "/x") { test in
      try await test.rename("d/x", to: "x")
      try await test.remove("d", asFolder: true)
    }
    #expect(try test.store.tree() == ["x": pattern(10)])
    #expect(try await test.list(.root) == ["x"])
  }

  /// semantics: "Names that are exchanged, or handed on from one item to another, reach the cloud as they are here, with no conflict copy; while two items exchange theirs, one of them has a third name in the cloud for a moment."
  @Test(arguments: 1...3) func aNameThatHasJustBecomeFreeIsNoConflict(number: Int) async throws {
    let test = try await run(at: number, files: ["a", "b"], held: "/c") { test in
      try await test.rename("b", to: "c")
      try await test.rename("a", to: "b")
    }
    #expect(try test.store.tree() == ["b": pattern(10), "c": pattern(10)])
    #expect(try await test.list(.root).sorted() == ["b", "c"])
  }

  @Test func whoMakesRoomForAnotherItemDoesSoOnce() async throws {
    let store = MemoryStore(pieceSize: 4096)
    let one = try store.put([1], at: "one")
    let two = try store.put([2], at: "two")
    let isDenied = Locked(true)
    let moves = Locked(0)
    let hooks = FailingCloud.Hooks(
      deniesMove: { item, _ in
        if item == one.identifier { moves.withLock { $0 += 1 } }
        return item == two.identifier && isDenied.withLock { $0 }
      })
    let test = try TestDrive("icloud", store: store, cloud: { FailingCloud($0, hooks: hooks) })
    _ = try await test.list(.root)
    try await test.rename("one", to: "two", flags: 2)
    for _ in 0..<60 {
      test.clock.advance(by: .seconds(1))
      try await test.awaitIdleUploads()
    }
    #expect(moves.withLock { $0 } < 30)
    isDenied.withLock { $0 = false }
    try await test.settleUploads()
    #expect(try store.tree() == ["one": [2], "two": [1]])
  }

  @Test func whoCouldNotMakeRoomTriesAgain() async throws {
    let denials = Locked(0)
    let hooks = FailingCloud.Hooks(
      deniesMove: { _, name in
        guard name.text.hasPrefix(".") else { return false }
        return denials.withLock { count in
          count += 1
          return count <= 4
        }
      })
    let store = MemoryStore(pieceSize: 4096)
    try store.put([1], at: "one")
    try store.put([2], at: "two")
    let test = try TestDrive("icloud", store: store, cloud: { FailingCloud($0, hooks: hooks) })
    _ = try await test.list(.root)
    try await test.rename("one", to: "two", flags: 2)
    try await test.settleUploads()
    #expect(denials.withLock { $0 } > 4)
    #expect(try store.tree() == ["one": [2], "two": [1]])
  }

  @Test func nothingIsSentOfAnItemWhoseLastUploadNobodyHasHeardOf() async throws {
    let test = try TestDrive("icloud")
    try await test.put(pattern(10), "f")
    try await test.settleUploads()
    test.conditions.goOffline()
    try await test.put(pattern(20), "f")
    try await test.awaitIdleUploads()
    let inode = try test.drive.find("/f")
    let item = try #require(try test.catalog.pendingItem(of: inode))
    let details = try #require(try test.catalog.details(of: inode))
    try test.catalog.noteSending(
      Sending(
        inode: inode, sequence: item.sequence, parts: item.parts, item: details.item,
        base: details.version, folder: .root, name: try #require(details.name), kind: .file,
        size: 20, modified: .now, permissions: 0o644, checksum: nil, target: nil))
    test.conditions.goOnline()
    let end = await Upload(item: item, drive: test.drive, uploader: test.drive.uploader).run()
    #expect(end == .blocked(by: details.item))
    try await test.settleUploads()
    #expect(try test.store.tree() == ["f": pattern(20)])
  }

  @Test func aNewFolderTakesInWhoHadItsName() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(10), at: "a")
    _ = try await test.list(.root)
    test.conditions.goOffline()
    try await test.rename("a", to: "c")
    try await test.makeFolder("a")
    try await test.rename("c", to: "a/b")
    test.conditions.goOnline()
    test.drive.retryUploads()
    try await test.settleUploads()
    try await test.drive.synchronize()
    #expect(try test.store.tree() == ["a/": [], "a/b": pattern(10)])
    #expect(try await test.list(.root) == ["a"])
    #expect(try await test.read("a/b") == pattern(10))
  }
}
