import Catalog
import Cloud
import Foundation
import Glibc
import Ledger
import Platform
import Simulation
import Testing

@testable import Drive

/// Content files that somebody has removed or cut off.
@Suite(.timeLimit(.minutes(15))) struct ContentDamageTests {
  enum Loss: CaseIterable, Sendable {
    case removed, cutOff

    func happen(to path: String) throws {
      switch self {
      case .removed: try FileManager.default.removeItem(atPath: path)
      case .cutOff: truncate(path, 500)
      }
    }
  }

  /// semantics: "Content that is missing on the device, or cut off, and that the cloud has, is brought again when a program reads the document, or opens it for writing."
  @Test(arguments: Loss.allCases, [true, false])
  func whatTheCloudHasIsBroughtAgain(_ loss: Loss, isWritten: Bool) async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(9000), at: "f")
    #expect(try await test.read("f") == pattern(9000))
    try loss.happen(to: test.contentPath("f"))
    var expected = pattern(9000)
    if isWritten {
      let (_, item) = try await test.openToWrite("f")
      try await test.write([1, 2, 3], at: 8000, item)
      try test.close(item)
      expected.replaceSubrange(8000..<8003, with: [1, 2, 3])
    }
    #expect(try await test.read("f") == expected)
    #expect(test.ledger.transfers.count == 2)
    #expect(
      test.ledger.records(matching: Query(kind: .eviction)).map(\.callClass) == ["damaged"])
    try await test.drive.awaitUploads()
    #expect(try test.store.tree() == ["f": expected])
  }

  /// semantics: "Content that only the device had, and that is missing or cut off, is an error (EIO) where it is missing, never zeros; nothing of it is sent, and `fauxdrive status` says why."
  @Test(arguments: Loss.allCases, [true, false])
  func whatOnlyTheDeviceHadIsAnError(_ loss: Loss, isNew: Bool) async throws {
    let test = try TestDrive("onedrive")
    if !isNew { try test.store.put(pattern(3000), at: "f") }
    _ = try await test.list(.root)
    test.conditions.change { $0.isOnline = false }
    try await test.put(pattern(2000), "f")
    try loss.happen(to: test.contentPath("f"))
    let again = try test.restarted("onedrive")
    #expect(again.rebuild == nil)
    #expect(again.drive.notices.count == 1 && again.drive.notices[0].contains("/f"))
    await #expect(throws: Errno.io) { _ = try await again.read("f") }
    if loss == .cutOff { #expect(try await again.readSome("f", 500).count == 500) }
    again.drive.beginUploading()
    _ = try #require(
      await again.ledger.firstRecord(matching: Query(kind: .upload, answer: "failed")))
    #expect(try again.store.tree() == (isNew ? [:] : ["f": pattern(3000)]))
    let status = try again.status("/f")
    #expect(status.isPending && status.error?.contains("on this device") == true, "\(status)")
    // Who writes it anew makes it whole.
    try await again.put([7], "f")
    try await again.settleUploads()
    #expect(try again.store.tree() == ["f": [7]])
    #expect(try again.status("/f").error == nil)
  }

  @Test(arguments: Loss.allCases)
  func whatWasHereInPartIsBroughtWhole(_ loss: Loss) async throws {
    let test = try TestDrive("icloud")
    let store = test.store
    try store.put(blocks(20 << 20), at: "f")
    let node = try await test.node("f")
    let gate = try test.hold("/f", at: .byte(12 << 20))
    let item = try #require(test.open(node).ready)
    _ = test.read(ByteRange(offset: 0, count: 10), item, node)
    try await test.gates.awaitWaiting(1, at: gate)
    test.drive.stop()
    let path = try test.contentPath("f")
    test.catalog.close()
    try loss.happen(to: path)
    let again = try TestDrive("icloud", store: store, folder: test.folder)
    #expect(try again.status("/f").percent > 0)
    #expect(try await again.read("f") == blocks(20 << 20))
    again.drive.stop()
    again.catalog.close()
  }

  /// A process that dies while it writes leaves a document as long as its content is, unless that is gone.
  @Test func aDocumentThatWasBeingWrittenIsNotTakenForEmpty() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(3000), at: "f")
    let (_, item) = try await test.openToWrite("f")
    try await test.write([1], at: 0, item)
    let copy = test.folder + "-left"
    try test.catalog.whileNothingIsCommitted {
      try FileManager.default.copyItem(atPath: test.folder, toPath: copy)
    }
    try FileManager.default.removeItem(atPath: test.contentPath("f", in: copy))
    let again = try TestDrive("icloud", store: test.store, folder: copy)
    defer { again.remove() }
    again.drive.beginUploading()
    _ = try #require(
      await again.ledger.firstRecord(matching: Query(kind: .upload, answer: "failed")))
    #expect(try again.store.tree() == ["f": pattern(3000)])
    #expect(try await again.stat(try await again.node("f")).value().size == 3000)
  }
}

extension TestDrive {
  /// Where the content of a document lies.
  func contentPath(_ path: String, in folder: String? = nil) throws -> String {
    let entry = try #require(try catalog.entry(of: try drive.find("/" + path)))
    let part = String(entry.inode.rawValue >> 10 & 255, radix: 16)
    return DeviceFolder.content(in: folder ?? self.folder) + "/" + (part.count < 2 ? "0" : "")
      + part
      + "/\(entry.inode.rawValue).\(entry.contentSerial)"
  }

  func readSome(_ path: String, _ count: Int64) async throws -> [UInt8] {
    let node = try await node(path)
    let item = try await open(node).value()
    defer { drive.close(item.handle) }
    return try await read(ByteRange(offset: 0, count: count), item, node).value().bytes
  }
}
