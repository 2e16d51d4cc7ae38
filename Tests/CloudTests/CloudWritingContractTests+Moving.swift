import Cloud
import Platform
import Testing

extension CloudWritingContractTests {
  @Test("Only a file takes content", arguments: TestAccount.Kind.allCases)
  func contentOfOthers(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    let store = account.store
    try account.makeFolder("f")
    try account.symlink("s", to: "target")
    for identifier in try await store.list().map(\.identifier) + [.root] {
      let found = await code {
        _ = try await store.modify(
          identifier, base: nil, changes: ItemChanges(), content: ArraySource("x"),
          cause: .housekeeping)
      }
      #expect(found == .failed)
    }
  }

  @Test(
    "A write that is meant for another version changes nothing",
    arguments: TestAccount.Kind.allCases)
  func staleBase(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    let store = account.store
    try account.write("old", to: "a")
    let base = try await store.find("a")
    try account.write("newer", to: "a")
    let anchor = try await store.currentAnchor(cause: .housekeeping)
    let now = try await store.find("a")
    let other = try #require(FileName("b"))
    let codes = [
      await code {
        _ = try await store.modify(
          base.identifier, base: base.version, changes: ItemChanges(), content: ArraySource("mine"),
          cause: .housekeeping)
      },
      await code {
        _ = try await store.modify(
          base.identifier, base: base.version, changes: ItemChanges(permissions: 0o600),
          content: nil, cause: .housekeeping)
      },
      await code {
        _ = try await store.move(
          base.identifier, to: .root, name: other, base: base.version, replacing: true,
          cause: .housekeeping)
      },
      await code {
        try await store.delete(
          base.identifier, base: base.version, recursively: true, cause: .housekeeping)
      },
    ]
    #expect(codes == [.versionGone, .versionGone, .versionGone, .versionGone])
    #expect(try await store.list() == [now])
    #expect(try await store.text(of: now) == "newer")
    #expect(try await store.allChanges(since: anchor).isEmpty)
    let forced = try await store.modify(
      base.identifier, base: nil, changes: ItemChanges(), content: ArraySource("mine"),
      cause: .housekeeping)
    #expect(try await store.text(of: forced) == "mine")
  }

  @Test(
    "A moved item keeps its identifier and content, and is told once",
    arguments: TestAccount.Kind.allCases)
  func moving(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    let store = account.store
    try account.write("text", to: "a")
    try account.makeFolder("f")
    let (a, f) = (try await store.find("a"), try await store.find("f"))
    _ = try await store.list(f.identifier)
    let anchor = try await store.currentAnchor(cause: .housekeeping)
    let b = try #require(FileName("b"))
    let renamed = try await store.move(
      a.identifier, to: .root, name: b, base: a.version, replacing: false, cause: .housekeeping)
    let moved = try await store.move(
      a.identifier, to: f.identifier, name: b, base: renamed.version, replacing: false,
      cause: .housekeeping)
    let same = try await store.move(
      a.identifier, to: f.identifier, name: b, base: moved.version, replacing: false,
      cause: .housekeeping)
    #expect(same == moved)
    #expect(moved.identifier == a.identifier)
    #expect(moved.version.content == a.version.content)
    #expect(Set([a, renamed, moved].map(\.version.metadata)).count == 3)
    #expect(try await store.list(f.identifier) == [moved])
    #expect(try await store.names() == ["f"])
    #expect(try await store.text(of: moved) == "text")
    #expect(try await store.allChanges(since: anchor) == [.updated(renamed), .updated(moved)])
  }

