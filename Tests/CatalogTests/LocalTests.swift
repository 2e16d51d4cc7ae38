import Catalog
import Cloud
import Platform
import Testing

@Suite struct LocalTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try directory.open()
    _ = try catalog.populate(
      .root, with: [try item("a", size: 1), try item("b", size: 2), try folder("d")])
    _ = try catalog.populate(try catalog.inode("d"), with: [try item("x", in: "d")])
  }

  @Test func aNewFileIsMaterializedAndPendsAsAWhole() throws {
    let file = try catalog.make("new")
    #expect(file.kind == .file && file.size == 0 && file.residency == .materialized)
    #expect(file.permissions == 0o640 && file.parent == .root && file.epoch == 0)
    #expect(file.modified == file.created && file.changed == file.created)
    try catalog.expectEntry(file, named: "new")
    let pending = try #require(try catalog.pendingItem(of: file.inode))
    #expect(pending.parts == [.created, .content] && pending.isWriting && pending.attempts == 0)
    let details = try #require(try catalog.details(of: file.inode))
    #expect(details.item.rawValue == "local:\(file.inode)" && details.name?.text == "new")
    #expect(details.version == ItemVersion(content: "", metadata: ""))
    #expect(try catalog.writingItems() == [file])
    #expect(
      try catalog.residency(of: file.inode, contentSerial: file.contentSerial) == .materialized)
  }

  @Test func aNewFolderIsPopulatedAndALinkHasItsTarget() throws {
    let folder = try catalog.make("new", .folder)
    #expect(folder.isPopulated && folder.residency == .materialized)
    try catalog.expectEntry(folder, named: "new")
    #expect(try catalog.parts(of: folder.inode) == .created)
    let link = try catalog.make("link", in: folder.inode, .symlink, target: Array("a/b".utf8))
    #expect(link.size == 3 && link.residency == .materialized)
    try catalog.expectEntry(link, named: "link")
    #expect(try catalog.details(of: link.inode)?.target == Array("a/b".utf8))
    #expect(try catalog.parts(of: link.inode) == .created)
    #expect(try catalog.writingItems().isEmpty)
    #expect(try catalog.path(of: link.inode) == "/new/link")
  }

  @Test func creatingMovesTheFoldersTimesWithoutAPendingPart() throws {
    let before = try #require(try catalog.entry(of: .root))
    let file = try catalog.make("new")
    let after = try #require(try catalog.entry(of: .root))
    #expect(after.modified == file.created && after.changed == file.created)
    #expect(after.modified > before.modified)
    #expect(try catalog.pendingItem(of: .root) == nil)
  }

  @Test func creatingIsRefusedAsBySystemCalls() throws {
    let (a, d) = (try catalog.inode("a"), try catalog.inode("d"))
    let counts = try catalog.counts()
    expectRefusal(.exists) { try catalog.make("a") }
    expectRefusal(.exists) { try catalog.make("d", .folder) }
    expectRefusal(.notDirectory) { try catalog.make("new", in: a) }
    expectRefusal(.noSuchFile) { try catalog.make("new", in: InodeNumber(rawValue: 999)) }
    expectRefusal(.invalid) { try catalog.make("new", .symlink) }
    expectRefusal(.invalid) { try catalog.make("new", .file, target: [1]) }
    #expect(try catalog.counts() == counts && catalog.pendingCounts().items == 0)
    _ = try catalog.make("x")
    expectRefusal(.exists) { try catalog.make("x", in: d) }
  }

  @Test func removingNotesADeletionWithItsBaseVersion() throws {
    let a = try catalog.known("a")
    #expect(try catalog.unlink("a") == a)
    #expect(try catalog.entry(of: a.inode) == nil && catalog.entry(at: "a") == nil)
    let deletion = try #require(try catalog.pendingDeletions(limit: 100).first)
    #expect(deletion.item.rawValue == "a" && deletion.kind == .file)
    #expect(deletion.base == ItemVersion(content: "1", metadata: "1"))
    #expect(deletion.parent == .root && deletion.name.text == "a" && deletion.attempts == 0)
    #expect(try catalog.pendingCounts() == PendingCounts(items: 0, deletions: 1, failed: 0))
    try catalog.deletionDone(deletion.item)
    #expect(try catalog.pendingDeletions(limit: 100).isEmpty)
  }

  @Test func whatTheCloudNeverHadLeavesNoDeletion() throws {
    let file = try catalog.make("new")
    try catalog.setXattr([97], [1], of: file.inode)
    #expect(try catalog.unlink("new").inode == file.inode)
    #expect(try catalog.pendingCounts() == PendingCounts(items: 0, deletions: 0, failed: 0))
    #expect(try catalog.xattrNames(of: file.inode).isEmpty)
    #expect(try catalog.writingItems().isEmpty)
  }

  @Test func removingTakesRangesAndPendingPartsAlong() throws {
    let a = try catalog.known("a")
    let ranges = RangeSet([ByteRange(offset: 0, count: 1)])
    #expect(try catalog.saveRanges(ranges, of: a.inode, contentSerial: a.contentSerial))
    _ = try catalog.setLocal(a.inode, size: nil, modified: nil, permissions: 0o600)
    _ = try catalog.unlink("a")
    #expect(try catalog.savedRanges(of: a.inode).isEmpty)
    #expect(try catalog.pendingItem(of: a.inode) == nil && catalog.deletions() == ["a"])
  }

  @Test func removingIsRefusedAsBySystemCalls() throws {
    let root = InodeNumber.root
    func rmdir(_ text: String, in parent: InodeNumber) throws {
      _ = try catalog.removeLocal(try name(text), in: parent, asFolder: true)
    }
    expectRefusal(.noSuchFile) { _ = try catalog.unlink("none") }
    expectRefusal(.noSuchFile) { try rmdir("none", in: root) }
    expectRefusal(.noSuchFile) { _ = try catalog.unlink("a", in: InodeNumber(rawValue: 999)) }
    expectRefusal(.notDirectory) { _ = try catalog.unlink("a", in: try catalog.inode("a")) }
    expectRefusal(.isDirectory) { _ = try catalog.unlink("d") }
    expectRefusal(.notDirectory) { try rmdir("a", in: root) }
    expectRefusal(.notEmpty) { try rmdir("d", in: root) }
    _ = try catalog.apply(.updated(try folder("unknown")))
    expectRefusal(.notEmpty) { try rmdir("unknown", in: root) }
    #expect(try catalog.pendingCounts().deletions == 0)
    _ = try catalog.unlink("x", in: try catalog.inode("d"))
    try rmdir("d", in: root)
    #expect(try catalog.deletions() == ["x", "d"], "children come first")
  }

  @Test func removingShowsWhatWasHidden() throws {
    _ = try catalog.make("same")
    #expect(try catalog.apply(.updated(try item("r", named: "same", size: 9))).isEmpty)
    _ = try catalog.unlink("same")
    #expect(try catalog.entry(at: "same")?.size == 9)
    #expect(try catalog.pendingDeletions(limit: 100).isEmpty)
  }

  @Test func everyLocalChangeIsThereAfterReopening() throws {
    let file = try catalog.makeWritten("new", size: 12)
    try catalog.setXattr(Array("user.k".utf8), [1, 2], of: file.inode)
    _ = try catalog.unlink("a")
    let pending = try catalog.pendingItems(limit: 10)
    let entry = try catalog.entry(of: file.inode)
    catalog.close()
    let again = try directory.open()
    #expect(try again.entry(at: "new") == entry)
    #expect(try again.pendingItems(limit: 10) == pending && again.deletions() == ["a"])
    #expect(try again.xattr(Array("user.k".utf8), of: file.inode) == [1, 2])
    let next = try again.make("next")
    #expect(next.inode > file.inode && next.contentSerial > file.contentSerial)
    #expect(try again.sequence(of: next.inode) > pending.map(\.sequence).max() ?? 0)
  }
}
