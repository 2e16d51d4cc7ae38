import Catalog
import Cloud
import Glibc
import Ledger
import Platform
import Simulation
import Testing

@testable import Drive

/// What calls of content files that fail leave behind.
@Suite(.timeLimit(.minutes(5))) struct FailedCallTests {
  /// Makes calls of one kind fail while it is on.
  private struct Trouble: Sendable {
    let failing = Locked<(call: LocalFiles.Call, error: Errno)?>(nil)

    var files: LocalFiles {
      LocalFiles { call in
        failing.withLock { $0.flatMap { $0.call == call ? .error($0.error) : nil } }
      }
    }

    func begins(_ call: LocalFiles.Call, _ error: Errno) { failing.withLock { $0 = (call, error) } }
    func ends() { failing.withLock { $0 = nil } }
  }

  @Test(arguments: [LocalFiles.Call.truncate, .open, .mark])
  func aTruncateThatFailsDoesNotKeepTheDocumentFromTheCloud(_ call: LocalFiles.Call) async throws {
    let trouble = Trouble()
    let test = try TestDrive("icloud", files: trouble.files)
    try await test.put(pattern(100), "f")
    try await test.settleUploads()
    let node = try await test.node("f")
    trouble.begins(call, .noSpace)
    await #expect(throws: Errno.noSpace) {
      var request = AttributeRequest()
      request.size = 200
      _ = try await test.drive.setAttributes(of: node, request, TestDrive.caller).value()
    }
    trouble.ends()
    try await test.settleUploads()
    #expect(try await test.read("f") == pattern(100))
    #expect(try test.store.tree() == ["f": pattern(100)])
    #expect(try !test.status("/f").isPending)
  }

  @Test func aDocumentThatIsNotHereIsEmptiedWithoutAFile() async throws {
    let trouble = Trouble()
    let test = try TestDrive("synology", files: trouble.files)
    try test.store.put(pattern(100), at: "f")
    trouble.begins(.open, .noSpace)
    let (_, item) = try await test.openToWrite("f", flags: O_WRONLY | O_TRUNC)
    await #expect(throws: Errno.noSpace) { try await test.write([1], item) }
    trouble.ends()
    try await test.write([1], item)
    try test.close(item)
    try await test.settleUploads()
    #expect(try test.store.tree() == ["f": [1]])
  }

  @Test func aReadOfContentThatCannotBeReadSaysWhatTheDiskSays() async throws {
    let trouble = Trouble()
    let test = try TestDrive("icloud", files: trouble.files)
    try test.store.put(pattern(100), at: "f")
    let node = try await test.node("f")
    let item = try await test.open(node).value()
    defer { test.drive.close(item.handle) }
    let gate = try test.hold("/f", at: .published)
    let read = test.read(ByteRange(offset: 0, count: 100), item, node)
    try await test.gates.awaitWaiting(at: gate)
    trouble.begins(.open, .io)
    try test.gates.open(gate)
    await #expect(throws: Errno.io) { try await read.value() }
    trouble.ends()
    #expect(
      try await test.read(ByteRange(offset: 0, count: 100), item, node).value().bytes
        == pattern(100))
  }

  @Test func aConflictWhoseCopyCannotBeMadeIsSettledLater() async throws {
    let trouble = Trouble()
    let test = try TestDrive("icloud", files: trouble.files)
    try await test.put(pattern(100), "f.txt")
    try await test.settleUploads()
    test.conditions.goOffline()
    try await test.put(pattern(80, seed: 1), "f.txt")
    try test.store.put(pattern(60, seed: 2), at: "f.txt")
    trouble.begins(.link, .noSpace)
    test.conditions.goOnline()
    test.drive.retryUploads()
    _ = try #require(
      await test.ledger.firstRecord(matching: .init(kind: .upload, answer: "versionGone")))
    try await test.awaitIdleUploads()
    #expect(try await test.read("f.txt") == pattern(80, seed: 1))
    trouble.ends()
    try await test.settleUploads()
    let both = ["f.txt": pattern(60, seed: 2), "f 2.txt": pattern(80, seed: 1)]
    #expect(try test.store.tree() == both)
    #expect(try await test.read("f.txt") == both["f.txt"])
    #expect(try await test.read("f 2.txt") == both["f 2.txt"])
  }
}
