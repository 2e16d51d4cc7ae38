import Catalog
import Cloud
import Foundation
import Platform
import Testing

/// What a device writes down before the cloud can take it.
@Suite struct SendingTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try directory.open()
    _ = try catalog.populate(.root, with: [try item("a", size: 1), try folder("d")])
  }

  private func sending(
    of entry: Entry, named text: String, _ parts: PendingParts = [.created, .content],
    checksum: Checksum? = Checksum(of: [1, 2, 3] as [UInt8]), target: [UInt8]? = nil
  ) throws -> Sending {
    let details = try #require(try catalog.details(of: entry.inode))
    return Sending(
      inode: entry.inode, sequence: try catalog.sequence(of: entry.inode), parts: parts,
      item: details.item, base: details.version, folder: .root, name: try name(text),
      kind: entry.kind, size: entry.size, modified: entry.modified,
      permissions: entry.permissions, checksum: checksum, target: target)
  }

  @Test func whatIsSentIsKnownAfterACrash() throws {
    let made = try catalog.makeWritten("new", size: 3)
    let changed = try catalog.fetch("a")
    _ = try catalog.setLocal(changed.inode, size: nil, modified: nil, permissions: 0o600)
    let sent = [
      try sending(of: made, named: "new"),
      try sending(
        of: try catalog.known("a"), named: "a", .metadata, checksum: nil, target: [1, 2]),
    ]
    for sending in sent { try catalog.noteSending(sending) }
    #expect(try catalog.sendings() == sent)
    // As after a kill: nothing is closed.
    let copy = directory.path + "-copy"
    try FileManager.default.copyItem(atPath: directory.path, toPath: copy)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    #expect(try Catalog(directory: copy).sendings() == sent)
  }

  @Test func aLaterCallTakesThePlaceOfAnEarlierOne() throws {
    let made = try catalog.makeWritten("new", size: 3)
    try catalog.noteSending(try sending(of: made, named: "new"))
    let later = try sending(of: made, named: "newer", checksum: nil)
    try catalog.noteSending(later)
    #expect(try catalog.sendings() == [later])
  }

  @Test func whatHasEndedIsForgotten() throws {
    let made = try catalog.makeWritten("new", size: 5)
    try catalog.noteSending(try sending(of: made, named: "new"))
    #expect(try catalog.finishUpload(made.inode, as: try item("c", named: "new", size: 5)) == true)
    #expect(try catalog.sendings().isEmpty)
    let other = try catalog.makeWritten("other", size: 5)
    try catalog.noteSending(try sending(of: other, named: "other"))
    try catalog.sendingEnded(other.inode)
    #expect(try catalog.sendings().isEmpty)
    #expect(try catalog.parts(of: other.inode) == [.created, .content], "it is still to be sent")
  }

  /// The cloud may have an item of which nothing is left here.
  @Test func whatWentMeanwhileStaysSentAndCounts() throws {
    let made = try catalog.makeWritten("new", size: 5)
    let sent = try sending(of: made, named: "new")
    try catalog.noteSending(sent)
    #expect(try catalog.pendingCounts() == PendingCounts(items: 1, deletions: 0, failed: 0))
    _ = try catalog.unlink("new")
    #expect(try catalog.sendings() == [sent])
    #expect(try catalog.pendingCounts() == PendingCounts(items: 1, deletions: 0, failed: 0))
    let arrived = try item("c", named: "new", size: 5)
    #expect(
      try catalog.uploaded(made.inode, sequence: sent.sequence, parts: sent.parts, as: arrived)
        == nil)
    #expect(try catalog.sendings().isEmpty)
    #expect(try catalog.deletions() == ["c"])
  }

  @Test func whatIsTakenBackShowsInOneStep() throws {
    _ = try catalog.unlink("a")
    let theirs = try item("a", size: 7, content: "2")
    #expect(try catalog.takeBack(theirs).map(\.summary) == ["added a"])
    #expect(try catalog.deletions().isEmpty)
    #expect(try catalog.known("a").size == 7)
  }
}
