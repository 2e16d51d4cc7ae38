import Catalog
import Cloud
import Platform
import Testing

@Suite struct RenameTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog
  private let d: InodeNumber

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try directory.open()
    _ = try catalog.populate(
      .root,
      with: [try item("a", size: 1), try item("b", size: 2), try folder("d"), try folder("e")])
    d = try catalog.inode("d")
    _ = try catalog.populate(d, with: [try item("x", in: "d"), try folder("sub", in: "d")])
  }

  @Test(arguments: [false, true])
  func anItemTakesAnotherPlace(intoFolder: Bool) throws {
    let before = try catalog.known("a")
    let folder = intoFolder ? d : .root
    let renamed = try catalog.move("a", to: "z", into: folder)
    #expect(renamed.previous == before && renamed.replaced == nil && renamed.exchanged == nil)
    #expect(renamed.moved.parent == folder && renamed.moved.changed > before.changed)
    try catalog.expectEntry(renamed.moved, named: "z")
    #expect(try catalog.entry(at: "a") == nil)
    #expect(try catalog.parts(of: before.inode) == .place)
    #expect(try catalog.entry(of: folder)?.modified == renamed.moved.changed)
    #expect(try catalog.entry(of: .root)?.modified == renamed.moved.changed)
    #expect(try catalog.details(of: before.inode)?.version.metadata == "1")
  }

  @Test func aNewItemStaysNew() throws {
    let file = try catalog.make("new")
    let before = try catalog.sequence(of: file.inode)
    _ = try catalog.move("new", to: "newer")
    #expect(try catalog.parts(of: file.inode) == [.created, .content])
    #expect(try catalog.sequence(of: file.inode) > before)
    #expect(try catalog.pendingItem(of: file.inode)?.isWriting == true)
  }

  @Test func theReplacedItemBecomesADeletion() throws {
    let (a, b) = (try catalog.known("a"), try catalog.known("b"))
    let renamed = try catalog.move("a", to: "b")
    #expect(renamed.replaced == b && renamed.moved.inode == a.inode)
    #expect(try catalog.entry(of: b.inode) == nil && catalog.entry(at: "b") == renamed.moved)
    #expect(try catalog.deletions() == ["b"] && catalog.parts(of: a.inode) == .place)
    #expect(try catalog.details(of: a.inode)?.item.rawValue == "a")
  }

  @Test func aSavedFileTakesOverTheIdentity() throws {
    let b = try catalog.known("b")
    _ = try catalog.setLocal(b.inode, size: nil, modified: nil, permissions: 0o600)
    let file = try catalog.makeWritten("b.tmp", size: 9)
    let renamed = try catalog.move("b.tmp", to: "b", keepsIdentity: true)
    #expect(renamed.moved.inode == file.inode && renamed.moved.size == 9)
    #expect(renamed.moved.contentSerial == file.contentSerial && renamed.replaced?.inode == b.inode)
    try catalog.expectEntry(renamed.moved, named: "b")
    let details = try #require(try catalog.details(of: file.inode))
    #expect(details.item.rawValue == "b")
    #expect(details.version == ItemVersion(content: "1", metadata: "1"))
    #expect(try catalog.parts(of: file.inode) == [.content, .metadata])
    #expect(try catalog.pendingItem(of: b.inode) == nil)
    #expect(try catalog.deletions().isEmpty)
  }

  @Test func aCloudsFileThatTakesOverAnIdentityLosesItsOwn() throws {
    let a = try catalog.fetch("a")
    _ = try catalog.move("b", to: "moved", into: d)
    _ = try catalog.move("a", to: "moved", into: d, keepsIdentity: true)
    #expect(try catalog.details(of: a.inode)?.item.rawValue == "b")
    #expect(
      try catalog.parts(of: a.inode) == [.content, .metadata, .place],
      "the cloud has b at its old place")
    let deletion = try #require(try catalog.pendingDeletions(limit: 100).first)
    #expect(deletion.item.rawValue == "a" && deletion.name.text == "a" && deletion.parent == .root)
  }

  /// Where the identity cannot be kept, the replaced item goes.
  @Test(arguments: ["dataless", "replaced is new", "folders", "symlink"])
  func identityIsKeptOnlyWhereItCanBe(situation: String) throws {
    switch situation {
    case "dataless":
      _ = try catalog.move("a", to: "b", keepsIdentity: true)
      #expect(try catalog.entry(at: "b")?.inode == catalog.inode("a"))
      #expect(try catalog.parts(of: try catalog.inode("a")) == .place)
      #expect(try catalog.deletions() == ["b"])
    case "replaced is new":
      _ = try catalog.makeWritten("old")
      let new = try catalog.makeWritten("new")
      _ = try catalog.move("new", to: "old", keepsIdentity: true)
      #expect(try catalog.parts(of: new.inode) == [.created, .content])
      #expect(try catalog.deletions().isEmpty && catalog.pendingCounts().items == 1)
    case "folders":
      _ = try catalog.populate(try catalog.inode("e"), with: [])
      _ = try catalog.move("d", to: "e", keepsIdentity: true)
      #expect(try catalog.parts(of: d) == .place && catalog.deletions() == ["e"])
    default:
      let link = try catalog.make("link", .symlink, target: [97])
      _ = try catalog.move("link", to: "a", keepsIdentity: true)
      #expect(try catalog.parts(of: link.inode) == .created && catalog.deletions() == ["a"])
    }
  }

  @Test func twoItemsExchangeTheirPlaces() throws {
    let (a, x) = (try catalog.known("a"), try catalog.known("x"))
    let renamed = try catalog.move("a", to: "x", into: d, .exchange)
    #expect(renamed.moved.inode == a.inode && renamed.exchanged?.inode == x.inode)
    #expect(renamed.replaced == nil && renamed.previous == a)
    try catalog.expectEntry(renamed.moved, named: "x")
    try catalog.expectEntry(try #require(renamed.exchanged), named: "a")
    #expect(try catalog.parts(of: a.inode) == .place && catalog.parts(of: x.inode) == .place)
    #expect(try catalog.deletions().isEmpty)
    _ = try catalog.move("a", to: "b", .exchange)
    #expect(try catalog.entry(at: "b")?.inode == x.inode)
    #expect(try catalog.names(in: .root).sorted() == ["a", "b", "d", "e"])
  }

  @Test func aNameThatIsGivenUpShowsWhatItHid() throws {
    _ = try catalog.make("same")
    _ = try catalog.apply(.updated(try item("r", named: "same", size: 9)))
    _ = try catalog.move("same", to: "same (copy)")
    #expect(try catalog.entry(at: "same")?.size == 9)
    #expect(try catalog.entry(at: "same (copy)") != nil)
  }

  @Test func renamingToTheSameIsNoChange() throws {
    let a = try catalog.known("a")
    for mode in [RenameMode.replacing, .exchange] {
      let renamed = try catalog.move("a", to: "a", mode)
      #expect(renamed == LocalRename(moved: a, previous: a))
    }
    #expect(try catalog.pendingCounts().items == 0 && catalog.known("a") == a)
    expectRefusal(.exists) { _ = try catalog.move("a", to: "a", .noReplace) }
  }

  @Test func renamesAreRefusedAsBySystemCalls() throws {
    let sub = try catalog.inode("sub")
    let nowhere = InodeNumber(rawValue: 999)
    let before = try catalog.children(of: .root)
    expectRefusal(.noSuchFile) { _ = try catalog.move("none", to: "z") }
    expectRefusal(.noSuchFile) { _ = try catalog.move("a", to: "z", into: nowhere) }
    expectRefusal(.noSuchFile) { _ = try catalog.move("a", in: nowhere, to: "z") }
    expectRefusal(.noSuchFile) { _ = try catalog.move("a", to: "none", .exchange) }
    expectRefusal(.notDirectory) {
      _ = try catalog.move("a", to: "z", into: try catalog.inode("b"))
    }
    expectRefusal(.exists) { _ = try catalog.move("a", to: "b", .noReplace) }
    expectRefusal(.isDirectory) { _ = try catalog.move("a", to: "e") }
    expectRefusal(.notDirectory) { _ = try catalog.move("e", to: "a") }
    expectRefusal(.notEmpty) { _ = try catalog.move("e", to: "d") }
    expectRefusal(.notEmpty) { _ = try catalog.move("d", to: "e") }
    expectRefusal(.invalid) { _ = try catalog.move("d", to: "z", into: d) }
    expectRefusal(.invalid) { _ = try catalog.move("d", to: "z", into: sub) }
    expectRefusal(.invalid) { _ = try catalog.move("d", to: "sub", into: d, .exchange) }
    expectRefusal(.invalid) { _ = try catalog.move("sub", in: d, to: "d", .exchange) }
    expectRefusal(.notEmpty) { _ = try catalog.move("sub", in: d, to: "d") }
    #expect(try catalog.children(of: .root) == before && catalog.pendingCounts().items == 0)
    _ = try catalog.move("sub", in: d, to: "z", .noReplace)
    #expect(try catalog.entry(at: "z")?.inode == sub)
  }
}
