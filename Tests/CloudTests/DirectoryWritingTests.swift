import Cloud
import Glibc
import Platform
import Testing

/// What is special about writing to a folder.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct DirectoryWritingTests {
  private let directory: TestDirectory
  private var cloud: TemporaryFolder { directory.cloud }
  private var store: DirectoryStore { directory.store }

  init() throws { directory = try TestDirectory() }

  private func replace(_ item: Item, _ text: String, _ changes: ItemChanges = ItemChanges())
    async throws -> Item
  {
    try await store.modify(
      item.identifier, base: item.version, changes: changes, content: ArraySource(text),
      cause: .housekeeping)
  }

  @Test("A new version is another file with the same identifier, also after a restart")
  func identity() async throws {
    try cloud.write("old", to: "a")
    let old = try await store.find("a")
    let inode = try cloud.status("a").st_ino
    let new = try await replace(old, "new")
    #expect(try cloud.status("a").st_ino != inode)
    #expect(new.identifier == old.identifier)
    directory.close()
    try directory.open()
    let anchor = try await directory.anchor()
    #expect(try await store.list() == [new])
    #expect(try await store.allChanges(since: anchor).isEmpty)
  }

  @Test("An observer hears of the store's own writes, and each is told once")
  func notices() async throws {
    try cloud.write("old", to: "a")
    let a = try await store.find("a")
    let anchor = try await directory.anchor()
    let follower = Follower(store)
    let new = try await replace(a, "new")
    let changes = try await follower.changes(since: anchor) { !$0.isEmpty }
    #expect(changes == [.updated(new)])
    try await store.rescan()
    #expect(try await store.allChanges(since: anchor) == [.updated(new)])
  }

  @Test("Writes in a folder that nobody has listed are told as well")
  func unlisted() async throws {
    try cloud.makeFolder("f")
    let f = try await store.find("f")
    let anchor = try await directory.anchor()
    let name = try #require(FileName("a"))
    let made = try await store.create(
      ItemTemplate(parent: f.identifier, name: name, kind: .file, modified: .now),
      content: ArraySource("1"), cause: .housekeeping)
    let new = try await replace(made, "22")
    #expect(try await store.list(f.identifier) == [new])
    try await store.delete(
      new.identifier, base: new.version, recursively: false, cause: .housekeeping)
    #expect(
      try await store.allChanges(since: anchor)
        == [.updated(made), .updated(new), .deleted(made.identifier)])
  }

  @Test("Permissions and dates that were given are there with the content")
  func dressed() async throws {
    try cloud.write("old", to: "a")
    try cloud.chmod("a", 0o4751)
    let date = Timestamp(seconds: 1_000_000_000, nanoseconds: 5)
    let kept = try await replace(try await store.find("a"), "new", ItemChanges(modified: date))
    #expect(try cloud.status("a").st_mode & 0o7777 == 0o4751)
    #expect(Timestamp(try cloud.status("a").st_mtim) == date)
    _ = try await replace(kept, "newer", ItemChanges(permissions: 0o640))
    #expect(try cloud.status("a").st_mode & 0o7777 == 0o640)
    let name = try #require(FileName("b"))
    _ = try await store.create(
      ItemTemplate(parent: .root, name: name, kind: .file, modified: date), content: nil,
      cause: .housekeeping)
    #expect(try cloud.status("b").st_mode & 0o7777 == 0o644)
    #expect(Timestamp(try cloud.status("b").st_mtim) == date)
  }

  @Test(
    "Extended attributes stay with the item",
    .enabled(if: access("/usr/bin/setfattr", X_OK) == 0, "needs setfattr and getfattr"))
  func attributes() async throws {
    try cloud.write("old", to: "a")
    let set = try ChildProcess.run(
      path: "/usr/bin/setfattr", ["-n", "user.mark", "-v", "kept", cloud.at("a")])
    try #require(set == 0, "this file system keeps no extended attributes")
    _ = try await replace(try await store.find("a"), "new")
    #expect(
      try ChildProcess.run(path: "/usr/bin/getfattr", ["-n", "user.mark", cloud.at("a")]) == 0)
  }

  @Test("Another name of the same file keeps the old content")
  func hardLink() async throws {
    try cloud.write("old", to: "a")
    try cloud.link("a", to: "b")
    let (a, b) = (try await store.find("a"), try await store.find("b"))
    let new = try await replace(a, "new")
    #expect(try await store.find("a") == new)
    #expect(try cloud.text("b") == "old")
    #expect(try await store.find("b").identifier == b.identifier)
    let moved = try await store.move(
      b.identifier, to: .root, name: #require(FileName("a")), base: nil, replacing: true,
      cause: .housekeeping)
    #expect(moved.identifier == b.identifier)
    #expect(try await store.names() == ["a"])
    #expect(try cloud.text("a") == "old")
  }

  @Test("One of two names of a file can be moved over the other")
  func hardLinkOverItself() async throws {
    try cloud.write("x", to: "a")
    try cloud.link("a", to: "b")
    let (a, b) = (try await store.find("a"), try await store.find("b"))
    let moved = try await store.move(
      a.identifier, to: .root, name: #require(FileName("b")), base: nil, replacing: true,
      cause: .housekeeping)
    #expect(moved.identifier == a.identifier)
    #expect(try await store.list() == [moved])
    #expect(
      await code { _ = try await store.item(b.identifier, cause: .housekeeping) } == .notFound)
    #expect(try directory.staged().isEmpty)
  }

  @Test("A name that only a pipe has is taken")
  func pipe() async throws {
    try cloud.makePipe("p")
    let name = try #require(FileName("p"))
    let found = await code {
      _ = try await store.create(
        ItemTemplate(parent: .root, name: name, kind: .file, modified: .now), content: nil,
        cause: .housekeeping)
    }
    #expect(found == .nameTaken)
  }

  @Test("While an upload waits for its content, everything else goes on")
  func longUpload() async throws {
    try cloud.write("old", to: "a")
    let a = try await store.find("a")
    let (store, cloud) = (store, cloud)
    let source = ActingSource(pieces: 3) { offset throws(CloudError) in
      guard offset == 1 << 20 else { return }
      let items = try await store.enumerate(.root, page: nil, cause: .housekeeping).items
      guard items == [a], (try? cloud.text("a")) == "old" else {
        throw CloudError(.corrupt, "The folder shows the upload.")
      }
    }
    let new = try await store.modify(
      a.identifier, base: a.version, changes: ItemChanges(), content: source, cause: .housekeeping)
    #expect(new.size == 3 << 20)
    #expect(source.largest == 1 << 20)
  }

  @Test("The root's permissions can be set, and only for its present version")
  func root() async throws {
    let root = try await store.item(.root, cause: .housekeeping)
    let changed = try await store.modify(
      .root, base: root.version, changes: ItemChanges(permissions: 0o750), content: nil,
      cause: .housekeeping)
    #expect(changed.permissions == 0o750)
    #expect(try await store.item(.root, cause: .housekeeping) == changed)
    let stale = await code {
      _ = try await store.modify(
        .root, base: root.version, changes: ItemChanges(permissions: 0o700), content: nil,
        cause: .housekeeping)
    }
    #expect(stale == .versionGone)
  }

  @Test("A folder is made with the permissions that were given, and its version stays")
  func folderPermissions() async throws {
    let name = try #require(FileName("f"))
    let anchor = try await directory.anchor()
    let f = try await store.create(
      ItemTemplate(
        parent: .root, name: name, kind: .folder, modified: .now, permissions: 0o555),
      content: nil, cause: .housekeeping)
    #expect(f.permissions == 0o555)
    #expect(try cloud.status("f").st_mode & 0o7777 == 0o555)
    #expect(try await store.item(f.identifier, cause: .housekeeping) == f)
    #expect(try await store.allChanges(since: anchor) == [.updated(f)])
  }

  @Test("A folder that is deleted with what is in it goes in one step, whatever its modes")
  func deepDelete() async throws {
    var path = "f"
    for _ in 0..<20 {
      try cloud.makeFolder(path)
      try cloud.write("x", to: path + "/x")
      try cloud.makePipe(path + "/p")
      path += "/f"
    }
    try cloud.chmod("f/f", 0o500)
    let f = try await store.find("f")
    try await store.delete(
      f.identifier, base: f.version, recursively: true, cause: .housekeeping)
    #expect(try cloud.names(".").isEmpty)
    #expect(try directory.staged().isEmpty)
  }
}

/// Content of some MiB, before each piece of which something happens.
private final class ActingSource: ContentSource {
  let size: Int64
  private let action: @Sendable (Int64) async throws(CloudError) -> Void
  private let counts = Locked<[Int]>([])

  init(pieces: Int64, _ action: @escaping @Sendable (Int64) async throws(CloudError) -> Void) {
    size = pieces << 20
    self.action = action
  }

  var largest: Int { counts.withLock { $0.max() ?? 0 } }

  func read(at offset: Int64, count: Int) async throws(CloudError) -> ContentBytes {
    try await action(offset)
    counts.withLock { $0.append(count) }
    return ContentBytes(repeating: 7, count: count)
  }
}
