import Catalog
import Cloud
import Platform
import Testing

@Suite struct ChangesTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try directory.open()
    _ = try catalog.populate(
      .root, with: [try item("a", size: 1), try item("b", size: 2), try folder("d")])
  }

  @Test func theAnchorMovesWithTheChanges() throws {
    #expect(try catalog.apply([], anchor: SyncAnchor(rawValue: "9")).isEmpty)
    #expect(try catalog.anchor() == SyncAnchor(rawValue: "9"))
  }

  @Test func newContentMakesDatalessWithAnotherSerial() throws {
    let old = try catalog.known("a")
    #expect(try catalog.publish(old.inode, contentSerial: old.contentSerial))
    let changes = try catalog.apply(.updated(try item("a", size: 9, content: "2")))
    #expect(changes.map(\.summary) == ["content a"])
    let new = try catalog.known("a")
    #expect(new.inode == old.inode && new.size == 9 && new.residency == .dataless)
    #expect(new.contentSerial > old.contentSerial && new.changed >= old.changed)
    guard case .contentChanged(let before, let after, _) = try #require(changes.first) else {
      return
    }
    #expect(before.residency == .materialized && after == new)
  }

  @Test func newContentForgetsTheRanges() throws {
    let old = try catalog.known("a")
    let ranges = RangeSet([ByteRange(offset: 0, count: 1)])
    #expect(try catalog.saveRanges(ranges, of: old.inode, contentSerial: old.contentSerial))
    _ = try catalog.apply(.updated(try item("a", size: 9, content: "2")))
    #expect(try catalog.savedRanges(of: old.inode).isEmpty)
    #expect(try catalog.counts().contentBytes == 0)
  }

  @Test func metadataAloneKeepsTheContent() throws {
    let old = try catalog.known("a")
    #expect(try catalog.publish(old.inode, contentSerial: old.contentSerial))
    let changes = try catalog.apply(
      .updated(try item("a", size: 1, metadata: "2", permissions: 0o600)))
    #expect(changes.map(\.summary) == ["metadata a"])
    let new = try catalog.known("a")
    #expect(new.permissions == 0o600 && new.residency == .materialized)
    #expect(try catalog.details(of: new.inode)?.version.metadata == "2")
  }

  @Test func aVersionWithoutADifferenceIsNoChange() throws {
    let old = try catalog.known("a")
    #expect(try catalog.apply(.updated(try item("a", size: 1, metadata: "9"))).isEmpty)
    #expect(try catalog.known("a") == old)
    #expect(try catalog.details(of: old.inode)?.version.metadata == "9")
  }

  @Test func aRenameKeepsNumberAndContent() throws {
    let old = try catalog.known("a")
    #expect(try catalog.publish(old.inode, contentSerial: old.contentSerial))
    let changes = try catalog.apply(.updated(try item("a", named: "z", size: 1, metadata: "2")))
    #expect(changes.map(\.summary) == ["moved a z"])
    #expect(try catalog.entry(at: "z")?.inode == old.inode)
    #expect(try catalog.entry(at: "z")?.residency == .materialized)
    #expect(try catalog.entry(at: "a") == nil)
  }

  @Test func aRenameWithNewContentIsToldAsBoth() throws {
    let changes = try catalog.apply(.updated(try item("a", named: "z", size: 5, content: "2")))
    #expect(changes.map(\.summary) == ["moved a z", "content z"])
  }

  @Test(arguments: [false, true])
  func twoItemsExchangeTheirNames(reversed: Bool) throws {
    let (a, b) = (try catalog.inode("a"), try catalog.inode("b"))
    let swap: [Change] = [
      .updated(try item("a", named: "b", size: 1)), .updated(try item("b", named: "a", size: 2)),
    ]
    let changes = try catalog.apply(
      reversed ? swap.reversed() : swap, anchor: SyncAnchor(rawValue: "1"))
    #expect(Set(changes.map(\.summary)) == ["moved a b", "moved b a"])
    #expect(try catalog.entry(at: "b")?.inode == a)
    #expect(try catalog.entry(at: "a")?.inode == b)
  }

  @Test(arguments: [false, true])
  func aNameIsTakenOverInAnyOrder(reversed: Bool) throws {
    let b = try catalog.inode("b")
    let changes: [Change] = [
      .deleted(ItemIdentifier(rawValue: "a")), .updated(try item("b", named: "a", size: 2)),
    ]
    let told = try catalog.apply(
      reversed ? changes.reversed() : changes, anchor: SyncAnchor(rawValue: "1"))
    #expect(told.map(\.summary) == ["removed a", "moved b a"])
    #expect(try catalog.entry(at: "a")?.inode == b)
  }

  @Test func aNameTakenBeforeItsOwnerLeavesHidesTheOwner() throws {
    let (a, b) = (try catalog.known("a"), try catalog.known("b"))
    #expect(try catalog.publish(a.inode, contentSerial: a.contentSerial))
    let taken = try catalog.apply(.updated(try item("b", named: "a", size: 2)))
    #expect(taken.map(\.summary) == ["removed a", "moved b a"])
    #expect(try catalog.entry(at: "a")?.inode == b.inode)
    #expect(try catalog.known("a").residency == .dataless)
    #expect(try catalog.names(in: .root) == ["a", "d"])
    #expect(try !catalog.publish(a.inode, contentSerial: a.contentSerial))

    let moved = try catalog.apply(.updated(try item("a", named: "z", size: 1)))
    #expect(moved.map(\.summary) == ["added z"])
    #expect(try catalog.entry(at: "z")?.inode == a.inode)
    #expect(try catalog.entry(at: "z")?.contentSerial != a.contentSerial)
  }

  @Test func aHiddenItemComesBackWhenTheNameIsFree() throws {
    let a = try catalog.inode("a")
    _ = try catalog.apply(.updated(try item("b", named: "a", size: 2)))
    let changes = try catalog.apply(.deleted(ItemIdentifier(rawValue: "b")))
    #expect(changes.map(\.summary) == ["removed a", "added a"])
    #expect(try catalog.entry(at: "a")?.inode == a)
  }

  @Test func aHiddenItemThatIsDeletedWasToldAlready() throws {
    _ = try catalog.apply(.updated(try item("b", named: "a", size: 2)))
    #expect(try catalog.apply(.deleted(ItemIdentifier(rawValue: "a"))).isEmpty)
    #expect(try catalog.counts().items == 3)
  }

  @Test func itemsOfFoldersThatNobodyLookedAtAreIgnored() throws {
    #expect(try catalog.apply(.updated(try item("x", in: "d"))).isEmpty)
    #expect(try catalog.apply(.updated(try item("x", in: "nowhere"))).isEmpty)
    #expect(try catalog.apply(.deleted(ItemIdentifier(rawValue: "x"))).isEmpty)
    #expect(try catalog.counts().items == 4)
  }

  @Test func aKnownItemMovesIntoAFolderThatNobodyLookedAt() throws {
    let a = try catalog.known("a")
    #expect(try catalog.publish(a.inode, contentSerial: a.contentSerial))
    let changes = try catalog.apply(.updated(try item("a", in: "d", size: 1)))
    #expect(changes.map(\.summary) == ["moved a a"])
    #expect(try catalog.entry(at: "d/a")?.inode == a.inode)
    #expect(try catalog.known("d").isPopulated == false)
    let populated = try catalog.populate(
      try catalog.inode("d"), with: [try item("a", in: "d", size: 1), try item("c", in: "d")])
    #expect(populated.map(\.summary) == ["added c"])
    #expect(try catalog.entry(at: "d/a")?.residency == .materialized)
  }

  @Test func aKnownItemThatMovesOutOfSightGoes() throws {
    let d = try catalog.inode("d")
    _ = try catalog.populate(d, with: [try item("x", in: "d")])
    let changes = try catalog.apply(.updated(try folder("d", in: "elsewhere")))
    #expect(changes.map(\.summary) == ["removed x", "removed d"])
  }

  @Test(arguments: [false, true])
  func aMoveIntoANewFolderWorksInAnyOrder(reversed: Bool) throws {
    let a = try catalog.inode("a")
    let changes: [Change] = [
      .updated(try folder("new")), .updated(try folder("newer", in: "new")),
      .updated(try item("a", in: "new", size: 1)),
    ]
    let told = try catalog.apply(
      reversed ? changes.reversed() : changes, anchor: SyncAnchor(rawValue: "1"))
    #expect(told.map(\.summary) == ["moved a a", "added new"])
    #expect(try catalog.entry(at: "new/a")?.inode == a)
    #expect(try catalog.entry(at: "new/newer") == nil, "a new folder's children are unknown")
  }

  @Test(arguments: [false, true])
  func aFolderAndItsChildChangePlaces(reversed: Bool) throws {
    _ = try catalog.populate(try catalog.inode("d"), with: [try folder("e", in: "d")])
    let (d, e) = (try catalog.inode("d"), try catalog.inode("e"))
    let changes: [Change] = [
      .updated(try folder("d", in: "e")), .updated(try folder("e", in: "root")),
    ]
    _ = try catalog.apply(
      reversed ? changes.reversed() : changes, anchor: SyncAnchor(rawValue: "1"))
    #expect(try catalog.entry(at: "e")?.inode == e)
    #expect(try catalog.entry(at: "e/d")?.inode == d)
  }

  @Test(arguments: [false, true])
  func whatMovedOutOfADeletedFolderStays(reversed: Bool) throws {
    _ = try catalog.populate(
      try catalog.inode("d"), with: [try item("x", in: "d"), try item("y", in: "d")])
    let x = try catalog.inode("x")
    let changes: [Change] = [
      .deleted(ItemIdentifier(rawValue: "d")), .updated(try item("x")),
    ]
    let told = try catalog.apply(
      reversed ? changes.reversed() : changes, anchor: SyncAnchor(rawValue: "1"))
    #expect(told.map(\.summary) == ["removed y", "removed d", "moved x x"])
    #expect(try catalog.entry(at: "x")?.inode == x)
  }

  @Test func theLastWordCounts() throws {
    let changes = try catalog.apply(
      .updated(try item("a", named: "q", size: 1)), .updated(try item("n")),
      .deleted(ItemIdentifier(rawValue: "n")), .updated(try item("a", size: 1)))
    #expect(changes.isEmpty)
    #expect(try catalog.entry(at: "a") != nil)
  }

  @Test func aFolderThatWentAndCameBackIsUnknownInside() throws {
    let d = try catalog.inode("d")
    _ = try catalog.populate(d, with: [try item("x", in: "d")])
    let changes = try catalog.apply(
      .deleted(ItemIdentifier(rawValue: "d")), .updated(try folder("d")))
    #expect(changes.map(\.summary) == ["removed x"])
    let folder = try catalog.known("d")
    #expect(folder.inode == d && !folder.isPopulated)
  }

  @Test func aReplacedItemIsAnotherOne() throws {
    let a = try catalog.inode("a")
    let changes = try catalog.apply(
      .replaced(old: ItemIdentifier(rawValue: "a"), new: try item("a2", named: "a", size: 5)))
    #expect(changes.map(\.summary) == ["removed a", "added a"])
    #expect(try catalog.entry(at: "a")?.inode != a)
    #expect(try catalog.entry(at: "a")?.size == 5)
  }

  @Test func replacingWhatIsNotKnownIsAnUpdate() throws {
    let a = try catalog.inode("a")
    let changes = try catalog.apply(
      .replaced(
        old: ItemIdentifier(rawValue: "unknown"), new: try item("a", size: 5, content: "2")))
    #expect(changes.map(\.summary) == ["content a"])
    #expect(try catalog.inode("a") == a)
    let same = try catalog.apply(
      .replaced(old: ItemIdentifier(rawValue: "a"), new: try item("a", size: 6, content: "3")))
    #expect(same.map(\.summary) == ["content a"])
  }

  @Test func anItemOfAnotherKindIsAnotherItem() throws {
    let a = try catalog.inode("a")
    let changes = try catalog.apply(.updated(try folder("a")))
    #expect(changes.map(\.summary) == ["removed a", "added a"])
    #expect(try catalog.inode("a") > a)
    #expect(try catalog.known("a").kind == .folder)
  }

  @Test func theRootStaysWhereItIs() throws {
    var root = try folder("root")
    root.name = nil
    root.modified = Timestamp(seconds: 77)
    #expect(try catalog.apply(.updated(root), .deleted(.root)).isEmpty)
    #expect(try catalog.apply(.updated(root)).isEmpty)
    #expect(try catalog.entry(of: .root)?.modified == Timestamp(seconds: 77))
    #expect(try catalog.entry(of: .root)?.parent == .root)
    #expect(try catalog.children(of: .root).count == 3)
  }

  @Test func aChangedTargetIsChangedContent() throws {
    _ = try catalog.apply(.updated(try item("l", kind: .symlink, size: 1, target: [97])))
    let old = try catalog.known("l")
    let changes = try catalog.apply(
      .updated(try item("l", kind: .symlink, size: 1, content: "2", target: [98])))
    #expect(changes.map(\.summary) == ["content l"])
    #expect(try catalog.known("l").contentSerial != old.contentSerial)
    #expect(try catalog.details(of: old.inode)?.target == [98])
  }
}
