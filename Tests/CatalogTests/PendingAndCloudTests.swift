import Catalog
import Cloud
import Platform
import Testing

/// What the cloud tells about items that the device has changed.
@Suite struct PendingAndCloudTests {
  private let directory: TemporaryDirectory
  private let catalog: Catalog
  private let d: InodeNumber

  init() throws {
    directory = try TemporaryDirectory()
    catalog = try directory.open()
    _ = try catalog.populate(
      .root, with: [try item("a", size: 1), try item("b", size: 2), try folder("d")])
    d = try catalog.inode("d")
    _ = try catalog.populate(d, with: [try item("x", in: "d"), try folder("sub", in: "d")])
    _ = try catalog.populate(try catalog.inode("sub"), with: [try item("y", in: "sub")])
  }

  @Test(arguments: ["content", "metadata", "place", "folder", "kind", "deleted"])
  func aPendingItemKeepsItsRow(change: String) throws {
    let a = try catalog.fetch("a")
    let entry = try catalog.setLocal(a.inode, size: nil, modified: nil, permissions: 0o600)
    let told: Change =
      switch change {
      case "content": .updated(try item("a", size: 9, content: "2"))
      case "metadata": .updated(try item("a", size: 1, metadata: "2", permissions: 0o777))
      case "place": .updated(try item("a", named: "z", size: 1, metadata: "2"))
      case "folder": .updated(try item("a", in: "elsewhere", size: 1))
      case "kind": .updated(try folder("a"))
      default: .deleted(ItemIdentifier(rawValue: "a"))
      }
    #expect(try catalog.apply(told).isEmpty)
    try catalog.expectEntry(entry, named: "a")
    #expect(try catalog.details(of: a.inode)?.version == ItemVersion(content: "1", metadata: "1"))
  }

