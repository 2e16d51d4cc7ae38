import Catalog
import Cloud
import Glibc
import Ledger
import Platform
import Simulation
import Testing

@testable import Drive

/// Uploads of which the drive has not heard how they ended.
@Suite(.timeLimit(.minutes(15))) struct SettlementTests {
  /// Lets the answer to one call be lost, after the cloud has done it.
  private func losingAnswer(
    to call: CloudOperation, _ test: TestDrive, _ change: () async throws -> Void
  ) async throws {
    let gate = try test.gates.close(Gate(at: .reply(call)))
    try await change()
    try await test.gates.awaitWaiting(at: gate)
    try test.gates.fail(gate, with: .io)
  }

  @Test func aLostAnswerMakesNoCopy() async throws {
    let test = try TestDrive("icloud")
    try test.store.put([1], at: "old")
    try await test.makeFolder("d")
    try await test.drive.awaitUploads()
    try await losingAnswer(to: .create, test) { try await test.put([1, 2], "new") }
    try await test.settleUploads()
    try await losingAnswer(to: .create, test) { try await test.makeFolder("e") }
    try await test.settleUploads()
    try await losingAnswer(to: .modify, test) { try await test.put([3], "old") }
    try await test.settleUploads()
    try await losingAnswer(to: .move, test) { try await test.rename("new", to: "d/moved") }
    try await test.settleUploads()
    #expect(try test.store.tree() == ["d/": [], "d/moved": [1, 2], "e/": [], "old": [3]])
    try await losingAnswer(to: .delete, test) { try await test.remove("old") }
    try await test.settleUploads()
    #expect(try test.store.tree() == ["d/": [], "d/moved": [1, 2], "e/": []])
    #expect(test.ledger.records(matching: Query(kind: .conflict)).isEmpty)
  }

  /// Else its version in the cloud, which is the device's own, would be taken for another device's.
  @Test func nothingIsDeletedBeforeItIsKnownWhatBecameOfItsUpload() async throws {
    let test = try TestDrive("icloud")
    try test.store.put([1], at: "old")
    #expect(try await test.read("old") == [1])
    // Nothing happens by itself from now on.
    test.drive.uploader.stop()
    let inode = try test.drive.find("/old")
    let details = try #require(try test.catalog.details(of: inode))
    try await test.remove("old")
    try test.catalog.noteSending(
      Sending(
        inode: inode, sequence: 1, parts: .content, item: details.item, base: details.version,
        folder: .root, name: try #require(details.name), kind: .file, size: 1,
        modified: Timestamp(seconds: 0, nanoseconds: 0), permissions: 0o644,
        checksum: nil, target: nil))
    let deletion = try #require(try test.catalog.pendingDeletions(after: 0, limit: 1).first)
    guard case .blocked(details.item) = await test.drive.upload(deletion) else {
      Issue.record("it is deleted while its version in the cloud may be its own")
      return
    }
    try test.catalog.sendingEnded(inode)
    guard case .done = await test.drive.upload(deletion) else {
      Issue.record("it is not deleted")
      return
    }
    #expect(try test.store.tree().isEmpty)
  }

  @Test func whatAnotherDeviceHasMadeIsNotTakenForOurs() async throws {
    let test = try TestDrive("icloud")
    _ = try await test.list(.root)
    // All was sent, and nothing arrived.
    let gate = try test.gates.close(Gate(at: .uploadByte(2)))
    try await test.put([1, 2], "note.txt")
    try await test.gates.awaitWaiting(at: gate)
    try test.store.put([8, 9], at: "note.txt")
    try test.gates.fail(gate, with: .io)
    try await test.settleUploads()
    #expect(try test.store.tree() == ["note.txt": [8, 9], "note 2.txt": [1, 2]])
    #expect(try await test.read("note.txt") == [8, 9])
  }

  @Test func whatAnotherDeviceHasWrittenIsNotTakenForOurs() async throws {
    let test = try TestDrive("icloud")
    try test.store.put([1], at: "note.txt")
    #expect(try await test.read("note.txt") == [1])
    let gate = try test.gates.close(Gate(at: .uploadByte(2)))
    try await test.put([2, 2], "note.txt")
    try await test.gates.awaitWaiting(at: gate)
    try test.store.put([3, 3], at: "note.txt")
    try test.gates.fail(gate, with: .io)
    try await test.settleUploads()
    #expect(try test.store.tree() == ["note.txt": [3, 3], "note 2.txt": [2, 2]])
  }

  @Test func whatOthersPutIntoANewFolderShows() async throws {
    let test = try TestDrive("icloud")
    _ = try await test.list(.root)
    let gate = try test.gates.close(Gate(at: .reply(.create)))
    try await test.makeFolder("d")
    try await test.gates.awaitWaiting(at: gate)
    try test.store.put([7], at: "d/theirs")
    try test.gates.fail(gate, with: .io)
    try await test.settleUploads()
    #expect(try await test.list(try await test.node("d")) == ["theirs"])
    #expect(try await test.read("d/theirs") == [7])
  }

  @Test func whatIsDeletedMeanwhileGoesInTheCloudToo() async throws {
    let test = try TestDrive("icloud")
    _ = try await test.list(.root)
    let gate = try test.gates.close(Gate(at: .reply(.create)))
    try await test.put([1], "f")
    try await test.gates.awaitWaiting(at: gate)
    try await test.remove("f")
    #expect(test.drive.pendingChanges == 1, "the cloud may have it")
    try test.gates.fail(gate, with: .io)
    try await test.settleUploads()
    #expect(try test.store.tree().isEmpty)
    #expect(try await test.list(.root).isEmpty)
  }

  @Test func withoutANetworkNothingIsDecided() async throws {
    let test = try TestDrive("icloud")
    _ = try await test.list(.root)
    let gate = try test.gates.close(Gate(at: .reply(.create)))
    try await test.put([1], "f")
    try await test.gates.awaitWaiting(at: gate)
    test.conditions.change { $0.isOnline = false }
    try test.gates.fail(gate, with: .io)
    try await test.put([2], "g")
    #expect(test.drive.pendingChanges == 2)
    test.conditions.change { $0.isOnline = true }
    test.drive.retryUploads()
    try await test.settleUploads()
    #expect(try test.store.tree() == ["f": [1], "g": [2]])
  }

  @Test func aRestartFindsOutWhatHasArrived() async throws {
    let test = try TestDrive("icloud")
    try test.store.put([0], at: "old")
    #expect(try await test.read("old") == [0])
    let gate = try test.gates.close(Gate(at: .checkpoint(.uploaded)))
    try await test.put([1, 2], "new")
    try await test.put([3], "old")
    try await test.makeFolder("d")
    try await test.gates.awaitWaiting(3, at: gate)
    let again = try test.restarted("icloud")
    #expect(try again.store.tree() == ["d/": [], "new": [1, 2], "old": [3]])
    again.drive.followChanges()
    try await again.put([4, 4, 4], "old")
    again.drive.beginUploading()
    try await again.settleUploads()
    #expect(try again.store.tree() == ["d/": [], "new": [1, 2], "old": [4, 4, 4]])
    #expect(try await again.list(.root).sorted() == ["d", "new", "old"])
  }

  /// The feed tells everything since the last start, also what a process before this one has done.
  @Test func anOldStateIsNoNewsBesideALaterOneOfOurs() throws {
    let changes = OwnChanges()
    func item(_ identifier: String, _ version: String, _ name: String) throws -> Item {
      Item(
        identifier: ItemIdentifier(rawValue: identifier), parent: .root,
        name: FileName(name), kind: .file, size: 1, modified: .now, created: .now,
        version: ItemVersion(content: version, metadata: version))
    }
    let (old, new) = (try item("i", "1", "f.tmp"), try item("i", "2", "f"))
    let theirs = try item("i", "3", "g")
    let other = try item("j", "1", "x")
    changes.note(new.version, of: new.identifier, isMade: true)
    #expect(changes.news(in: [.updated(old), .updated(other), .updated(new)]) == [.updated(other)])
    let told: [Change] = [.updated(new), .updated(theirs)]
    #expect(changes.news(in: told).last == .updated(theirs))
  }

  @Test func aDocumentThatIsEmptiedToBeWrittenIsNotSentEmpty() async throws {
    let test = try TestDrive("icloud")
    try test.store.put([1, 2, 3], at: "f")
    #expect(try await test.read("f") == [1, 2, 3])
    let (_, item) = try await test.openToWrite("f", flags: O_WRONLY | O_TRUNC)
    try await test.makeFolder("other")
    _ = try #require(
      await test.ledger.firstRecord(matching: .init(kind: .upload, answer: "completed")))
    #expect(try test.store.tree() == ["f": [1, 2, 3], "other/": []])
    try await test.write([9], item)
    try test.close(item)
    try await test.settleUploads()
    #expect(try test.store.tree() == ["f": [9], "other/": []])
  }
}
