import Cloud
import Platform
import Testing

/// What every store promises to a reader, tried on each.
@Suite(.timeLimit(.minutes(15)))
struct CloudContractTests {
  @Test(
    "The root is a folder without a name, and its own parent", arguments: TestAccount.Kind.allCases)
  func root(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    let root = try await account.store.item(.root, cause: .housekeeping)
    #expect(root.identifier == .root)
    #expect(root.parent == .root)
    #expect(root.name == nil)
    #expect(root.kind == .folder)
  }

  @Test(
    "A folder lists files, folders and links with what they are",
    arguments: TestAccount.Kind.allCases)
  func listing(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    try account.write("hello", to: "a.txt")
    try account.makeFolder("b")
    try account.symlink("c", to: "/nowhere/at all")
    let items = try await account.store.list()
    #expect(items.map(\.name?.text) == ["a.txt", "b", "c"])
    #expect(items.map(\.kind) == [.file, .folder, .symlink])
    #expect(items.map(\.size) == [5, 0, 15])
    #expect(items[2].target == Array("/nowhere/at all".utf8))
    #expect(items.allSatisfy { $0.parent == .root })
    #expect(Set(items.map(\.identifier)).count == 3)
    for item in items {
      #expect(try await account.store.item(item.identifier, cause: .housekeeping) == item)
    }
  }

