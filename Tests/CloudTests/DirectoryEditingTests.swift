import Cloud
import Glibc
import Platform
import Testing

/// What a directory store makes of edits by hand.
@Suite(.timeLimit(.minutes(15)))
struct DirectoryEditingTests {
  private let directory: TestDirectory
  private var cloud: TemporaryFolder { directory.cloud }
  private var store: DirectoryStore { directory.store }

  init() throws { directory = try TestDirectory() }

  @Test("Each edit is told by a notice, and by a change that says what happened")
  func notices() async throws {
    try cloud.write("1", to: "a")
    try cloud.makeFolder("f")
    let a = try await store.find("a")
    let f = try await store.find("f")
    _ = try await store.list(f.identifier)
    let anchor = try await directory.anchor()
    let follower = Follower(store)

    try cloud.write("22", to: "a")
    _ = try await follower.changes(since: anchor) { $0.last?.item?.size == 2 }
    try cloud.rename("a", to: "f/b")
    let moved = try await follower.changes(since: anchor) {
      $0.last?.item?.parent == f.identifier
    }
    #expect(moved.last?.item?.identifier == a.identifier)
    try cloud.chmod("f/b", 0o600)
    _ = try await follower.changes(since: anchor) { $0.last?.item?.permissions == 0o600 }
    try cloud.remove("f/b")
    _ = try await follower.changes(since: anchor) { $0.last == .deleted(a.identifier) }
  }

  @Test("Nothing in a folder that nobody has listed is news")
  func notListed() async throws {
    try cloud.makeFolder("f")
    let f = try await store.find("f")
    let anchor = try await directory.anchor()
    try cloud.write("x", to: "f/x")
    #expect(try await store.allChanges(since: anchor).isEmpty)
    #expect(try await store.names(f.identifier) == ["x"])
    #expect(try await store.allChanges(since: anchor).isEmpty)
    try cloud.remove("f/x")
    #expect(try await store.allChanges(since: anchor).map(\.summary) == ["deleted"])
  }

  @Test("An edit in place that keeps the size has a new content version")
  func sameSize() async throws {
    try cloud.write("old", to: "a")
    let old = try await store.find("a")
    try cloud.write("new", to: "a")
    let new = try await store.find("a")
    #expect(new.identifier == old.identifier)
    #expect(new.version.content != old.version.content)
    #expect(try await store.text(of: new) == "new")
  }

  @Test("Two items that exchange their names are both moved, and neither is replaced")
  func exchange() async throws {
    try cloud.write("1", to: "a")
    try cloud.write("2", to: "b")
    let (a, b) = (try await store.find("a"), try await store.find("b"))
    let anchor = try await directory.anchor()
    directory.close()
    try cloud.rename("a", to: "t")
    try cloud.rename("b", to: "a")
    try cloud.rename("t", to: "b")
    try directory.open()
    #expect(try await store.find("b").identifier == a.identifier)
    #expect(try await store.find("a").identifier == b.identifier)
    let changes = try await store.allChanges(since: anchor)
    #expect(changes.map(\.summary).sorted() == ["updated a", "updated b"])
  }

  @Test("In a chain of renames, each name is free in the feed before another item takes it")
  func chain() async throws {
    for name in ["a", "b", "c"] { try cloud.write(name, to: name) }
    _ = try await store.list()
    let anchor = try await directory.anchor()
    directory.close()
    try cloud.rename("c", to: "d")
    try cloud.rename("b", to: "c")
    try cloud.rename("a", to: "b")
    try directory.open()
    let changes = try await store.allChanges(since: anchor)
    #expect(changes.map(\.summary) == ["updated d", "updated c", "updated b"])
  }

  @Test("A save that keeps the old file as a backup moves the old item and makes a new one")
  func backup() async throws {
    try cloud.write("old", to: "a")
    let a = try await store.find("a")
    let anchor = try await directory.anchor()
    try cloud.rename("a", to: "a~")
    try cloud.write("new", to: "a")
    let changes = try await store.allChanges(since: anchor)
    #expect(changes.first?.item?.identifier == a.identifier)
    #expect(changes.first?.summary == "updated a~")
    #expect(changes.last?.summary == "updated a")
    #expect(changes.last?.item?.identifier != a.identifier)
  }

