import CSQLite
import Cloud
import Glibc
import Platform
import Testing

/// What survives when a directory store is closed and opened again.
@Suite(.timeLimit(.minutes(15)))
struct DirectoryRestartTests {
  private let directory: TestDirectory
  private var cloud: TemporaryFolder { directory.cloud }
  private var store: DirectoryStore { directory.store }

  init() throws { directory = try TestDirectory() }

  @Test("Items are the same after a restart, with the same versions")
  func identifiers() async throws {
    try cloud.makeFolder("f")
    try cloud.write("x", to: "f/x")
    let f = try await store.find("f")
    let x = try await store.find("x", in: f.identifier)
    directory.close()
    try directory.open()
    #expect(try await store.item(x.identifier, cause: .housekeeping) == x)
    #expect(try await store.text(of: x) == "x")
    #expect(try await store.list() == [f])
  }

  @Test("What changed while the store was closed is told since the anchor from before")
  func changesWhileClosed() async throws {
    try cloud.makeFolder("f")
    for name in ["edited", "removed", "renamed", "moved", "replaced"] {
      try cloud.write("x", to: name)
    }
    let f = try await store.find("f")
    _ = try await store.list(f.identifier)
    let before = try await store.list()
    let anchor = try await directory.anchor()
    directory.close()
    try cloud.write("edit", to: "edited")
    try cloud.remove("removed")
    try cloud.rename("renamed", to: "other name")
    try cloud.rename("moved", to: "f/moved")
    try cloud.replace("replaced", with: "y")
    try cloud.write("x", to: "new")
    try directory.open()
    let changes = try await store.allChanges(since: anchor)
    #expect(
      changes.map(\.summary).sorted() == [
        "deleted", "replaced replaced", "updated edited", "updated moved", "updated new",
        "updated other name",
      ])
    func identifier(_ name: String) -> ItemIdentifier? {
      before.first { $0.name?.text == name }?.identifier
    }
    for (old, new) in [("renamed", "other name"), ("moved", "moved"), ("edited", "edited")] {
      let item = changes.compactMap(\.item).first { $0.name?.text == new }
      #expect(item?.identifier == identifier(old))
    }
  }

  @Test("An observer hears of what happened while the store was closed")
  func noticeAfterRestart() async throws {
    try cloud.write("x", to: "a")
    _ = try await store.list()
    let anchor = try await directory.anchor()
    directory.close()
    try cloud.remove("a")
    try directory.open()
    let follower = Follower(store)
    let changes = try await follower.changes(since: anchor) { !$0.isEmpty }
    #expect(changes.map(\.summary) == ["deleted"])
  }

  @Test("A closed store refuses calls")
  func closed() async throws {
    directory.close()
    #expect(await code { _ = try await store.list() } == .failed)
  }

  @Test("A damaged index is an error that says what to do, and is left as it is")
  func damagedIndex() throws {
    directory.close()
    try directory.indexFolder.write(
      String(repeating: "garbage ", count: 600), to: "index/cloud.sqlite")
    for suffix in ["-wal", "-shm"] { _ = remove(directory.indexFile + suffix) }
    let error = #expect(throws: CloudError.self) { try directory.open() }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("Remove the file") == true)
    #expect(try directory.indexFolder.text("index/cloud.sqlite").hasPrefix("garbage"))
  }

  @Test("After the index was removed, items have other identifiers, and old anchors have expired")
  func removedIndex() async throws {
    try cloud.write("x", to: "a")
    let a = try await store.find("a")
    let anchor = try await directory.anchor()
    directory.close()
    #expect(remove(directory.indexFile) == 0)
    try directory.open()
    #expect(try await store.find("a").identifier != a.identifier)
    #expect(
      await code { _ = try await store.item(a.identifier, cause: .housekeeping) } == .notFound)
    #expect(await code { _ = try await store.allChanges(since: anchor) } == .anchorExpired)
  }

  @Test("An index that a newer version wrote is refused")
  func newerIndex() throws {
    directory.close()
    var handle: OpaquePointer?
    #expect(sqlite3_open(directory.indexFile, &handle) == SQLITE_OK)
    #expect(sqlite3_exec(handle, "PRAGMA user_version = 99", nil, nil, nil) == SQLITE_OK)
    sqlite3_close(handle)
    let error = #expect(throws: CloudError.self) { try directory.open() }
    #expect(error?.message.contains("newer") == true)
  }

  @Test("An index that belongs to another folder is refused")
  func otherFolder() throws {
    directory.close()
    let other = try TemporaryFolder()
    let error = #expect(throws: CloudError.self) {
      try DirectoryStore(other.path, index: directory.indexFolder.at("index"))
    }
    #expect(error?.message.contains("another folder") == true)
  }

  @Test("An index that is in use is refused")
  func indexInUse() throws {
    let error = #expect(throws: CloudError.self) { try directory.open() }
    #expect(error?.message.contains("another process") == true)
  }

  @Test("A folder that is missing, is a file, or holds the index is refused with a reason")
  func badFolders() throws {
    try cloud.write("x", to: "file")
    let index = directory.indexFolder.at("second")
    let cases: [(folder: String, index: String, reason: String)] = [
      (cloud.at("missing"), index, "create it"),
      (cloud.at("file"), index, "not a folder"),
      (cloud.path, cloud.at("index"), "must not lie in"),
      (cloud.path, "/nowhere/at/all", "cannot be made"),
    ]
    for (folder, index, reason) in cases {
      let error = #expect(throws: CloudError.self) { try DirectoryStore(folder, index: index) }
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
  }

  @Test("Identifiers begin with the generation that was asked for")
  func generation() async throws {
    let store = try DirectoryStore(
      cloud.path, index: directory.indexFolder.at("second"), generation: "g")
    defer { store.close() }
    try cloud.write("x", to: "a")
    #expect(try await store.find("a").identifier.rawValue == "g-2")
  }
}
