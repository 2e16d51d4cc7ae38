import Cloud
import Glibc
import Platform
import Testing

/// Where a directory store keeps what is not yet, or no more, in the cloud.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct DirectoryStagingTests {
  private func create(_ name: String, _ text: String, in store: DirectoryStore) async throws -> Item
  {
    try await store.create(
      ItemTemplate(
        parent: .root, name: try #require(FileName(name)), kind: .file, modified: .now),
      content: ArraySource(text), cause: .housekeeping)
  }

  private func hidden(_ names: [String]) -> [String] {
    names.filter { $0.hasPrefix(".fauxdrive-staging-") }
  }

  @Test("A hidden folder in the cloud is not listed, not told, and goes away with the store")
  func inside() async throws {
    let directory = try TestDirectory(places: [.inside])
    let (cloud, store) = (directory.cloud, directory.store)
    #expect(try cloud.names(".").isEmpty)
    _ = try await store.list()
    let anchor = try await directory.anchor()
    let a = try await create("a", "text", in: store)
    #expect(hidden(try cloud.names(".")).count == 1)
    #expect(try cloud.status(hidden(try cloud.names("."))[0]).st_mode & 0o777 == 0o700)
    #expect(try await store.list() == [a])
    try await store.rescan()
    #expect(try await store.allChanges(since: anchor) == [.updated(a)])
    #expect(
      await code { _ = try await create(".fauxdrive-staging-1", "x", in: store) } == .denied)
    directory.close()
    #expect(try cloud.names(".") == ["a"])
  }

  @Test("A hidden folder beside the cloud goes away with the store")
  func beside() async throws {
    let parent = try TemporaryFolder()
    try parent.makeFolder("cloud")
    let index = try TemporaryFolder()
    let store = try DirectoryStore(
      parent.at("cloud"), index: index.at("index"), hook: .none, places: [.beside])
    _ = try await create("a", "text", in: store)
    #expect(hidden(try parent.names(".")).count == 1)
    #expect(try parent.names("cloud") == ["a"])
    store.close()
    #expect(try parent.names(".") == ["cloud"])
  }

  @Test("What a crash left is removed when the store is opened again")
  func leftovers() async throws {
    let directory = try TestDirectory()
    _ = try await create("a", "text", in: directory.store)
    directory.close()
    let index = directory.indexFolder
    try index.write("half", to: "index/staging/1234")
    try index.makeFolder("index/staging/5678")
    try index.write("x", to: "index/staging/5678/x")
    try index.chmod("index/staging/5678", 0)
    try directory.open()
    #expect(try directory.staged().isEmpty)
    #expect(try await directory.store.names() == ["a"])
  }

  @Test(
    "On a mounted file system that is too small, an upload is out of room and leaves none taken")
  func fullFileSystem() async throws {
    let folder = try TemporaryFolder()
    guard let mounted = SmallFileSystem(at: folder.path) else { return }
    defer { mounted.end() }
    let index = try TemporaryFolder()
    let store = try DirectoryStore(folder.path, index: index.at("index"))
    defer { store.close() }
    let small = try await create("a", "text", in: store)
    // The index is elsewhere and nothing beside a mount point is on it.
    #expect(hidden(try folder.names(".")).count == 1)
    let used = try await store.quota(cause: .housekeeping).used
    let large = String(repeating: "x", count: 2 << 20)
    #expect(await code { _ = try await create("b", large, in: store) } == .quotaExceeded)
    let modified = await code {
      _ = try await store.modify(
        small.identifier, base: small.version, changes: ItemChanges(),
        content: ArraySource(large), cause: .housekeeping)
    }
    #expect(modified == .quotaExceeded)
    #expect(try await store.list() == [small])
    #expect(try await store.text(of: small) == "text")
    #expect(try await store.quota(cause: .housekeeping).used == used)
  }

  @Test("Where another file system is mounted in the cloud, a write says that it cannot")
  func mountInside() async throws {
    let directory = try TestDirectory()
    let (cloud, store) = (directory.cloud, directory.store)
    try cloud.makeFolder("f")
    guard let mounted = SmallFileSystem(at: cloud.at("f")) else { return }
    defer { mounted.end() }
    let f = try await store.find("f")
    try cloud.write("old", to: "f/a")
    let a = try await store.find("a", in: f.identifier)
    let codes = [
      await code {
        _ = try await store.modify(
          a.identifier, base: a.version, changes: ItemChanges(), content: ArraySource("new"),
          cause: .housekeeping)
      },
      await code {
        try await store.delete(a.identifier, base: nil, recursively: false, cause: .housekeeping)
      },
      await code {
        try await store.delete(f.identifier, base: nil, recursively: true, cause: .housekeeping)
      },
    ]
    #expect(codes == [.unsupported, .unsupported, .denied])
    #expect(try cloud.text("f/a") == "old")
    #expect(try directory.staged().isEmpty)
  }
}

/// A file system of 1 MiB in memory, for those who may mount one.
private struct SmallFileSystem {
  let path: String

  init?(at path: String) {
    guard mount("none", path, "tmpfs", 0, "size=1m,mode=700") == 0 else { return nil }
    self.path = path
  }

  // Lazily: a store may still hold the folder open.
  func end() { umount2(path, CInt(MNT_DETACH)) }
}
