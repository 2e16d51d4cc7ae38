import Cloud
import Glibc
import Platform
import Testing

/// Writes in whose middle somebody else edits the folder.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct DirectoryWritingRaceTests {
  /// One edit by somebody else, and when.
  struct Edit: Sendable {
    let step: WritingStep
    let body: @Sendable (TemporaryFolder) throws -> Void
    init(_ step: WritingStep, _ body: @escaping @Sendable (TemporaryFolder) throws -> Void) {
      self.step = step
      self.body = body
    }
  }

  /// A write to the item `a` (content "old", beside a file `b`, an empty folder `e` and a full one `f`).
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let write: Write
    let edits: [Edit]
    let expected: CloudError.Code?
    /// The names and contents of the folder afterwards; of a folder its name and a slash.
    let after: [String: String]
    init(
      _ description: String, _ write: Write, _ edits: [Edit], _ expected: CloudError.Code?,
      _ after: [String: String]
    ) {
      testDescription = description
      self.write = write
      self.edits = edits
      self.expected = expected
      self.after = after
    }
  }

  enum Write: Sendable {
    case replace, replaceAnyway, delete, create
    case move(String, over: Bool)
    case moveFolder(String)
  }

  static let x = Edit(.renaming) { try $0.replace("a", with: "X") }

  static let cases: [Case] = [
    Case("no race", .replace, [], nil, ["a": "new"]),
    Case("replaced before", .replace, [x], .versionGone, ["a": "X"]),
    Case(
      "edited before", .replace, [Edit(.renaming) { try $0.write("longer", to: "a") }],
      .versionGone, ["a": "longer"]),
    Case(
      "edited before a write to any version", .replaceAnyway,
      [Edit(.renaming) { try $0.write("longer", to: "a") }], nil, ["a": "new"]),
    Case(
      "another item before a write to any version", .replaceAnyway, [x], .versionGone, ["a": "X"]),
    Case("removed before", .replace, [Edit(.renaming) { try $0.remove("a") }], .notFound, [:]),
    Case(
      "renamed before", .replace, [Edit(.renaming) { try $0.rename("a", to: "c") }], .versionGone,
      ["c": "old"]),
    Case(
      "a folder took the name", .replace,
      [
        Edit(.renaming) {
          try $0.remove("a")
          try $0.makeFolder("a")
        }
      ], .versionGone, ["a/": ""]),
    Case(
      "a pipe took the name", .replace,
      [
        Edit(.renaming) {
          try $0.remove("a")
          try $0.makePipe("a")
        }
      ], .versionGone, ["a|": ""]),
    Case(
      "replaced before and again", .replace,
      [x, Edit(.givingBack) { try $0.replace("a", with: "Y") }], .versionGone,
      ["a": "Y", "a (rescued)": "X"]),
    Case(
      "replaced before, and new content edited", .replace,
      [x, Edit(.givingBack) { try $0.write("edited", to: "a") }], .versionGone,
      ["a": "edited", "a (rescued)": "X"]),
    Case(
      "replaced before, and new content removed", .replace,
      [x, Edit(.givingBack) { try $0.remove("a") }], .versionGone, ["a": "X"]),
    Case(
      "replaced before, and new content renamed", .replace,
      [x, Edit(.givingBack) { try $0.rename("a", to: "c") }], .versionGone,
      ["a": "X", "c": "new"]),
    Case(
      "replaced before and twice again", .replace,
      [
        x, Edit(.givingBack) { try $0.replace("a", with: "Y") },
        Edit(.givingBack) { try $0.rename("a", to: "c") },
      ], .versionGone, ["a": "Y", "c": "X"]),
    Case(
      "replaced afterwards", .replace, [Edit(.renamed) { try $0.replace("a", with: "Y") }], nil,
      ["a": "Y"]),
    Case("delete", .delete, [], nil, [:]),
    Case("delete: replaced before", .delete, [x], .versionGone, ["a": "X"]),
    Case(
      "delete: edited before", .delete, [Edit(.renaming) { try $0.write("longer", to: "a") }],
      .versionGone, ["a": "longer"]),
    Case(
      "delete: replaced before, and a new one made", .delete,
      [x, Edit(.givingBack) { try $0.write("Y", to: "a") }], .versionGone,
      ["a": "Y", "a (rescued)": "X"]),
    Case(
      "delete: removed before", .delete, [Edit(.renaming) { try $0.remove("a") }], .notFound, [:]),
    Case(
      "delete: renamed before", .delete, [Edit(.renaming) { try $0.rename("a", to: "c") }],
      .versionGone, ["c": "old"]),
    Case("create", .create, [], nil, ["a": "old", "n": "new"]),
    Case(
      "create: the name is taken meanwhile", .create,
      [Edit(.renaming) { try $0.write("theirs", to: "n") }], .nameTaken,
      ["a": "old", "n": "theirs"]),
    Case("move", .move("n", over: false), [], nil, ["n": "old"]),
    Case(
      "move: the name is taken meanwhile", .move("n", over: false),
      [Edit(.renaming) { try $0.write("theirs", to: "n") }], .nameTaken,
      ["a": "old", "n": "theirs"]),
    Case(
      "move: the name is taken meanwhile, and may be replaced", .move("n", over: true),
      [Edit(.renaming) { try $0.write("theirs", to: "n") }], nil, ["n": "old"]),
    Case("move: replaced before", .move("n", over: false), [x], .versionGone, ["a": "X"]),
    Case(
      "move: replaced before, and a new one made", .move("n", over: false),
      [x, Edit(.givingBack) { try $0.write("Y", to: "a") }], .versionGone,
      ["a": "Y", "n": "X"]),
    Case("move over", .move("b", over: true), [], nil, ["b": "old"]),
    Case(
      "move over: replaced before", .move("b", over: true), [x], .versionGone,
      ["a": "X", "b": "b"]),
    Case(
      "move over: what it replaces is gone", .move("b", over: true),
      [Edit(.renaming) { try $0.remove("b") }], nil, ["b": "old"]),
    Case(
      "move over: a folder took the name", .move("b", over: true),
      [
        Edit(.renamed) {
          try $0.remove("b")
          try $0.makeFolder("b")
        }
      ], .nameTaken, ["a": "old", "b/": ""]),
    Case(
      "move over: a folder took the name, and the old name was taken", .move("b", over: true),
      [
        Edit(.renamed) {
          try $0.remove("b")
          try $0.makeFolder("b")
          try $0.write("theirs", to: "a")
        }
      ], .nameTaken, ["a": "theirs", "a (rescued)": "old", "b/": ""]),
    Case("move a folder over", .moveFolder("e"), [], nil, ["a": "old", "e/": "x"]),
    Case(
      "move a folder over one that is filled", .moveFolder("e"),
      [Edit(.renamed) { try $0.write("y", to: "e/y") }], .notEmpty,
      ["a": "old", "e/": "y", "f/": "x"]),
  ]

  @Test("Nothing that somebody else put there is lost", arguments: cases)
  func races(_ race: Case) async throws {
    let directory = try TestDirectory()
    let (cloud, store) = (directory.cloud, directory.store)
    for (name, text) in ["a": "old", "b": "b"] { try cloud.write(text, to: name) }
    for name in ["e", "f"] { try cloud.makeFolder(name) }
    try cloud.write("x", to: "f/x")
    let a = try await store.find("a")
    let f = try await store.find("f")
    directory.script.set(
      race.edits.map { edit in
        .init(step: edit.step) {
          do { try edit.body(cloud) } catch { Issue.record(error) }
          return nil
        }
      })
    let found = await code { try await write(race.write, a, f, store) }
    #expect(found == race.expected)
    #expect(directory.script.rest == 0)
    directory.script.set([])

    let expected = complete(race, with: ["e/": "", "f/": "x"])
    #expect(try shown(cloud) == expected)
    #expect(try directory.staged().isEmpty)
    // The store knows what is there, and a closer look finds nothing else.
    let listed = try await store.list()
    #expect(
      listed.map { $0.name?.text ?? "" }
        == expected.keys.filter { !$0.hasSuffix("|") }.map { $0.filter { $0 != "/" } }.sorted())
    let anchor = try await directory.anchor()
    try await store.rescan()
    #expect(try await store.allChanges(since: anchor).isEmpty)
    #expect(try await store.list() == listed)
  }

  @Test("What cannot go back to a folder that is gone gets a name in the root")
  func goneFolder() async throws {
    let directory = try TestDirectory()
    let (cloud, store) = (directory.cloud, directory.store)
    try cloud.makeFolder("f")
    try cloud.write("old", to: "f/a.txt")
    let f = try await store.find("f")
    let a = try await store.find("a.txt", in: f.identifier)
    directory.script.set([
      .init(step: .renaming) {
        try? cloud.replace("f/a.txt", with: "X")
        return nil
      },
      .init(step: .givingBack) {
        cloud.removeTree("f")
        return nil
      },
    ])
    #expect(await code { try await write(.replace, a, f, store) } == .versionGone)
    #expect(try cloud.names(".") == ["a (rescued).txt"])
    #expect(try cloud.text("a (rescued).txt") == "X")
    #expect(try directory.staged().isEmpty)
  }

  private func write(
    _ write: Write, _ a: Item, _ f: Item, _ store: DirectoryStore
  ) async throws {
    switch write {
    case .replace, .replaceAnyway:
      var base: ItemVersion? = a.version
      if case .replaceAnyway = write { base = nil }
      let new = try await store.modify(
        a.identifier, base: base, changes: ItemChanges(), content: ArraySource("new"),
        cause: .housekeeping)
      #expect(new.identifier == a.identifier)
    case .delete:
      try await store.delete(
        a.identifier, base: a.version, recursively: false, cause: .housekeeping)
    case .create:
      let template = ItemTemplate(
        parent: .root, name: try #require(FileName("n")), kind: .file, modified: .now)
      _ = try await store.create(template, content: ArraySource("new"), cause: .housekeeping)
    case .move(let name, let replacing):
      let moved = try await store.move(
        a.identifier, to: .root, name: #require(FileName(name)), base: a.version,
        replacing: replacing, cause: .housekeeping)
      #expect(moved.identifier == a.identifier)
    case .moveFolder(let name):
      let moved = try await store.move(
        f.identifier, to: .root, name: #require(FileName(name)), base: f.version, replacing: true,
        cause: .housekeeping)
      #expect(moved.identifier == f.identifier)
    }
  }

  /// The names that the case does not speak of are as they were.
  private func complete(
    _ race: Case, with folders: [String: String]
  ) -> [String: String] {
    var expected = race.after
    switch race.write {
    case .moveFolder: expected["b"] = "b"
    case .move("b", _): expected.merge(folders) { stated, _ in stated }
    default:
      expected["b"] = "b"
      expected.merge(folders) { stated, _ in stated }
    }
    return expected
  }

  /// What the folder shows: the content of each file, the names in each folder.
  private func shown(_ cloud: TemporaryFolder) throws -> [String: String] {
    var shown: [String: String] = [:]
    for name in try cloud.names(".") {
      switch try cloud.status(name).st_mode & S_IFMT {
      case S_IFDIR: shown[name + "/"] = try cloud.names(name).joined(separator: " ")
      case S_IFIFO: shown[name + "|"] = ""
      default: shown[name] = try cloud.text(name)
      }
    }
    return shown
  }
}