  @Test("Pages hold every item exactly once", arguments: TestAccount.Kind.allCases)
  func paging(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind, pageSize: 7)
    let names = (10..<45).map { "file \($0)" }
    for name in names.shuffled() { try account.write("", to: name) }
    #expect(try await account.store.names() == names)
    let page = try await account.store.enumerate(.root, page: nil, cause: .housekeeping)
    #expect(page.items.count == 7)
  }

  @Test(
    "An item that is renamed during an enumeration is still listed once",
    arguments: TestAccount.Kind.allCases)
  func pagingWhileRenaming(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind, pageSize: 2)
    for name in ["a", "b", "c", "d"] { try account.write("", to: name) }
    let first = try await account.store.enumerate(.root, page: nil, cause: .housekeeping)
    let listed = try #require(first.items.first?.name?.text)
    try account.rename(listed, to: "zz")
    let second = try await account.store.enumerate(.root, page: first.next, cause: .housekeeping)
    let identifiers = (first.items + second.items).map(\.identifier)
    #expect(identifiers.count == 4)
    #expect(Set(identifiers).count == 4)
    #expect(second.next == nil)
  }

  @Test("Content comes whole, and by ranges", arguments: TestAccount.Kind.allCases)
  func content(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    try account.write("0123456789", to: "digits")
    let item = try await account.store.find("digits")
    #expect(try await account.store.text(of: item) == "0123456789")
    let ranges = [
      (ByteRange(offset: 3, count: 4), "3456"), (ByteRange(offset: 9, count: 1), "9"),
      (ByteRange(offset: 5, count: 0), ""), (ByteRange(offset: 8, count: 100), "89"),
    ]
    for (range, text) in ranges {
      let sink = CollectingSink()
      try await account.store.content(
        of: item.identifier, version: item.version.content, range: range, to: sink,
        cause: .housekeeping)
      #expect(sink.text == text)
    }
  }

  @Test("Content of a version that was replaced is gone", arguments: TestAccount.Kind.allCases)
  func versionGone(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    try account.write("old", to: "a")
    let old = try await account.store.find("a")
    try account.write("new content", to: "a")
    #expect(await code { _ = try await account.store.text(of: old) } == .versionGone)
    let new = try await account.store.find("a")
    #expect(new.identifier == old.identifier)
    #expect(try await account.store.text(of: new) == "new content")
  }

  @Test(
    "A rename or other permissions change the metadata version only",
    arguments: TestAccount.Kind.allCases)
  func metadataVersion(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    try account.write("text", to: "a")
    let first = try await account.store.find("a")
    try account.rename("a", to: "b")
    let second = try await account.store.find("b")
    try account.chmod("b", 0o600)
    let third = try await account.store.find("b")
    #expect(second.identifier == first.identifier)
    #expect(Set([first, second, third].map(\.version.content)).count == 1)
    #expect(Set([first, second, third].map(\.version.metadata)).count == 3)
    #expect(third.permissions == 0o600)
  }

  @Test(
    "The feed tells what changed since an anchor, in order", arguments: TestAccount.Kind.allCases)
  func feed(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    try account.write("1", to: "a")
    try account.makeFolder("folder")
    let a = try await account.store.find("a")
    let folder = try await account.store.find("folder")
    _ = try await account.store.list(folder.identifier)
    let anchor = try await account.store.currentAnchor(cause: .housekeeping)
    #expect(try await account.store.allChanges(since: anchor).isEmpty)

    try account.write("22", to: "a")
    #expect(try await account.store.allChanges(since: anchor).last?.item?.size == 2)
    try account.rename("a", to: "folder/b")
    let moved = try #require(try await account.store.allChanges(since: anchor).last?.item)
    #expect(moved.identifier == a.identifier)
    #expect(moved.parent == folder.identifier)
    #expect(moved.name?.text == "b")
    try account.remove("folder/b")
    let changes = try await account.store.allChanges(since: anchor)
    #expect(changes.last == .deleted(a.identifier))
    #expect(
      await code { _ = try await account.store.item(a.identifier, cause: .housekeeping) }
        == .notFound)
  }

  @Test(
    "A file that is renamed over another replaces it under that name",
    arguments: TestAccount.Kind.allCases)
  func replacement(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    try account.write("old", to: "a")
    let old = try await account.store.find("a")
    let anchor = try await account.store.currentAnchor(cause: .housekeeping)
    try account.replace("a", with: "new")
    let change = try #require(try await account.store.allChanges(since: anchor).last)
    let new = try await account.store.find("a")
    #expect(new.identifier != old.identifier)
    #expect(change == .replaced(old: old.identifier, new: new))
    #expect(await code { _ = try await account.store.text(of: old) } == .notFound)
  }

  @Test(
    "A deleted folder takes everything in it along, in one change",
    arguments: TestAccount.Kind.allCases)
  func deletedFolder(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    try account.makeFolder("f")
    try account.write("x", to: "f/x")
    let folder = try await account.store.find("f")
    let inner = try await account.store.find("x", in: folder.identifier)
    let anchor = try await account.store.currentAnchor(cause: .housekeeping)
    try account.remove("f")
    let changes = try await account.store.allChanges(since: anchor)
    #expect(changes.last == .deleted(folder.identifier))
    for identifier in [folder.identifier, inner.identifier] {
      #expect(
        await code { _ = try await account.store.item(identifier, cause: .housekeeping) }
          == .notFound)
    }
    #expect(await code { _ = try await account.store.list(folder.identifier) } == .notFound)
  }

  @Test(
    "A moved folder keeps its identifier and those of what lies in it",
    arguments: TestAccount.Kind.allCases)
  func movedFolder(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    try account.makeFolder("f")
    try account.write("x", to: "f/x")
    let folder = try await account.store.find("f")
    let inner = try await account.store.find("x", in: folder.identifier)
    try account.rename("f", to: "g")
    #expect(try await account.store.find("g").identifier == folder.identifier)
    #expect(try await account.store.item(inner.identifier, cause: .housekeeping) == inner)
    #expect(try await account.store.text(of: inner) == "x")
  }

  @Test(
    "Batches of changes are bounded and tell that more is coming",
    arguments: TestAccount.Kind.allCases)
  func batches(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind, pageSize: 3)
    _ = try await account.store.list()
    let anchor = try await account.store.currentAnchor(cause: .housekeeping)
    for number in 0..<8 {
      try account.makeFolder("\(number)")
      _ = try await account.store.list()
    }
    let batch = try await account.store.changes(since: anchor, cause: .housekeeping)
    #expect(batch.changes.count == 3)
    #expect(batch.moreComing)
    let all = try await account.store.allChanges(since: anchor)
    #expect(all.map(\.summary) == (0..<8).map { "updated \($0)" })
  }

  @Test(
    "An anchor that is too old, or another store's, has expired",
    arguments: TestAccount.Kind.allCases)
  func expiredAnchor(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind, historyLimit: 4)
    _ = try await account.store.list()
    let anchor = try await account.store.currentAnchor(cause: .housekeeping)
    for number in 0..<4 {
      try account.makeFolder("\(number)")
      _ = try await account.store.list()
    }
    #expect(try await account.store.allChanges(since: anchor).count == 4)
    try account.makeFolder("one more")
    _ = try await account.store.list()
    #expect(await code { _ = try await account.store.allChanges(since: anchor) } == .anchorExpired)
    let foreign = SyncAnchor(rawValue: "nonsense")
    #expect(await code { _ = try await account.store.allChanges(since: foreign) } == .anchorExpired)
  }

  @Test("An identifier that was never given is not found", arguments: TestAccount.Kind.allCases)
  func unknown(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    let store = account.store
    defer { withExtendedLifetime(account) {} }
    for text in ["", "x", "i99999", "99-99"] {
      let identifier = ItemIdentifier(rawValue: text)
      #expect(
        await code { _ = try await store.item(identifier, cause: .housekeeping) } == .notFound)
      #expect(await code { _ = try await store.list(identifier) } == .notFound)
    }
  }

  @Test("A sink that throws ends the transfer with its error", arguments: TestAccount.Kind.allCases)
  func throwingSink(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    try account.write("text", to: "a")
    let item = try await account.store.find("a")
    let sink = CollectingSink { _ throws(CloudError) in
      throw CloudError(.throttled(retryAfter: .seconds(1)), "stop")
    }
    let result = await code {
      try await account.store.content(
        of: item.identifier, version: item.version.content, range: .whole(4), to: sink,
        cause: .housekeeping)
    }
    #expect(result == .throttled(retryAfter: .seconds(1)))
  }

  @Test("A cancelled task's call ends as cancelled", arguments: TestAccount.Kind.allCases)
  func cancellation(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    try account.write(String(repeating: "x", count: 3 << 20), to: "a")
    let item = try await account.store.find("a")
    let sink = CollectingSink { _ in withUnsafeCurrentTask { $0?.cancel() } }
    let task = Task {
      await code {
        try await account.store.content(
          of: item.identifier, version: item.version.content, range: .whole(item.size), to: sink,
          cause: .housekeeping)
      }
    }
    #expect(await task.value == .cancelled)
    #expect(sink.pieces.count == 1)
  }

  @Test(
    "An observer hears of a change until its observation ends", arguments: TestAccount.Kind.allCases
  )
  func observing(_ kind: TestAccount.Kind) async throws {
    let account = try TestAccount(kind)
    _ = try await account.store.list()
    let anchor = try await account.store.currentAnchor(cause: .housekeeping)
    let heard = Locked(0)
    let ended = account.store.observeChanges { heard.withLock { $0 += 1 } }
    ended.end()
    let follower = Follower(account.store)
    try account.write("x", to: "a")
    let changes = try await follower.changes(since: anchor) { $0.last?.item?.size == 1 }
    #expect(changes.last?.summary == "updated a")
    #expect(heard.withLock { $0 } == 0)
  }
}
