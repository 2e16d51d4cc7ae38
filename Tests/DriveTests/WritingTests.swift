import Cloud
import Glibc
import Ledger
import Platform
import Profiles
import Simulation
import Testing

@testable import Drive

@Suite(.timeLimit(.minutes(15))) struct WritingTests {
  private static let profiles = ["local", "icloud", "synology", "onedrive"]

  @Test(arguments: profiles)
  func whatIsClosedReachesTheCloud(profile: String) async throws {
    let test = try TestDrive(profile)
    try await test.makeFolder("d")
    let (node, item) = try await test.create("d/new", permissions: 0o600)
    try await test.write(pattern(10_000), item)
    #expect(try await test.stat(node).value().size == 10_000)
    try test.close(item)
    try await test.drive.awaitUploads()
    #expect(try test.store.tree() == ["d/": [], "d/new": pattern(10_000)])
    #expect(try await test.read("d/new") == pattern(10_000))
    #expect(test.drive.pendingChanges == 0)
    #expect(try test.status("/d/new").isPending == false)
  }

  /// semantics: "Removing a document that nobody has open ends its download, and whoever waits for it learns that it is gone."
  @Test(arguments: [TestGone.removed, .replaced])
  func aDownloadOfWhatGoesEnds(_ gone: TestGone) async throws {
    let test = try TestDrive("synology")
    try test.store.put(pattern(9000), at: "f")
    let node = try await test.node("f")
    try await test.put([1], "other")
    let gate = try test.hold("/f", at: .firstByte)
    await #expect(throws: Errno.noSuchFile) { try await test.stat(node).value() }
    let waiting = test.stat(node)
    try await test.gates.awaitWaiting(1, at: gate)
    switch gone {
    case .removed: try await test.remove("f")
    case .replaced: try await test.rename("other", to: "f")
    }
    await #expect(throws: Errno.noSuchFile) { try await waiting.value() }
    _ = try #require(
      await test.ledger.firstRecord(matching: .init(kind: .transfer, answer: "cancelled")))
    try await test.drive.awaitUploads()
    #expect(try test.store.tree() == (gone == .removed ? ["other": [1]] : ["f": [1]]))
  }

  enum TestGone: Sendable { case removed, replaced }

  /// semantics: "A name that the account does not take is refused, with the profile's error or ENAMETOOLONG, and nothing is created or renamed."
  @Test(arguments: [
    ("synology", "a:b", Errno.invalid), ("synology", "end.", .invalid),
    ("onedrive", "nul", .invalid),
    ("onedrive", "~$own.docx", .invalid), ("icloud", "a:b", nil), ("local", "end.", nil),
  ])
  func namesAreTheAccounts(profile: String, name: String, refusal: Errno?) async throws {
    let test = try TestDrive(profile)
    try await test.put([1], "plain")
    guard let refusal else {
      try await test.put([2], name)
      try await test.rename("plain", to: name)
      return #expect(try await test.list(.root) == [name])
    }
    await #expect(throws: refusal) { try await test.put([2], name) }
    await #expect(throws: refusal) { try await test.makeFolder(name) }
    await #expect(throws: refusal) { try await test.rename("plain", to: name) }
    #expect(try await test.list(.root) == ["plain"])
  }

  @Test func namesAreAsLongAsTheAccountTakes() async throws {
    let test = try TestDrive("icloud", change: { $0.account.names.maximumBytes = 8 })
    try await test.put([1], "12345678")
    await #expect(throws: Errno.nameTooLong) { try await test.put([1], "123456789") }
  }

  @Test func nothingIsSentBeforeTheClose() async throws {
    let test = try TestDrive("icloud")
    let (_, item) = try await test.create("f")
    try await test.write([1, 2, 3], item)
    #expect(test.drive.pendingChanges == 1)
    #expect(try test.status("/f").isPending)
    try await test.makeFolder("other")
    _ = try #require(
      await test.ledger.firstRecord(matching: .init(kind: .upload, answer: "completed")))
    #expect(try test.store.tree() == ["other/": []])
    try test.close(item)
    try await test.drive.awaitUploads()
    #expect(try test.store.tree()["f"] == [1, 2, 3])
  }

  @Test(arguments: profiles)
  func aPartOfWhatIsNotHereIsChanged(profile: String) async throws {
    let test = try TestDrive(profile)
    try test.store.put(pattern(9000), at: "f")
    let (_, item) = try await test.openToWrite("f")
    try await test.write([0, 0, 0, 0], at: 5000, item)
    try test.close(item)
    var expected = pattern(9000)
    expected.replaceSubrange(5000..<5004, with: [0, 0, 0, 0])
    #expect(try await test.read("f") == expected)
    try await test.drive.awaitUploads()
    #expect(try test.store.tree() == ["f": expected])
  }

  @Test(arguments: profiles)
  func lengthsAreSet(profile: String) async throws {
    let test = try TestDrive(profile)
    try test.store.put(pattern(9000), at: "f")
    for size in [9000, 100, 20_000, 0, 7] {
      var request = AttributeRequest()
      request.size = Int64(size)
      let node = try await test.node("f")
      let shown = try await test.drive.setAttributes(of: node, request, TestDrive.caller).value()
      #expect(shown.size == Int64(size))
    }
    #expect(try await test.read("f") == [0, 0, 0, 0, 0, 0, 0])
    try await test.settleUploads()
    let left = try test.store.tree()
    let records = test.ledger.records(matching: Query(kind: .upload)).map { "\($0)" }
    #expect(left == ["f": [0, 0, 0, 0, 0, 0, 0]], "\(records.joined(separator: "\n"))")
  }

  @Test func anEmptiedDocumentIsNotFetchedWhereTheProfileSaysSo() async throws {
    let test = try TestDrive("synology")
    try test.store.put(pattern(9000), at: "f")
    try await test.put([9], "f")
    #expect(test.ledger.transfers.isEmpty)
    try await test.drive.awaitUploads()
    #expect(try test.store.tree()["f"] == [9])
  }

  @Test(arguments: profiles)
  func aSaveByATemporaryFileIsOneUpload(profile: String) async throws {
    let test = try TestDrive(profile, change: { $0.account.uploadDelay = .seconds(1) })
    let item = try test.store.put(pattern(500), at: "doc")
    #expect(try await test.read("doc") == pattern(500))
    try await test.put(pattern(700, seed: 3), "doc.tmp")
    try await test.rename("doc.tmp", to: "doc")
    #expect(try await test.read("doc") == pattern(700, seed: 3))
    test.clock.advance(by: .seconds(1))
    try await test.drive.awaitUploads()
    #expect(try test.store.tree() == ["doc": pattern(700, seed: 3)])
    let kept = Profile.builtin(named: profile)?.account.replacementByRename == .kept
    #expect((try test.store.item(at: "doc").identifier == item.identifier) == kept)
  }

  @Test func renamesAndRemovalsReachTheCloud() async throws {
    let test = try TestDrive("icloud")
    try test.store.put([1], at: "a")
    try test.store.put([2], at: "b")
    try test.store.put([3], at: "c")
    _ = try await test.node("a")
    try await test.makeFolder("d")
    try await test.rename("a", to: "d/a2")
    try await test.remove("b")
    try await test.rename("c", to: "b")
    try await test.settleUploads()
    #expect(try test.store.tree() == ["d/": [], "d/a2": [1], "b": [3]])
    try await test.remove("d/a2")
    try await test.remove("d", asFolder: true)
    try await test.settleUploads()
    #expect(try test.store.tree() == ["b": [3]])
  }

  @Test func twoNamesAreExchanged() async throws {
    let test = try TestDrive("icloud")
    try test.store.put([1], at: "a")
    try test.store.put([2], at: "b")
    _ = try await test.list(.root)
    try await test.rename("a", to: "b", flags: 2)
    #expect(try await test.read("a") == [2])
    try await test.settleUploads()
    #expect(try test.store.tree() == ["a": [2], "b": [1]])
  }

  @Test func anUnlinkedDocumentIsReadAndWrittenByThoseWhoHaveIt() async throws {
    let test = try TestDrive("icloud")
    let (node, item) = try await test.create("f")
    try await test.write([1, 2, 3], item)
    try await test.remove("f")
    try await test.write([4], at: 3, item)
    let read = try await test.read(ByteRange(offset: 0, count: 10), item, node).value().bytes
    #expect(read == [1, 2, 3, 4])
    #expect(try await test.stat(node).value().links == 0)
    try test.close(item)
    try await test.drive.awaitUploads()
    #expect(try test.store.tree().isEmpty)
    test.drive.forget(node, count: 1)
    #expect(test.contentFiles == 0)
  }

  @Test func aLostRaceLeavesBothVersions() async throws {
    let test = try TestDrive("icloud")
    try test.store.put([1], at: "doc.txt")
    #expect(try await test.read("doc.txt") == [1])
    test.conditions.change { $0.isOnline = false }
    try await test.put([2, 2], "doc.txt")
    try test.store.put([3, 3, 3], at: "doc.txt")
    test.conditions.change { $0.isOnline = true }
    test.drive.retryUploads()
    try await test.settleUploads()
    #expect(try test.store.tree() == ["doc.txt": [3, 3, 3], "doc 2.txt": [2, 2]])
    #expect(try await test.read("doc.txt") == [3, 3, 3])
    #expect(try await test.read("doc 2.txt") == [2, 2])
  }

  @Test func whatWasDeletedElsewhereAndWrittenHereStays() async throws {
    let test = try TestDrive("icloud")
    try test.store.put([1], at: "doc")
    #expect(try await test.read("doc") == [1])
    test.conditions.change { $0.isOnline = false }
    try await test.put([2], "doc")
    try test.store.delete(at: "doc")
    test.conditions.change { $0.isOnline = true }
    test.drive.retryUploads()
    try await test.settleUploads()
    #expect(try test.store.tree() == ["doc": [2]])
  }

  @Test func aNameThatTwoDevicesTookLeavesBoth() async throws {
    let test = try TestDrive("icloud")
    _ = try await test.list(.root)
    test.conditions.change { $0.isOnline = false }
    try await test.put([1], "note.txt")
    try test.store.put([2], at: "note.txt")
    test.conditions.change { $0.isOnline = true }
    test.drive.retryUploads()
    try await test.settleUploads()
    #expect(try test.store.tree() == ["note.txt": [2], "note 2.txt": [1]])
  }

  @Test func aNameThatIsHiddenIsNotDestroyed() async throws {
    let test = try TestDrive("icloud-legacy")
    try test.store.put([1], at: "note.txt")
    #expect(try await test.list(.root) == [".note.txt.icloud"])
    test.conditions.change { $0.isOnline = false }
    let (_, item) = try await test.create("note.txt")
    try await test.write([2, 2], item)
    try test.close(item)
    #expect(try await test.read("note.txt") == [2, 2])
    test.conditions.change { $0.isOnline = true }
    test.drive.retryUploads()
    try await test.settleUploads()
    #expect(try test.store.tree() == ["note.txt": [1], "note 2.txt": [2, 2]])
  }

  /// Only the mode was changed here: the content of the other device is taken, and nothing is tried for ever.
  @Test func aChangeOfModeMeetsNewContent() async throws {
    let test = try TestDrive("icloud")
    try test.store.put([1], at: "doc")
    #expect(try await test.read("doc") == [1])
    test.conditions.change { $0.isOnline = false }
    var request = AttributeRequest()
    request.permissions = 0o600
    _ = try await test.drive.setAttributes(
      of: try await test.node("doc"), request, TestDrive.caller
    ).value()
    try test.store.put([2, 2], at: "doc")
    test.conditions.change { $0.isOnline = true }
    test.drive.retryUploads()
    try await test.settleUploads()
    #expect(try test.store.tree() == ["doc": [2, 2]])
    #expect(try await test.read("doc") == [2, 2])
    #expect(try test.store.item(at: "doc").permissions == 0o600)
  }

  /// A local disk makes no copies: the last writer wins.
  @Test func onALocalDiskTheLastWriterWins() async throws {
    let test = try TestDrive("local")
    try test.store.put([1], at: "doc")
    #expect(try await test.read("doc") == [1])
    let (_, item) = try await test.openToWrite("doc")
    try await test.write([3], item)
    try test.store.put([2, 2], at: "doc")
    try test.close(item)
    try await test.settleUploads()
    #expect(try test.store.tree() == ["doc": [3]])
    #expect(test.ledger.records(matching: Query(kind: .upload)).count < 5)
  }

  @Test func whatChangedElsewhereIsNotDeleted() async throws {
    let test = try TestDrive("icloud")
    try test.store.put([1], at: "doc")
    _ = try await test.node("doc")
    test.conditions.change { $0.isOnline = false }
    try await test.remove("doc")
    try test.store.put([2], at: "doc")
    test.conditions.change { $0.isOnline = true }
    test.drive.retryUploads()
    try await test.settleUploads()
    #expect(try test.store.tree() == ["doc": [2]])
    #expect(try await test.read("doc") == [2])
  }

  @Test func pendingChangesGoOnAfterARestart() async throws {
    let test = try TestDrive("icloud")
    _ = try await test.list(.root)
    test.conditions.change { $0.isOnline = false }
    try await test.put(pattern(5000), "kept")
    let (_, item) = try await test.create("open")
    try await test.write([7, 7], item)
    // As if it had been killed: nothing is closed.
    let again = try test.restarted("icloud")
    #expect(again.drive.pendingChanges == 2)
    again.drive.beginUploading()
    try await again.drive.awaitUploads()
    #expect(try again.store.tree() == ["kept": pattern(5000), "open": [7, 7]])
    #expect(try await again.read("open") == [7, 7])
  }

  @Test func whatIsPendingIsNotEvicted() async throws {
    let test = try TestDrive("icloud")
    _ = try await test.list(.root)
    test.conditions.change { $0.isOnline = false }
    try await test.put([1], "f")
    let inode = try test.drive.find("/f")
    await #expect {
      try await test.drive.evict(inode, caller: nil)
    } throws: {
      ($0 as? DriveError)?.code == .isPending
    }
  }

  @Test func aFullCloudIsToldAndTriedAgain() async throws {
    let store = MemoryStore(pieceSize: 4096, quota: 1000)
    let test = try TestDrive("icloud", store: store)
    try await test.put(pattern(2000), "big")
    _ = try #require(
      await test.ledger.firstRecord(matching: .init(kind: .upload, answer: "quotaExceeded")))
    #expect(try test.status("/big").isPending)
    #expect(try await test.read("big") == pattern(2000))
    try await test.put(pattern(10), "big")
    test.drive.retryUploads()
    try await test.settleUploads()
    #expect(try test.store.tree() == ["big": pattern(10)])
  }
}
