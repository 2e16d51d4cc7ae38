import Cloud
import Glibc
import Platform
import Testing

/// Stores whose process ends in the middle of a write.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct DirectoryWritingCrashTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let write: String
    /// The step at which the process ends, with the number of its occurrence.
    let step: String
    /// Somebody else replaces `a` right before the rename.
    var isDisturbed = false
    /// Whether the write is found to be carried out.
    let isDone: Bool

    var testDescription: String { "\(write) at \(step)\(isDisturbed ? ", disturbed" : "")" }
  }

  static let cases: [Case] =
    ["create", "replace", "delete", "deleteFolder", "move"].flatMap { write in
      [("staged", false), ("renaming", false), ("renamed", true), ("recorded", true)].map {
        Case(write: write, step: $0.0, isDone: $0.1)
      }
    } + [
      Case(write: "create", step: "writing", isDone: false),
      Case(write: "replace", step: "writing", isDone: false),
      Case(write: "moveOver", step: "renaming", isDone: false),
      Case(write: "moveOver", step: "renamed", isDone: false),
      Case(write: "moveOver", step: "renamed2", isDone: true),
      Case(write: "moveOver", step: "recorded", isDone: true),
      Case(write: "replace", step: "renamed", isDisturbed: true, isDone: false),
      Case(write: "replace", step: "givingBack", isDisturbed: true, isDone: false),
      Case(write: "delete", step: "givingBack", isDisturbed: true, isDone: false),
      Case(write: "moveOver", step: "givingBack", isDisturbed: true, isDone: false),
    ]

  @Test(
    "After a crash each item is whole, under one name, and the same item as before",
    arguments: cases)
  func crash(_ crash: Case) async throws {
    let directory = try TestDirectory()
    let cloud = directory.cloud
    try cloud.write("old", to: "a")
    try cloud.write("b", to: "b")
    try cloud.makeFolder("f")
    try cloud.write("x", to: "f/x")
    let before = try await directory.store.list()
    let anchor = try await directory.anchor()
    directory.close()
    let status = try ChildProcess.run(
      "CloudWriter",
      [
        cloud.path, directory.indexFolder.at("index"), crash.write, crash.step,
        crash.isDisturbed ? "disturbed" : "undisturbed",
      ])
    #expect(status == 9)
    try directory.open()
    let store = directory.store
    #expect(try directory.staged().isEmpty)

    var expected = ["a": crash.isDisturbed ? "X" : "old", "b": "b", "f": ""]
    var told: [String] = crash.isDisturbed ? ["replaced a"] : []
    if crash.isDone {
      switch crash.write {
      case "create": (expected["n"], told) = ("new", ["updated n"])
      case "replace": (expected["a"], told) = ("new", ["updated a"])
      case "delete": (expected["a"], told) = (nil, ["deleted"])
      case "deleteFolder": (expected["f"], told) = (nil, ["deleted"])
      case "move": (expected["a"], expected["n"], told) = (nil, "old", ["updated n"])
      default: (expected["a"], expected["b"], told) = (nil, "old", ["replaced b"])
      }
    }
    #expect(try cloud.names(".") == expected.keys.sorted())
    for (name, text) in expected where name != "f" { #expect(try cloud.text(name) == text) }
    #expect(try await store.allChanges(since: anchor).map(\.summary) == told)
    let after = try await store.list()
    #expect(after.compactMap(\.name?.text) == expected.keys.sorted())
    // The item that was written to is known by its identifier.
    let a = before.first { $0.name?.text == "a" }?.identifier
    let home = crash.isDone ? ["move": "n", "moveOver": "b"][crash.write] ?? "a" : "a"
    if expected[home] != nil, !crash.isDisturbed {
      #expect(after.first { $0.name?.text == home }?.identifier == a)
    }
  }
}