  @Test func aPendingItemKeepsItsRowWhenItsFolderIsListed() throws {
    let new = try catalog.make("new")
    let made = try catalog.make("made", .folder)
    let a = try catalog.setLocal(
      try catalog.inode("a"), size: nil, modified: nil, permissions: 0o600)
    let moved = try catalog.move("x", in: d, to: "x").moved
    let told = try catalog.populate(.root, with: [try item("b", size: 2), try folder("d")])
    #expect(told.map(\.summary) == ["metadata d"], "the cloud's time of the folder")
    for (entry, name) in [(new, "new"), (made, "made"), (a, "a"), (moved, "x")] {
      try catalog.expectEntry(entry, named: name)
    }
    #expect(
      try catalog.populate(d, with: [try item("x", in: "d"), try folder("sub", in: "d")]).isEmpty)
    try catalog.expectEntry(moved, named: "x")
  }

  @Test(arguments: ["apply", "populate", "out of sight"])
  func aFolderWithPendingItemsBelowBecomesNew(how: String) throws {
    let y = try catalog.inode("y")
    _ = try catalog.beginWriting(y, emptied: true)
    let told =
      switch how {
      case "apply": try catalog.apply(.deleted(ItemIdentifier(rawValue: "d")))
      case "populate":
        try catalog.populate(.root, with: [try item("a", size: 1), try item("b", size: 2)])
      default: try catalog.apply(.updated(try folder("d", in: "elsewhere")))
      }
    #expect(told.map(\.summary) == ["removed x"])
    #expect(try catalog.entry(at: "d/sub/y")?.inode == y)
    #expect(try catalog.parts(of: d) == .created)
    let sub = try #require(try catalog.entry(at: "d/sub"))
    #expect(try catalog.parts(of: sub.inode) == .created)
    #expect(try catalog.details(of: d)?.item.rawValue == "local:\(d)")
    #expect(try catalog.parts(of: y) == .content)
    _ = try catalog.apply(.updated(try folder("d", named: "again")))
    #expect(try catalog.entry(at: "again")?.inode != d)
  }

  @Test func aPendingFolderLosesWhatIsNotPending() throws {
    _ = try catalog.setLocal(d, size: nil, modified: nil, permissions: 0o700)
    let told = try catalog.apply(.deleted(ItemIdentifier(rawValue: "d")))
    #expect(Set(told.map(\.summary)) == ["removed y", "removed sub", "removed x"])
    #expect(try catalog.parts(of: d) == .metadata && catalog.children(of: d).isEmpty)
  }

  @Test func whatTheDeviceRemovedDoesNotComeBack() throws {
    _ = try catalog.unlink("a")
    let a = try item("a", size: 9, content: "2")
    #expect(try catalog.apply(.updated(a)).isEmpty)
    let all = [a, try item("b", size: 2), try folder("d")]
    #expect(try catalog.populate(.root, with: all).isEmpty)
    #expect(try catalog.entry(at: "a") == nil && catalog.deletions() == ["a"])
    #expect(try catalog.apply(.deleted(a.identifier)).isEmpty)
    #expect(try catalog.deletions().isEmpty, "the cloud has done it")
    #expect(try catalog.apply(.updated(a)).map(\.summary) == ["added a"])
  }

  @Test(arguments: [false, true])
  func aLocalNameHidesARemoteOne(populating: Bool) throws {
    let file = try catalog.makeWritten("same")
    let remote = try item("r", named: "same", size: 9)
    let all = [try item("a", size: 1), try item("b", size: 2), try folder("d"), remote]
    let told =
      try populating ? catalog.populate(.root, with: all) : catalog.apply(.updated(remote))
    #expect(told.isEmpty)
    #expect(try catalog.entry(at: "same")?.inode == file.inode)
    _ = try catalog.apply(.updated(try item("r", named: "same", size: 10, content: "2")))
    #expect(try catalog.entry(at: "same")?.inode == file.inode)
    #expect(
      try catalog.apply(.updated(try item("r", named: "z", size: 10))).map(\.summary) == ["added z"]
    )
  }

  @Test func aRemoteMoveThatMakesACircleIsNotFollowed() throws {
    _ = try catalog.apply(.updated(try folder("e")))
    let e = try catalog.inode("e")
    _ = try catalog.populate(e, with: [])
    _ = try catalog.move("d", to: "d", into: e)
    _ = try catalog.apply(.updated(try folder("e", in: "d", named: "inside")))
    #expect(try catalog.entry(at: "e")?.inode == e)
    #expect(try catalog.entry(at: "e/d")?.inode == d)
    #expect(try catalog.parts(of: d) == .place && catalog.parts(of: e) == nil)
  }

  @Test(arguments: [false, true])
  func aHiddenFolderThatBecomesNewTakesAnotherName(byUploader: Bool) throws {
    let (y, sub) = (try catalog.inode("y"), try catalog.inode("sub"))
    _ = try catalog.beginWriting(y, emptied: true)
    _ = try catalog.make("mine")
    let hidden = try catalog.apply(.updated(try folder("sub", named: "mine")))
    #expect(hidden.map(\.summary) == ["removed sub"])
    var told: [CatalogChange] = []
    if byUploader {
      _ = try catalog.becomeNew(sub, changes: &told)
    } else {
      told = try catalog.apply(.deleted(ItemIdentifier(rawValue: "sub")))
    }
    #expect(told.map(\.summary) == ["added mine (2)"])
    #expect(try catalog.entry(at: "mine (2)")?.inode == sub)
    #expect(try catalog.entry(at: "mine (2)/y")?.inode == y)
    #expect(try catalog.parts(of: sub) == .created)
  }

  @Test func thePendingRootKeepsItsAttributes() throws {
    let root = try catalog.setLocal(.root, size: nil, modified: nil, permissions: 0o700)
    var told = try folder("root")
    told.name = nil
    #expect(try catalog.apply(.updated(told)).isEmpty)
    #expect(try catalog.entry(of: .root) == root)
  }

  @Test func namesFromMemoryFollowLocalChanges() throws {
    func look(_ text: String) throws -> InodeNumber? {
      let bytes = Array(text.utf8)
      var found: Entry?
      for _ in 0..<40 { found = try catalog.entry(named: bytes.span, in: .root) }
      return found?.inode
    }
    #expect(try look("new") == nil)
    let new = try catalog.make("new")
    #expect(try look("new") == new.inode)
    _ = try catalog.move("new", to: "newer")
    #expect(try look("new") == nil)
    #expect(try look("newer") == new.inode)
    _ = try catalog.unlink("newer")
    #expect(try look("newer") == nil)
  }

  @Test func whatIsSynchronizedIsInTheFiles() throws {
    _ = try catalog.make("new")
    try catalog.synchronize()
    catalog.close()
    let error = #expect(throws: CatalogError.self) { try catalog.synchronize() }
    #expect(error?.code == .misuse)
  }
}
