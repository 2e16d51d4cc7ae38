import Cloud
import Platform
import Testing

@Suite(.timeLimit(.minutes(15)))
struct MemoryStoreTests {
  private let store = MemoryStore(now: { Timestamp(seconds: 1000) })

  private func template(_ name: String, _ kind: ItemKind = .file) throws -> ItemTemplate {
    ItemTemplate(
      parent: .root, name: try #require(FileName(name)), kind: kind,
      modified: Timestamp(seconds: 5), permissions: 0o640)
  }

  @Test("Two accounts with the same history have the same identifiers, versions and dates")
  func determinism() throws {
    func build() throws -> [Item] {
      let store = MemoryStore(now: { Timestamp(seconds: 7) })
      try store.put("x", at: "a/b/c.txt")
      try store.put("y", at: "a/b/c.txt")
      try store.rename("a/b/c.txt", to: "d.txt")
      return try store.paths.map { path throws(CloudError) in try store.item(at: path) }
    }
    #expect(try build() == build())
  }

  @Test("A created item is what the template says, with checksum and size")
  func create() async throws {
    let item = try await store.create(
      template("a"), content: ArraySource("abc"), cause: .housekeeping)
    #expect(item.size == 3)
    #expect(item.modified == Timestamp(seconds: 5))
    #expect(item.created == Timestamp(seconds: 1000))
    #expect(item.permissions == 0o640)
    #expect(item.checksum == Checksum(of: Array("abc".utf8)))
    #expect(try await store.text(of: item) == "abc")
  }

