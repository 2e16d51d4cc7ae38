import Cloud
import Platform
import Testing

/// What every store promises to a writer, tried on each.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct CloudWritingContractTests {
  static let date = Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_789)

  func template(
    _ name: String, _ kind: ItemKind = .file, in parent: ItemIdentifier = .root,
    permissions: UInt16? = nil, target: String? = nil
  ) throws -> ItemTemplate {
    ItemTemplate(
      parent: parent, name: try #require(FileName(name)), kind: kind, modified: Self.date,
      permissions: permissions, target: target.map { Array($0.utf8) })
  }

  @Test("A store that writes says so", arguments: TestAccount.Kind.allCases)
  func capability(_ kind: TestAccount.Kind) throws {
    #expect(try TestAccount(kind).store.capabilities.contains(.writing))
  }

  @Test(
    "What is created is there as it was told, and is told once in the feed",
    arguments: TestAccount.Kind.allCases)
  func creation(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    let store = account.store
    let anchor = try await store.currentAnchor(cause: .housekeeping)
    let file = try await store.create(
      template("a.txt", permissions: 0o640), content: ArraySource("hello"), cause: .housekeeping)
    let empty = try await store.create(template("b"), content: nil, cause: .housekeeping)
    let folder = try await store.create(
      template("c", .folder, permissions: 0o750), content: nil, cause: .housekeeping)
    let link = try await store.create(
      template("d", .symlink, target: "../nowhere"), content: nil, cause: .housekeeping)
    let inner = try await store.create(
      template("e", in: folder.identifier), content: ArraySource("inner"), cause: .housekeeping)

    #expect([file, empty, folder, link, inner].map(\.size) == [5, 0, 0, 10, 5])
    #expect([file, empty, link, inner].allSatisfy { $0.modified == Self.date })
    #expect(file.permissions == 0o640)
    #expect(folder.permissions == 0o750)
    #expect(link.target == Array("../nowhere".utf8))
    #expect(inner.parent == folder.identifier)
    #expect(try await store.text(of: file) == "hello")
    #expect(try await store.text(of: empty) == "")
    #expect(try await store.text(of: inner) == "inner")
    let changes = try await store.allChanges(since: anchor)
    #expect(
      changes.compactMap(\.item).map(\.version)
        == [file, empty, folder, link, inner].map(\.version))
    let listed = try await store.list()
    #expect(listed.map(\.version) == [file, empty, folder, link].map(\.version))
    #expect(listed.map(\.identifier) == [file, empty, folder, link].map(\.identifier))
    #expect(try await store.list(folder.identifier) == [inner])
    #expect(try await store.allChanges(since: anchor).count == 5)
  }

  @Test(
    "Nothing is created under a taken name, or in what is no folder",
    arguments: TestAccount.Kind.allCases)
  func refusedCreation(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    let store = account.store
    try account.write("old", to: "a")
    let a = try await store.find("a")
    let missing = ItemIdentifier(rawValue: a.identifier.rawValue + "99")
    let anchor = try await store.currentAnchor(cause: .housekeeping)
    let cases: [(ItemTemplate, CloudError.Code)] = [
      (try template("a"), .nameTaken), (try template("a", .folder), .nameTaken),
      (try template("a", .symlink, target: "x"), .nameTaken),
      (try template("b", in: a.identifier), .failed), (try template("b", in: missing), .notFound),
    ]
    for (template, expected) in cases {
      let content = template.kind == .file ? ArraySource("new") : nil
      let found = await code {
        _ = try await store.create(template, content: content, cause: .housekeeping)
      }
      #expect(found == expected, "\(template)")
    }
    #expect(try await store.names() == ["a"])
    #expect(try await store.text(of: a) == "old")
    #expect(try await store.allChanges(since: anchor).isEmpty)
  }

  @Test(
    "New content is another version of the same item, told once",
    arguments: TestAccount.Kind.allCases)
  func newContent(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    let store = account.store
    try account.write("old", to: "a")
    try account.chmod("a", 0o600)
    let old = try await store.find("a")
    let anchor = try await store.currentAnchor(cause: .housekeeping)
    let new = try await store.modify(
      old.identifier, base: old.version, changes: ItemChanges(modified: Self.date),
      content: ArraySource("new content"), cause: .housekeeping)
    #expect(new.identifier == old.identifier)
    #expect(new.version.content != old.version.content)
    #expect(new.size == 11)
    #expect(new.modified == Self.date)
    #expect(new.permissions == 0o600)
    #expect(try await store.item(new.identifier, cause: .housekeeping) == new)
    #expect(try await store.list() == [new])
    #expect(try await store.text(of: new) == "new content")
    #expect(try await store.allChanges(since: anchor) == [.updated(new)])
    #expect(await code { _ = try await store.text(of: old) } == .versionGone)
  }

  @Test(
    "New content of the same size and date is a new version nevertheless",
    arguments: TestAccount.Kind.allCases)
  func sameSizeAndDate(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    let store = account.store
    let first = try await store.create(
      template("a"), content: ArraySource("old"), cause: .housekeeping)
    let second = try await store.modify(
      first.identifier, base: first.version, changes: ItemChanges(modified: Self.date),
      content: ArraySource("new"), cause: .housekeeping)
    #expect(second.version.content != first.version.content)
    #expect(try await store.text(of: second) == "new")
  }

  @Test(
    "Permissions and dates can be set without content", arguments: TestAccount.Kind.allCases)
  func metadata(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    let store = account.store
    try account.write("text", to: "a")
    try account.makeFolder("f")
    for name in ["a", "f"] {
      let old = try await store.find(name)
      let anchor = try await store.currentAnchor(cause: .housekeeping)
      let new = try await store.modify(
        old.identifier, base: old.version, changes: ItemChanges(permissions: 0o700), content: nil,
        cause: .housekeeping)
      #expect(new.permissions == 0o700)
      #expect(new.version.content == old.version.content)
      #expect(new.version.metadata != old.version.metadata)
      #expect(try await store.item(new.identifier, cause: .housekeeping) == new)
      #expect(try await store.allChanges(since: anchor) == [.updated(new)])
      let dated = try await store.modify(
        old.identifier, base: new.version, changes: ItemChanges(modified: Self.date), content: nil,
        cause: .housekeeping)
      #expect(dated.modified == Self.date)
      #expect(try await store.item(new.identifier, cause: .housekeeping) == dated)
    }
  }
}
