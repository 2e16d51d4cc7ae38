import Catalog
import Cloud
import Platform
import Testing

@Suite struct QueueTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try directory.open()
    _ = try catalog.populate(
      .root, with: [try item("a", size: 1), try item("b", size: 2), try folder("d")])
  }

  @Test func theQueueIsOrderedByTheLastChange() throws {
    let (x, y, z) = (try catalog.make("x"), try catalog.make("y"), try catalog.make("z"))
    _ = try catalog.move("x", to: "w")
    let queue = try catalog.pendingItems(limit: 10)
    #expect(queue.map(\.inode) == [y.inode, z.inode, x.inode])
    let first = try catalog.pendingItems(limit: 1)
    #expect(first == Array(queue.prefix(1)))
    #expect(
      try catalog.pendingItems(after: first[0].sequence, limit: 10) == Array(queue.dropFirst()))
    #expect(try catalog.pendingItems(after: .max, limit: 10).isEmpty)
    #expect(try catalog.pendingItems(limit: 0).isEmpty)
  }

  @Test func deletionsAreAskedForInOrderByNameAndBesidesOne() throws {
    #expect(try !catalog.hasPendingChanges())
    for name in ["b", "a"] { _ = try catalog.unlink(name) }
    let all = try catalog.pendingDeletions(limit: 10)
    #expect(all.map(\.name.text) == ["b", "a"])
    #expect(try catalog.pendingDeletions(limit: 1) == Array(all.prefix(1)))
    #expect(
      try catalog.pendingDeletions(after: all[0].sequence, limit: 10) == Array(all.dropFirst()))
    #expect(try catalog.pendingDeletions(after: .max, limit: 10).isEmpty)
    #expect(try catalog.pendingDeletion(of: try name("a"), in: .root) == all[1])
    #expect(try catalog.pendingDeletion(of: try name("c"), in: .root) == nil)
    #expect(try catalog.hasPendingDeletion(besides: all[0].item))
    for deletion in all.dropFirst() { try catalog.deletionDone(deletion.item) }
    #expect(try !catalog.hasPendingDeletion(besides: all[0].item))
    #expect(try catalog.hasPendingChanges())
    try catalog.deletionDone(all[0].item)
    #expect(try !catalog.hasPendingChanges())
  }

  @Test func aMoveBesidesOnesOwnIsFound() throws {
    #expect(try catalog.pendingMove(besides: nil) == nil)
    let made = try catalog.make("x")
    _ = try catalog.move("x", to: "w")
    #expect(try catalog.pendingMove(besides: nil) == nil)
    #expect(try catalog.hasPendingChanges())
    _ = try catalog.move("a", to: "c")
    let moved = try #require(try catalog.pendingMove(besides: made.inode))
    #expect(try moved.inode == catalog.inode("a") && moved.parts == .place)
    #expect(try catalog.pendingMove(besides: moved.inode) == nil)
  }

  @Test func failuresAreRememberedUntilTheNextChange() throws {
    let file = try catalog.makeWritten("new")
    let sequence = try catalog.sequence(of: file.inode)
    try catalog.uploadFailed(file.inode, error: "offline", notBefore: Timestamp(seconds: 9))
    try catalog.uploadFailed(file.inode, error: "full", notBefore: nil)
    let failed = try #require(try catalog.pendingItem(of: file.inode))
    #expect(failed.attempts == 2 && failed.error == "full" && failed.notBefore == nil)
    #expect(failed.sequence == sequence)
    #expect(try catalog.pendingCounts() == PendingCounts(items: 1, deletions: 0, failed: 1))
    try catalog.uploadFailed(file.inode, error: "x", notBefore: Timestamp(seconds: 9))
    #expect(try catalog.pendingItem(of: file.inode)?.notBefore == Timestamp(seconds: 9))
    _ = try catalog.setLocal(file.inode, size: nil, modified: nil, permissions: 0o600)
    let changed = try #require(try catalog.pendingItem(of: file.inode))
    #expect(changed.attempts == 0 && changed.error == nil && changed.notBefore == nil)

    _ = try catalog.unlink("a")
    let a = ItemIdentifier(rawValue: "a")
    try catalog.deletionFailed(a, error: "denied", notBefore: Timestamp(seconds: 3))
    let deletion = try #require(try catalog.pendingDeletions(limit: 100).first)
    #expect(deletion.attempts == 1 && deletion.error == "denied")
    #expect(deletion.notBefore == Timestamp(seconds: 3))
    #expect(try catalog.pendingCounts() == PendingCounts(items: 1, deletions: 1, failed: 1))
  }

  @Test func aNewItemGetsItsIdentity() throws {
    let file = try catalog.makeWritten("new", size: 5)
    let made = try item(
      "cloud-1", named: "new", size: 5, content: "c", metadata: "m", permissions: 0o640,
      modified: file.modified)
    #expect(try catalog.finishUpload(file.inode, as: made) == true)
    #expect(try catalog.pendingItem(of: file.inode) == nil)
    let details = try #require(try catalog.details(of: file.inode))
    #expect(details.item == made.identifier && details.version == made.version)
    let entry = try catalog.known("cloud-1")
    #expect(entry.inode == file.inode && entry.contentSerial == file.contentSerial)
    #expect(entry.residency == .materialized && entry.permissions == 0o640)
    #expect(try catalog.apply(.updated(made)).isEmpty, "the cloud's echo is no news")
    #expect(
      try catalog.populate(.root, with: [made]).map(\.summary).filter { $0.contains("new") } == [])
  }

  @Test func whatWasChangedMeanwhileStaysPending() throws {
    let file = try catalog.makeWritten("new", size: 5)
    let sequence = try catalog.sequence(of: file.inode)
    _ = try catalog.beginWriting(file.inode, emptied: false)
    _ = try catalog.endWriting(file.inode, size: 9, modified: .now, stillWriting: false)
    _ = try catalog.move("new", to: "newer")
    let made = try item("cloud-1", named: "new", size: 5, content: "c", metadata: "m")
    #expect(
      try catalog.uploaded(
        file.inode, sequence: sequence, parts: [.created, .content], as: made) == false)
    #expect(try catalog.parts(of: file.inode) == [.content, .place])
    let details = try #require(try catalog.details(of: file.inode))
    #expect(details.item == made.identifier && details.version == made.version, "the new base")
    #expect(try catalog.entry(at: "newer")?.size == 9)
  }

  @Test func partsAreUploadedOneByOne() throws {
    let file = try catalog.makeWritten("new")
    try catalog.uploadFailed(file.inode, error: "x", notBefore: nil)
    let sequence = try catalog.sequence(of: file.inode)
    let made = try item("c", named: "new", content: "0")
    #expect(
      try catalog.uploaded(file.inode, sequence: sequence, parts: .created, as: made) == false)
    let left = try #require(try catalog.pendingItem(of: file.inode))
    #expect(left.parts == .content && left.sequence == sequence && left.attempts == 0)
    let filled = try item("c", named: "new", size: 5, content: "1")
    #expect(
      try catalog.uploaded(file.inode, sequence: sequence, parts: .content, as: filled) == true)
    #expect(try catalog.known("c").residency == .materialized)
  }

  @Test(arguments: [true, false])
  func theContentIsTheSameWhereTheChangeWasUponIt(keepsContent: Bool) throws {
    let a = try catalog.fetch("a")
    _ = try catalog.setLocal(a.inode, size: nil, modified: Timestamp(seconds: 5), permissions: nil)
    let pending = try #require(try catalog.pendingItem(of: a.inode))
    let base = try #require(try catalog.details(of: a.inode)).version
    let sent = try item("a", size: 1, content: "another")
    var changes: [CatalogChange] = []
    _ = try catalog.uploaded(
      a.inode, sequence: pending.sequence, parts: pending.parts, as: sent,
      upon: keepsContent ? base : nil, changes: &changes)
    let now = try catalog.known("a")
    #expect((now.residency == .materialized) == keepsContent)
    #expect((now.contentSerial == a.contentSerial) == keepsContent)
    #expect(try catalog.details(of: a.inode)?.version == sent.version)
  }

  @Test func contentThatIsBeingWrittenStaysPending() throws {
    let file = try catalog.make("new")
    let made = try item("c", named: "new")
    #expect(try catalog.finishUpload(file.inode, as: made) == false)
    let left = try #require(try catalog.pendingItem(of: file.inode))
    #expect(left.parts == .content && left.isWriting)
  }

  @Test func anItemThatWentMeanwhileLeavesADeletion() throws {
    let file = try catalog.makeWritten("new")
    let sequence = try catalog.sequence(of: file.inode)
    _ = try catalog.unlink("new")
    let made = try item("c", in: "d", named: "new", content: "7")
    #expect(
      try catalog.uploaded(
        file.inode, sequence: sequence, parts: [.created, .content], as: made) == nil)
    let deletion = try #require(try catalog.pendingDeletions(limit: 100).first)
    #expect(deletion.item == made.identifier && deletion.base == made.version)
    #expect(try deletion.parent == catalog.inode("d") && deletion.name.text == "new")

    let a = try catalog.fetch("a")
    _ = try catalog.beginWriting(a.inode, emptied: true)
    let next = try catalog.sequence(of: a.inode)
    _ = try catalog.unlink("a")
    let newer = try item("a", content: "8")
    #expect(try catalog.uploaded(a.inode, sequence: next, parts: .content, as: newer) == nil)
    #expect(try catalog.pendingDeletions(limit: 100).map(\.base.content) == ["8", "7"].reversed())
  }

  @Test func anItemThatTookOverAnotherIdentityMeanwhileKeepsIt() throws {
    let file = try catalog.makeWritten("a.tmp")
    let sequence = try catalog.sequence(of: file.inode)
    _ = try catalog.move("a.tmp", to: "a", keepsIdentity: true)
    let made = try item("c", named: "a.tmp")
    #expect(
      try catalog.uploaded(
        file.inode, sequence: sequence, parts: [.created, .content], as: made) == false)
    #expect(try catalog.details(of: file.inode)?.item.rawValue == "a")
    #expect(try catalog.parts(of: file.inode) == [.content, .metadata])
    #expect(try catalog.deletions() == ["c"])
  }

  @Test func whoTookOverTheIdentityOfWhatWasUploadedBuildsUponThat() throws {
    let a = try catalog.fetch("a")
    _ = try catalog.beginWriting(a.inode, emptied: true)
    _ = try catalog.endWriting(a.inode, size: 3, modified: .now, stillWriting: false)
    let sent = try #require(try catalog.pendingItem(of: a.inode))
    let base = try #require(try catalog.details(of: a.inode)).version
    let file = try catalog.makeWritten("a.tmp")
    _ = try catalog.move("a.tmp", to: "a", keepsIdentity: true)
    let made = try item("a", size: 3, content: "8", metadata: "8")
    var changes: [CatalogChange] = []
    #expect(
      try catalog.uploaded(
        a.inode, sequence: sent.sequence, parts: sent.parts, as: made, upon: base,
        changes: &changes) == nil)
    #expect(try catalog.details(of: file.inode)?.version == made.version)
    #expect(try catalog.parts(of: file.inode) == [.content, .metadata])
    #expect(try catalog.deletions().isEmpty && changes.isEmpty)
  }

  @Test func theTwinThatTheCloudToldFirstGoes() throws {
    let file = try catalog.makeWritten("new")
    let made = try item("c", named: "new", size: 5, content: "7")
    #expect(try catalog.apply(.updated(made)).isEmpty, "hidden by the local one")
    #expect(try catalog.finishUpload(file.inode, as: made) == true)
    #expect(try catalog.inode("c") == file.inode)
    #expect(try catalog.counts().items == 5)

    let other = try catalog.makeWritten("other")
    let twin = try item("e", named: "other", size: 5)
    let pending = try #require(try catalog.pendingItem(of: other.inode))
    _ = try catalog.move("other", to: "elsewhere")
    #expect(try catalog.apply(.updated(twin)).map(\.summary) == ["added other"])
    var changes: [CatalogChange] = []
    #expect(
      try catalog.uploaded(
        other.inode, sequence: pending.sequence, parts: pending.parts, as: twin,
        changes: &changes) == false)
    #expect(changes.map(\.summary) == ["removed other"])
    #expect(try catalog.inode("e") == other.inode)
    #expect(try catalog.parts(of: other.inode) == [.content, .place])
  }

  @Test func theTwinOfAnItemThatWentGoesToo() throws {
    let file = try catalog.makeWritten("new")
    let pending = try #require(try catalog.pendingItem(of: file.inode))
    let made = try item("c", named: "new", size: 5)
    _ = try catalog.apply(.updated(made))
    _ = try catalog.unlink("new")
    var changes: [CatalogChange] = []
    #expect(
      try catalog.uploaded(
        file.inode, sequence: pending.sequence, parts: pending.parts, as: made,
        changes: &changes) == nil)
    #expect(changes.map(\.summary) == ["removed new"])
    #expect(try catalog.entry(at: "new") == nil && catalog.deletions() == ["c"])
  }

  @Test func aTwinWithChangesOfItsOwnStays() throws {
    let other = try catalog.makeWritten("other")
    let pending = try #require(try catalog.pendingItem(of: other.inode))
    _ = try catalog.move("other", to: "elsewhere")
    let twin = try item("e", named: "other", size: 5)
    _ = try catalog.apply(.updated(twin))
    _ = try catalog.beginWriting(try catalog.inode("e"), emptied: true)
    #expect(
      try catalog.uploaded(
        other.inode, sequence: pending.sequence, parts: pending.parts, as: twin) == false)
    #expect(try catalog.parts(of: other.inode) == [.created, .content])
    #expect(try catalog.inode("e") != other.inode)
  }

  @Test func whatOthersDidMeanwhileIsTakenOverInTheEnd() throws {
    let a = try catalog.fetch("a")
    _ = try catalog.setLocal(a.inode, size: nil, modified: nil, permissions: 0o600)
    let theirs = try item("a", named: "z", size: 9, content: "2", metadata: "2", permissions: 0o600)
    #expect(try catalog.apply(.updated(theirs)).isEmpty)
    let pending = try #require(try catalog.pendingItem(of: a.inode))
    var changes: [CatalogChange] = []
    #expect(
      try catalog.uploaded(
        a.inode, sequence: pending.sequence, parts: pending.parts, as: theirs, changes: &changes)
        == true)
    #expect(changes.map(\.summary) == ["moved a z", "content z"])
    let now = try catalog.known("a")
    #expect(now.size == 9 && now.residency == .dataless && now.contentSerial > a.contentSerial)
  }

  @Test func aCloudWithoutPermissionsLeavesTheDevices() throws {
    let a = try catalog.inode("a")
    _ = try catalog.setLocal(a, size: nil, modified: nil, permissions: 0o755)
    #expect(try catalog.finishUpload(a, as: try item("a", size: 1, metadata: "2")) == true)
    #expect(try catalog.known("a").permissions == 0o755)
    _ = try catalog.apply(.updated(try item("a", size: 1, metadata: "3")))
    #expect(try catalog.known("a").permissions == 0o755)
  }

  @Test func aLostRaceMakesACopy() throws {
    let a = try catalog.fetch("a")
    _ = try catalog.beginWriting(a.inode, emptied: false)
    try catalog.setXattr([97], [1], of: a.inode)
    let theirs = try item("a", size: 70, content: "2", metadata: "2")
    let copyName = try name("a (conflict)")
    expectRefusal(.busy) {
      _ = try catalog.splitConflict(a.inode, with: theirs, copyName: copyName)
    }
    let local = try #require(
      try catalog.endWriting(a.inode, size: 44, modified: .now, stillWriting: false))
    expectRefusal(.exists) {
      _ = try catalog.splitConflict(a.inode, with: theirs, copyName: try name("b"))
    }
    let conflict = try catalog.splitConflict(a.inode, with: theirs, copyName: copyName)
    #expect(conflict.original.contentSerial == local.contentSerial)
    #expect(conflict.now.inode == a.inode && conflict.now.size == 70)
    #expect(conflict.now.residency == .dataless && conflict.now.contentSerial > local.contentSerial)
    #expect(conflict.changes.map(\.summary) == ["content a"])
    try catalog.expectEntry(conflict.now, named: "a")
    #expect(try catalog.pendingItem(of: a.inode) == nil)
    #expect(try catalog.details(of: a.inode)?.version == theirs.version)
    let copy = conflict.copy
    #expect(copy.size == 44 && copy.modified == local.modified && copy.residency == .materialized)
    #expect(copy.inode > a.inode && copy.contentSerial != conflict.now.contentSerial)
    try catalog.expectEntry(copy, named: "a (conflict)")
    let pending = try #require(try catalog.pendingItem(of: copy.inode))
    #expect(pending.parts == [.created, .content] && !pending.isWriting)
    #expect(try catalog.xattr([97], of: copy.inode) == [1])
    #expect(
      try catalog.endWriting(a.inode, size: 1, modified: .now, stillWriting: false)
        == conflict.now, "a late writer has nothing to say")
  }

  @Test func aLostRaceFollowsTheItemToItsNewPlace() throws {
    let a = try catalog.fetch("a")
    _ = try catalog.setLocal(a.inode, size: 3, modified: nil, permissions: nil)
    let theirs = try item("a", in: "d", named: "z", size: 70, content: "2")
    let conflict = try catalog.splitConflict(
      a.inode, with: theirs, copyName: try name("mine"))
    #expect(conflict.changes.map(\.summary) == ["moved a z", "content z"])
    #expect(try catalog.entry(at: "d/z") == conflict.now)
    #expect(try catalog.entry(at: "mine") == conflict.copy)
  }

  @Test func onlyLocalContentIsSplit() throws {
    let copyName = try name("copy")
    func split(_ inode: InodeNumber, _ item: Item) throws {
      _ = try catalog.splitConflict(inode, with: item, copyName: copyName)
    }
    expectRefusal(.noSuchFile) { try split(InodeNumber(rawValue: 999), try item("a")) }
    expectRefusal(.isDirectory) { try split(try catalog.inode("d"), try folder("d")) }
    expectRefusal(.stale) { try split(try catalog.inode("a"), try item("a")) }
    expectRefusal(.invalid) { try split(try catalog.fetch("a").inode, try folder("a")) }
    #expect(try catalog.counts().items == 4 && catalog.pendingCounts().items == 0)
  }

  @Test func anItemThatTheCloudLostBecomesNew() throws {
    let a = try catalog.fetch("a")
    _ = try catalog.beginWriting(a.inode, emptied: false)
    _ = try catalog.setLocal(a.inode, size: nil, modified: nil, permissions: 0o600)
    let before = try catalog.known("a")
    #expect(try catalog.becomeNew(a.inode) == before)
    #expect(try catalog.entry(at: "a") == before)
    let pending = try #require(try catalog.pendingItem(of: a.inode))
    #expect(pending.parts == [.created, .content] && pending.isWriting)
    #expect(try catalog.details(of: a.inode)?.item.rawValue == "local:\(a.inode)")
    let d = try catalog.inode("d")
    #expect(try catalog.becomeNew(d)?.inode == d)
    #expect(try catalog.parts(of: d) == .created)
    #expect(try catalog.becomeNew(.root) == nil)
    #expect(try catalog.becomeNew(InodeNumber(rawValue: 999)) == nil)
  }

  @Test func anUploadFromBeforeItBecameNewComesTooLate() throws {
    let a = try catalog.fetch("a")
    _ = try catalog.setLocal(a.inode, size: 3, modified: nil, permissions: nil)
    let sequence = try catalog.sequence(of: a.inode)
    _ = try catalog.becomeNew(a.inode)
    let late = try item("a", size: 3, content: "2")
    #expect(
      try catalog.uploaded(a.inode, sequence: sequence, parts: .content, as: late) == false)
    #expect(try catalog.details(of: a.inode)?.item.rawValue == "local:\(a.inode)")
    #expect(try catalog.parts(of: a.inode) == [.created, .content])
  }

  @Test func anItemWithoutContentThatTheCloudLostGoes() throws {
    let b = try catalog.inode("b")
    _ = try catalog.setLocal(b, size: nil, modified: nil, permissions: 0o600)
    #expect(try catalog.becomeNew(b) == nil)
    #expect(try catalog.entry(at: "b") == nil && catalog.pendingCounts().items == 0)
    #expect(try catalog.pendingDeletions(limit: 100).isEmpty)
  }
}