  @Test("A name can be taken only once in a folder")
  func nameTaken() async throws {
    try store.put("x", at: "a")
    #expect(
      await code {
        _ = try await store.create(try template("a"), content: nil, cause: .housekeeping)
      } == .nameTaken)
    let other = try store.put("y", at: "b")
    let name = try #require(FileName("a"))
    #expect(
      await code {
        _ = try await store.move(
          other.identifier, to: .root, name: name, base: nil, replacing: false,
          cause: .housekeeping)
      } == .nameTaken)
  }

  @Test("A change on a base version that is no longer present is refused and changes nothing")
  func baseVersion() async throws {
    let old = try store.put("one", at: "a")
    let present = try store.put("two", at: "a")
    let name = try #require(FileName("b"))
    let results = [
      await code {
        _ = try await store.modify(
          old.identifier, base: old.version, changes: ItemChanges(),
          content: ArraySource("three"), cause: .housekeeping)
      },
      await code {
        _ = try await store.move(
          old.identifier, to: .root, name: name, base: old.version, replacing: false,
          cause: .housekeeping)
      },
      await code {
        try await store.delete(
          old.identifier, base: old.version, recursively: false, cause: .housekeeping)
      },
    ]
    #expect(results == [.versionGone, .versionGone, .versionGone])
    #expect(try store.item(at: "a") == present)
    let new = try await store.modify(
      old.identifier, base: present.version, changes: ItemChanges(modified: Timestamp(seconds: 9)),
      content: ArraySource("three"), cause: .housekeeping)
    #expect(new.version.content != present.version.content)
    #expect(new.modified == Timestamp(seconds: 9))
    #expect(try store.content(at: "a") == Array("three".utf8))
  }

  @Test("New metadata leave the content version alone")
  func metadata() async throws {
    let old = try store.put("x", at: "a")
    let new = try await store.modify(
      old.identifier, base: old.version, changes: ItemChanges(permissions: 0o400), content: nil,
      cause: .housekeeping)
    #expect(new.version.content == old.version.content)
    #expect(new.version.metadata != old.version.metadata)
    #expect(new.modified == old.modified)
  }

  @Test("A move that replaces deletes what had the name and says so")
  func moveReplacing() async throws {
    let old = try store.put("old", at: "a")
    let moved = try store.put("new", at: "b")
    let anchor = try await store.currentAnchor(cause: .housekeeping)
    let name = try #require(FileName("a"))
    let item = try await store.move(
      moved.identifier, to: .root, name: name, base: moved.version, replacing: true,
      cause: .housekeeping)
    #expect(
      try await store.allChanges(since: anchor) == [.replaced(old: old.identifier, new: item)])
    #expect(store.paths == ["/a"])
    #expect(item.identifier == moved.identifier)
  }

  @Test(
    "A folder is moved neither into itself nor over a folder that is not empty, nor over a file")
  func impossibleMoves() throws {
    try store.put("x", at: "f/g/x")
    try store.put("y", at: "h/y")
    try store.put("z", at: "z")
    #expect(throws: CloudError.self) { try store.rename("f", to: "f/g/f") }
    #expect(throws: CloudError.self) { try store.rename("f", to: "h", replacing: true) }
    #expect(throws: CloudError.self) { try store.rename("f", to: "z", replacing: true) }
    #expect(throws: CloudError.self) { try store.rename("z", to: "h", replacing: true) }
    #expect(store.paths == ["/f", "/f/g", "/f/g/x", "/h", "/h/y", "/z"])
  }

  @Test("A folder that is not empty is deleted only recursively, the root never")
  func deletion() async throws {
    let folder = try store.makeFolder(at: "f")
    try store.put("x", at: "f/x")
    #expect(
      await code {
        try await store.delete(
          folder.identifier, base: nil, recursively: false, cause: .housekeeping)
      } == .notEmpty)
    try await store.delete(folder.identifier, base: nil, recursively: true, cause: .housekeeping)
    #expect(store.paths.isEmpty)
    #expect(
      await code {
        try await store.delete(.root, base: nil, recursively: true, cause: .housekeeping)
      } == .denied)
  }

  @Test("A full account takes nothing more, until there is room again")
  func quota() async throws {
    let store = MemoryStore(quota: 10)
    let a = try store.put("123456", at: "a")
    #expect(throws: CloudError.self) { try store.put("12345", at: "b") }
    let refused = await code {
      _ = try await store.create(
        try template("b"), content: ArraySource("12345"), cause: .housekeeping)
    }
    #expect(refused == .quotaExceeded)
    #expect(try await store.quota(cause: .housekeeping) == Quota(total: 10, used: 6))
    _ = try await store.modify(
      a.identifier, base: nil, changes: ItemChanges(), content: ArraySource("1"),
      cause: .housekeeping)
    try store.put("123456789", at: "b")
    try store.delete(at: "b")
    #expect(try await store.quota(cause: .housekeeping) == Quota(total: 10, used: 1))
  }

  @Test("An upload that ends early is not stored")
  func shortUpload() async throws {
    struct Short: ContentSource {
      let size: Int64 = 10
      func read(at offset: Int64, count: Int) async throws(CloudError) -> ContentBytes {
        offset == 0 ? [1, 2, 3] : []
      }
    }
    let result = await code {
      _ = try await store.create(try template("a"), content: Short(), cause: .housekeeping)
    }
    #expect(result == .corrupt)
    #expect(store.paths.isEmpty)
  }

  @Test("A version that is replaced during its transfer is gone at the next piece")
  func replacedDuringTransfer() async throws {
    let store = MemoryStore(pieceSize: 4)
    let item = try store.put("0123456789", at: "a")
    let sink = CollectingSink { count throws(CloudError) in
      if count == 2 { try store.put("other", at: "a") }
    }
    let result = await code {
      try await store.content(
        of: item.identifier, version: item.version.content, range: .whole(10), to: sink,
        cause: .housekeeping)
    }
    #expect(result == .versionGone)
    #expect(sink.text == "01234567")
  }

  @Test("Paths that cannot be are refused with a reason", arguments: ["a/../b", "..", "x\0y"])
  func badPaths(_ path: String) {
    #expect(throws: CloudError.self) { try store.put("x", at: path) }
    #expect(store.paths.isEmpty)
  }
}