  @Test(
    "What a move may replace: of the same sort, and no full folder",
    arguments: TestAccount.Kind.allCases)
  func replacing(_ kind: TestAccount.Kind) async throws {
    let cases: [(from: String, to: String, replacing: Bool, expected: CloudError.Code?)] = [
      ("file", "file2", true, nil), ("file", "file2", false, .nameTaken),
      ("file", "link", true, nil), ("link", "file", true, nil), ("folder", "empty", true, nil),
      ("folder", "empty", false, .nameTaken), ("file", "empty", true, .nameTaken),
      ("folder", "file", true, .nameTaken), ("empty", "folder", true, .notEmpty),
      ("folder", "free", true, nil),
    ]
    for (from, to, replacing, expected) in cases {
      let account = try TestAccount(kind)
      let store = account.store
      for name in ["file", "file2"] { try account.write(name, to: name) }
      for name in ["folder", "empty"] { try account.makeFolder(name) }
      try account.write("x", to: "folder/x")
      try account.symlink("link", to: "target")
      let before = try await store.list()
      let old = before.first { $0.name?.text == to }
      let item = try await store.find(from)
      let anchor = try await store.currentAnchor(cause: .housekeeping)
      var moved: Item?
      let found = await code {
        moved = try await store.move(
          item.identifier, to: .root, name: #require(FileName(to)), base: item.version,
          replacing: replacing, cause: .housekeeping)
      }
      #expect(found == expected, "\(from) to \(to)")
      let changes = try await store.allChanges(since: anchor)
      if let moved {
        #expect(
          changes == [old.map { .replaced(old: $0.identifier, new: moved) } ?? .updated(moved)])
        #expect(try await store.find(to) == moved)
        #expect(try await store.list().count == before.count - (old == nil ? 0 : 1))
      } else {
        #expect(changes.isEmpty, "\(from) to \(to)")
        #expect(try await store.list() == before)
      }
    }
  }

  @Test(
    "A folder moves with what is in it, but not into itself", arguments: TestAccount.Kind.allCases)
  func movingFolders(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    let store = account.store
    for name in ["f", "f/g", "h"] { try account.makeFolder(name) }
    try account.write("x", to: "f/x")
    let (f, h) = (try await store.find("f"), try await store.find("h"))
    let g = try await store.find("g", in: f.identifier)
    let x = try await store.find("x", in: f.identifier)
    let name = try #require(FileName("n"))
    for (identifier, target, expected) in [
      (f.identifier, g.identifier, CloudError.Code.failed), (f.identifier, f.identifier, .failed),
      (ItemIdentifier.root, h.identifier, .denied), (x.identifier, x.identifier, .failed),
    ] {
      let found = await code {
        _ = try await store.move(
          identifier, to: target, name: name, base: nil, replacing: true, cause: .housekeeping)
      }
      #expect(found == expected)
    }
    let moved = try await store.move(
      f.identifier, to: h.identifier, name: name, base: nil, replacing: false, cause: .housekeeping)
    #expect(moved.identifier == f.identifier)
    #expect(try await store.item(x.identifier, cause: .housekeeping) == x)
    #expect(try await store.text(of: x) == "x")
    #expect(try await store.names() == ["h"])
  }

  @Test("What is deleted is gone, and told once", arguments: TestAccount.Kind.allCases)
  func deleting(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    let store = account.store
    try account.makeFolder("empty")
    try account.makeFolder("full")
    try account.write("x", to: "full/x")
    try account.write("a", to: "a")
    try account.symlink("link", to: "target")
    let full = try await store.find("full")
    let x = try await store.find("x", in: full.identifier)
    let root = await code {
      try await store.delete(.root, base: nil, recursively: true, cause: .housekeeping)
    }
    #expect(root == .denied)
    let kept = await code {
      try await store.delete(
        full.identifier, base: full.version, recursively: false, cause: .housekeeping)
    }
    #expect(kept == .notEmpty)
    #expect(try await store.text(of: x) == "x")
    for name in ["a", "link", "empty", "full"] {
      let item = try await store.find(name)
      let anchor = try await store.currentAnchor(cause: .housekeeping)
      try await store.delete(
        item.identifier, base: item.version, recursively: name == "full", cause: .housekeeping)
      #expect(try await store.allChanges(since: anchor) == [.deleted(item.identifier)])
      let found = await code {
        _ = try await store.item(item.identifier, cause: .housekeeping)
      }
      #expect(found == .notFound)
    }
    #expect(
      await code { _ = try await store.item(x.identifier, cause: .housekeeping) } == .notFound)
    #expect(try await store.names().isEmpty)
  }

  @Test(
    "An upload that does not come to its end changes nothing",
    arguments: TestAccount.Kind.allCases, BrokenSource.How.allCases)
  func brokenUpload(_ kind: TestAccount.Kind, _ how: BrokenSource.How) async throws {
    let account = try TestAccount(kind)
    let store = account.store
    try account.write("old", to: "a")
    let a = try await store.find("a")
    let new = try template("b")
    for name in ["a", "b"] {
      let task = Task {
        await code {
          let source = BrokenSource(how)
          if name == "b" {
            _ = try await store.create(new, content: source, cause: .housekeeping)
          } else {
            _ = try await store.modify(
              a.identifier, base: a.version, changes: ItemChanges(), content: source,
              cause: .housekeeping)
          }
        }
      }
      #expect(await task.value == how.expected)
    }
    #expect(try await store.list() == [a])
    #expect(try await store.text(of: a) == "old")
    #expect(try account.staged().isEmpty)
  }
}
