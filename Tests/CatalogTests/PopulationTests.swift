import Catalog
import Cloud
import Platform
import Testing

@Suite struct PopulationTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try directory.open()
  }

  @Test func populatingAddsAndMarksTheFolder() throws {
    let changes = try catalog.populate(.root, with: [try item("a"), try item("b")])
    #expect(changes.map(\.summary) == ["added a", "added b"])
    #expect(try catalog.entry(of: .root)?.isPopulated == true)
    #expect(try catalog.entry(of: .root)?.residency == .materialized)
  }

  @Test func anEmptyFolderIsPopulatedToo() throws {
    #expect(try catalog.populate(.root, with: []).isEmpty)
    #expect(try catalog.entry(of: .root)?.isPopulated == true)
  }

  @Test func populatingAgainWithTheSameChangesNothing() throws {
    let items = [try item("a"), try folder("d")]
    _ = try catalog.populate(.root, with: items)
    let before = try catalog.children(of: .root)
    #expect(try catalog.populate(.root, with: items).isEmpty)
    #expect(try catalog.children(of: .root) == before)
  }

  @Test func whatIsNotListedGoesWithEverythingBelow() throws {
    _ = try catalog.populate(.root, with: [try folder("d"), try item("a")])
    _ = try catalog.populate(try catalog.inode("d"), with: [try folder("e", in: "d")])
    _ = try catalog.populate(try catalog.inode("e"), with: [try item("f", in: "e")])
    let changes = try catalog.populate(.root, with: [try item("a")])
    #expect(changes.map(\.summary) == ["removed f", "removed e", "removed d"])
    #expect(try catalog.counts().items == 2)
    #expect(try catalog.inode(of: ItemIdentifier(rawValue: "f")) == nil)
  }

  @Test func knownItemsKeepTheirNumbersAlsoFromElsewhere() throws {
    _ = try catalog.populate(.root, with: [try folder("d"), try item("a"), try item("b")])
    let (a, b) = (try catalog.known("a"), try catalog.known("b"))
    #expect(try catalog.publish(a.inode, contentSerial: a.contentSerial))
    let changes = try catalog.populate(
      try catalog.inode("d"), with: [try item("a", in: "d"), try item("c", in: "d")])
    #expect(changes.map(\.summary) == ["moved a a", "added c"])
    let moved = try catalog.known("a")
    #expect(moved.inode == a.inode && moved.residency == .materialized)
    #expect(moved.contentSerial == a.contentSerial)
    #expect(try catalog.known("b") == b)
    #expect(try catalog.names(in: .root) == ["d", "b"])
  }

  @Test func oneNameTwiceInAListingShowsTheFirst() throws {
    let items = [try item("a", named: "x"), try item("b", named: "x"), try item("c")]
    #expect(try catalog.populate(.root, with: items).map(\.summary) == ["added x", "added c"])
    let first = try catalog.known("a")
    #expect(try catalog.entry(at: "x") == first)
    #expect(try catalog.populate(.root, with: items).isEmpty, "it does not flap")
    #expect(try catalog.populate(.root, with: items.reversed()).isEmpty)
    let second = try catalog.inode("b")
    let changes = try catalog.populate(.root, with: Array(items.dropFirst()))
    #expect(changes.map(\.summary) == ["removed x", "added x"])
    #expect(try catalog.entry(at: "x")?.inode == second)
  }

  @Test func oneItemTwiceInAListingIsThereOnce() throws {
    let twice = [try item("a"), try item("a", size: 5, content: "2")]
    #expect(try catalog.populate(.root, with: twice).map(\.summary) == ["added a"])
    #expect(try catalog.known("a").size == 5)
  }

  @Test func onlyFoldersArePopulated() throws {
    _ = try catalog.populate(.root, with: [try item("a")])
    let file = try catalog.inode("a")
    let error = #expect(throws: CatalogError.self) { try catalog.populate(file, with: []) }
    #expect(error?.code == .misuse)
    #expect(try catalog.populate(InodeNumber(rawValue: 999), with: [try item("b")]).isEmpty)
    #expect(try catalog.inode(of: ItemIdentifier(rawValue: "b")) == nil)
  }

  @Test func aFolderIsNotPutIntoItself() throws {
    _ = try catalog.populate(.root, with: [try folder("d")])
    let d = try catalog.inode("d")
    _ = try catalog.populate(d, with: [try folder("e", in: "d")])
    let changes = try catalog.populate(try catalog.inode("e"), with: [try folder("d", in: "e")])
    #expect(changes.map(\.summary) == ["removed e", "removed d"])
    #expect(try catalog.counts().items == 1)
  }

  @Test func aFailedChangeChangesNothing() throws {
    _ = try catalog.populate(.root, with: [try item("a")])
    let file = try catalog.known("a")
    #expect(throws: CatalogError.self) { try catalog.populate(file.inode, with: []) }
    _ = try catalog.populate(.root, with: [try item("a"), try item("b")])
    #expect(try catalog.inode("b").rawValue == file.inode.rawValue + 1)
  }
}