  @Test("What moves to a folder that nobody has listed is the same item once that is listed")
  func throughUnlisted() async throws {
    try cloud.makeFolder("hidden")
    try cloud.write("x", to: "a")
    let a = try await store.find("a")
    let hidden = try await store.find("hidden")
    let anchor = try await directory.anchor()
    try cloud.rename("a", to: "hidden/a")
    #expect(try await store.allChanges(since: anchor) == [.deleted(a.identifier)])
    #expect(try await store.find("a", in: hidden.identifier).identifier == a.identifier)
    let changes = try await store.allChanges(since: anchor)
    #expect(changes.map(\.summary) == ["deleted", "updated a"])
  }

  @Test("What was moved out of a deleted folder lives on")
  func rescuedFromFolder() async throws {
    try cloud.makeFolder("f")
    try cloud.write("x", to: "f/x")
    let f = try await store.find("f")
    let x = try await store.find("x", in: f.identifier)
    let anchor = try await directory.anchor()
    directory.close()
    try cloud.rename("f/x", to: "x")
    try cloud.remove("f")
    try directory.open()
    let changes = try await store.allChanges(since: anchor)
    #expect(changes.map(\.summary) == ["updated x", "deleted"])
    #expect(try await store.item(x.identifier, cause: .housekeeping).parent == .root)
  }

  @Test("A folder that was replaced by another is another item, and is not listed as the old one")
  func replacedFolder() async throws {
    try cloud.makeFolder("f")
    try cloud.write("x", to: "f/x")
    let f = try await store.find("f")
    _ = try await store.list(f.identifier)
    let anchor = try await directory.anchor()
    try cloud.rename("f", to: "g")
    try cloud.makeFolder("f")
    try cloud.write("y", to: "f/y")
    #expect(try await store.names(f.identifier) == ["x"])
    let new = try await store.find("f")
    #expect(new.identifier != f.identifier)
    #expect(try await store.names(new.identifier) == ["y"])
    #expect(
      try await store.allChanges(since: anchor).prefix(2).map(\.summary) == [
        "updated g", "updated f",
      ])
  }

  @Test("Events that were lost are made up for by a look at everything")
  func overflow() async throws {
    let limit = try #require(
      Int(
        TemporaryFolder.readSmall("/proc/sys/fs/inotify/max_queued_events").trimmingNewline))
    try #require(limit <= 100_000, "this system queues more events than a test should make")
    for name in ["a", "b", "c"] { try cloud.write("1", to: name) }
    _ = try await store.list()
    let anchor = try await directory.anchor()
    // The observer's handler runs on the store's thread: while it waits, no event is read.
    let (entered, leave) = (Semaphore(), Semaphore())
    let once = Locked(false)
    let observation = store.observeChanges {
      let isFirst = once.withLock { was in
        defer { was = true }
        return !was
      }
      guard isFirst else { return }
      entered.signal()
      leave.wait()
    }
    try cloud.write("22", to: "a")
    entered.wait()
    for number in 0...(limit / 2) {
      try cloud.chmod("b", number % 2 == 0 ? 0o600 : 0o640); try cloud.chmod("c", 0o600)
    }
    try cloud.remove("c")
    leave.signal()
    let changes = try await store.allChanges(since: anchor)
    observation.end()
    #expect(changes.map(\.summary).contains("deleted"))
    #expect(try await store.names() == ["a", "b"])
  }

  @Test("Many files in one folder are listed page by page, and found again")
  func manyFiles() async throws {
    for number in 0..<3000 { try cloud.write("", to: "file \(number)") }
    let first = try await store.list()
    #expect(first.count == 3000)
    #expect(try await store.list() == first)
  }

  @Test("While the cloud's folder is away everything is offline, and nothing is deleted")
  func folderAway() async throws {
    try cloud.write("x", to: "a")
    let a = try await store.find("a")
    let anchor = try await directory.anchor()
    let elsewhere = cloud.path + ".away"
    #expect(rename(cloud.path, elsewhere) == 0)
    #expect(await code { _ = try await store.list() } == .offline)
    #expect(await code { _ = try await store.item(a.identifier, cause: .housekeeping) } == .offline)
    #expect(await code { try await store.rescan() } == .offline)
    #expect(mkdir(cloud.path, 0o700) == 0)
    #expect(await code { _ = try await store.list() } == .offline)
    #expect(rmdir(cloud.path) == 0)
    #expect(rename(elsewhere, cloud.path) == 0)
    try cloud.write("22", to: "a")
    let changes = try await store.allChanges(since: anchor)
    #expect(!changes.contains { if case .deleted = $0 { true } else { false } })
    #expect(changes.last?.item?.size == 2)
    #expect(changes.last?.item?.identifier == a.identifier)
  }
}
