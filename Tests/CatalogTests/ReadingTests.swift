import Catalog
import Cloud
import Platform
import Testing

@Suite struct ReadingTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try directory.open()
  }

  @Test func aNewCatalogHoldsTheRootAlone() throws {
    let root = try #require(try catalog.entry(of: .root))
    #expect(root.kind == .folder && root.parent == .root && !root.isPopulated)
    #expect(root.permissions == 0o755 && root.residency == .dataless)
    #expect(try catalog.inode(of: .root) == .root)
    #expect(try catalog.children(of: .root).isEmpty)
    #expect(try catalog.details(of: .root)?.name == nil)
    #expect(try catalog.path(of: .root) == "/")
    #expect(try catalog.anchor() == nil)
  }

  @Test func numbersBeginAtTheFirstFreeOne() throws {
    _ = try catalog.populate(.root, with: [try item("a"), try item("b")])
    #expect(try catalog.inode("a") == .firstFree)
    #expect(try catalog.inode("b").rawValue == InodeNumber.firstFree.rawValue + 1)
  }

  @Test func anEntryTellsEverythingTheCloudSaid() throws {
    let modified = Timestamp(seconds: -7, nanoseconds: 999_999_999)
    var file = try item("f", named: "Spiel.plist", size: 1 << 40, modified: modified)
    file.checksum = Checksum(sha256: Array(repeating: 7, count: 32))
    file.permissions = 0o104755
    let link = try item("l", kind: .symlink, size: 3, target: [0xff, 0x2f, 0x61])
    _ = try catalog.populate(.root, with: [file, link])
    let entry = try catalog.known("f")
    #expect(entry.size == 1 << 40 && entry.modified == modified && entry.kind == .file)
    #expect(entry.created == Timestamp(seconds: 500) && entry.permissions == 0o4755)
    #expect(entry.residency == .dataless && entry.epoch == 0 && entry.parent == .root)
    let details = try #require(try catalog.details(of: entry.inode))
    #expect(details.version == file.version && details.checksum == file.checksum)
    #expect(details.name?.text == "Spiel.plist" && details.item.rawValue == "f")
    #expect(details.target == nil)
    let linkEntry = try catalog.known("l")
    #expect(linkEntry.permissions == 0o777 && linkEntry.residency == .materialized)
    #expect(try catalog.details(of: linkEntry.inode)?.target == [0xff, 0x2f, 0x61])
  }

  @Test func namesAreFoundByTheirBytes() throws {
    let bytes: [UInt8] = [0xc3, 0x28, 0x20, 0xff]
    let odd = try #require(FileName(bytes))
    var file = try item("f")
    file.name = odd
    _ = try catalog.populate(.root, with: [file, try item("g", named: "G")])
    #expect(try catalog.entry(named: bytes.span, in: .root)?.inode == (try catalog.inode("f")))
    #expect(try catalog.entry(named: Array("g".utf8).span, in: .root) == nil)
    #expect(try catalog.entry(named: [UInt8]().span, in: .root) == nil)
    #expect(try catalog.entry(named: bytes.span, in: .firstFree) == nil)
    #expect(try catalog.path(of: try catalog.inode("f")) == "/\u{fffd}( \u{fffd}")
  }

  @Test func childrenComeInPagesByInodeNumber() throws {
    _ = try catalog.populate(.root, with: try (0..<25).map { try item("i\(99 - $0)") })
    var seen: [InodeNumber] = []
    while true {
      let page = try catalog.children(
        of: .root, after: seen.last ?? InodeNumber(rawValue: 0), limit: 10)
      guard !page.isEmpty else { break }
      #expect(page.count <= 10)
      seen += page.map(\.entry.inode)
    }
    #expect(seen == seen.sorted() && Set(seen).count == 25)
    #expect(try catalog.children(of: .root, limit: 0).isEmpty)
  }

  @Test func aListingSeesOneStateAndMayUseTheCatalog() throws {
    _ = try catalog.populate(.root, with: try (0..<10).map { try item("i\($0)") })
    var seen = 0
    try catalog.forEachChild(of: .root) { entry, _ in
      seen += 1
      if seen == 1 { _ = try? catalog.populate(.root, with: []) }
      #expect((try? catalog.entry(of: entry.inode)) == .some(nil))
      return true
    }
    #expect(seen == 10)
    #expect(try catalog.children(of: .root).isEmpty)
  }

  @Test func aListingStopsWhenToldTo() throws {
    _ = try catalog.populate(.root, with: try (0..<10).map { try item("i\($0)") })
    var seen = 0
    try catalog.forEachChild(of: .root) { _, _ in
      seen += 1
      return seen < 3
    }
    #expect(seen == 3)
  }

  @Test func pathsAreResolvedAsFarAsTheyAreKnown() throws {
    _ = try catalog.populate(.root, with: [try folder("d")])
    _ = try catalog.populate(try catalog.inode("d"), with: [try item("f", in: "d")])
    #expect(try catalog.entry(at: "d/f")?.inode == (try catalog.inode("f")))
    #expect(try catalog.entry(at: "d/g") == nil)
    #expect(try catalog.entry(at: "d/f/x") == nil)
    #expect(try catalog.entry(at: "")?.inode == .root)
    #expect(try catalog.path(of: try catalog.inode("f")) == "/d/f")
    #expect(try catalog.path(of: InodeNumber(rawValue: 9999)) == nil)
  }

  /// Names that are looked up again and again come from memory; every change must be seen there.
  @Test(arguments: [3, 700, 25_000])
  func namesThatAreFoundOftenFollowEveryChange(count: Int) throws {
    _ = try catalog.populate(.root, with: try (0..<count).map { try item("i\($0)") })
    try findOften("i1", count)
    let inode = try catalog.inode("i1")
    let before = try catalog.known("i1")
    #expect(try catalog.publish(inode, contentSerial: before.contentSerial))
    #expect(try catalog.entry(at: "i1")?.residency == .materialized)
    try findOften("i1", count)
    _ = try catalog.evict(inode)
    #expect(try catalog.entry(at: "i1")?.contentSerial ?? 0 > before.contentSerial)
    try findOften("i1", count)
    _ = try catalog.apply(.updated(try item("i1", named: "other")))
    #expect(try catalog.entry(at: "i1") == nil)
    #expect(try catalog.entry(at: "other")?.inode == inode)
    try findOften("other", count)
    _ = try catalog.apply(.deleted(ItemIdentifier(rawValue: "i1")))
    #expect(try catalog.entry(at: "other") == nil)
  }

  @Test func aClosedCatalogFindsNothingFromMemory() throws {
    _ = try catalog.populate(.root, with: [try item("a")])
    try findOften("a", 1)
    catalog.close()
    #expect(throws: CatalogError.self) { try catalog.entry(at: "a") }
  }

  /// So often that the folder of so many items is kept.
  private func findOften(_ name: String, _ count: Int) throws {
    let found = try catalog.entry(at: name)
    #expect(found != nil)
    for _ in 0..<max(16, count / 4) {
      guard try catalog.entry(at: name) == found, try catalog.entry(at: "no such") == nil else {
        Issue.record("\(name) is found differently")
        return
      }
    }
  }
}
