import Cloud
import Glibc
import Platform
import Testing

/// Writes that the system refuses.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct DirectoryWritingFailureTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let error: CInt
    let step: WritingStep
    let code: CloudError.Code
    var testDescription: String { "\(Errno(rawValue: error).name) at \(step)" }
  }

  static let cases: [Case] =
    [
      (ENOSPC, .quotaExceeded), (EDQUOT, .quotaExceeded), (EACCES, .denied), (EROFS, .denied),
      (EPERM, .denied), (ENAMETOOLONG, .denied), (EIO, CloudError.Code.failed),
    ].flatMap { error, code in
      [WritingStep.writing, .staged, .renaming].map { Case(error: error, step: $0, code: code) }
    } + [
      Case(error: EXDEV, step: .renaming, code: .unsupported),
      Case(error: EBUSY, step: .renaming, code: .denied),
    ]

  @Test("A write that the system refuses fails with a reason and leaves nothing", arguments: cases)
  func refused(_ failure: Case) async throws {
    let directory = try TestDirectory()
    let (cloud, store) = (directory.cloud, directory.store)
    try cloud.write("old", to: "a")
    try cloud.write("b", to: "b")
    try cloud.makeFolder("f")
    try cloud.write("x", to: "f/x")
    let before = try await store.list()
    let a = try #require(before.first)
    let f = try #require(before.last)
    let anchor = try await directory.anchor()
    let name = try #require(FileName("n"))
    let template = ItemTemplate(parent: .root, name: name, kind: .file, modified: .now)
    let writes: [@Sendable () async throws -> Void] = [
      { _ = try await store.create(template, content: ArraySource("new"), cause: .housekeeping) },
      {
        _ = try await store.modify(
          a.identifier, base: a.version, changes: ItemChanges(), content: ArraySource("new"),
          cause: .housekeeping)
      },
      {
        _ = try await store.move(
          a.identifier, to: .root, name: name, base: a.version, replacing: false,
          cause: .housekeeping)
      },
      {
        _ = try await store.move(
          a.identifier, to: .root, name: #require(FileName("b")), base: a.version, replacing: true,
          cause: .housekeeping)
      },
      {
        try await store.delete(
          a.identifier, base: a.version, recursively: false, cause: .housekeeping)
      },
      {
        try await store.delete(
          f.identifier, base: f.version, recursively: true, cause: .housekeeping)
      },
    ]
    // A move and a delete write no content.
    for write in failure.step == .writing ? Array(writes.prefix(2)) : writes {
      directory.script.set([
        .init(step: failure.step) { Errno(rawValue: failure.error) }
      ])
      #expect(await code(of: write) == failure.code)
      #expect(directory.script.rest == 0)
      #expect(try directory.staged().isEmpty)
    }
    #expect(try await store.list() == before)
    #expect(try cloud.text("a") == "old")
    #expect(try await store.allChanges(since: anchor).isEmpty)
  }

  @Test(
    "Without the flags of renameat2 a file is created by a link, and nothing else is written",
    arguments: [EINVAL, ENOSYS])
  func noFlags(_ error: CInt) async throws {
    let directory = try TestDirectory()
    let store = directory.store
    func lacking() { directory.script.set([.init(step: .renaming) { Errno(rawValue: error) }]) }
    let name = try #require(FileName("a"))
    lacking()
    let a = try await store.create(
      ItemTemplate(parent: .root, name: name, kind: .file, modified: .now),
      content: ArraySource("old"), cause: .housekeeping)
    #expect(try await store.item(a.identifier, cause: .housekeeping) == a)
    #expect(try directory.cloud.status("a").st_nlink == 1)
    lacking()
    let taken = await code {
      _ = try await store.create(
        ItemTemplate(parent: .root, name: name, kind: .file, modified: .now), content: nil,
        cause: .housekeeping)
    }
    #expect(taken == .nameTaken)
    lacking()
    let error = await #expect(throws: CloudError.self) {
      _ = try await store.modify(
        a.identifier, base: a.version, changes: ItemChanges(), content: ArraySource("new"),
        cause: .housekeeping)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("keep the cloud's folder on ext4") == true)
    #expect(try await store.text(of: a) == "old")
    #expect(try directory.staged().isEmpty)
  }

  @Test(
    "A folder that may not be written to refuses every write with denied",
    .enabled(if: geteuid() != 0, "root may write everywhere"))
  func readOnlyFolder() async throws {
    let directory = try TestDirectory()
    let (cloud, store) = (directory.cloud, directory.store)
    try cloud.write("old", to: "a")
    let a = try await store.find("a")
    try cloud.chmod(".", 0o500)
    defer { try? cloud.chmod(".", 0o700) }
    let found = await code {
      _ = try await store.modify(
        a.identifier, base: a.version, changes: ItemChanges(), content: ArraySource("new"),
        cause: .housekeeping)
    }
    #expect(found == .denied)
    #expect(try directory.staged().isEmpty)
  }

  @Test("While the cloud's folder is away every write is offline, also one that was begun before")
  func folderAway() async throws {
    let directory = try TestDirectory()
    let (cloud, store) = (directory.cloud, directory.store)
    try cloud.write("old", to: "a")
    let a = try await store.find("a")
    let away = cloud.path + ".away"
    directory.script.set([
      .init(step: .staged) {
        rename(cloud.path, away)
        return nil
      }
    ])
    for _ in 0..<2 {
      let found = await code {
        _ = try await store.modify(
          a.identifier, base: a.version, changes: ItemChanges(), content: ArraySource("new"),
          cause: .housekeeping)
      }
      #expect(found == .offline)
    }
    let deleted = await code {
      try await store.delete(
        a.identifier, base: a.version, recursively: false, cause: .housekeeping)
    }
    #expect(deleted == .offline)
    #expect(rename(away, cloud.path) == 0)
    #expect(try directory.staged().isEmpty)
    #expect(try await store.item(a.identifier, cause: .housekeeping) == a)
  }

  @Test("A closed store refuses writes and leaves nothing")
  func closed() async throws {
    let directory = try TestDirectory()
    let store = directory.store
    let name = try #require(FileName("a"))
    directory.script.set([
      .init(step: .staged) {
        store.close()
        return nil
      }
    ])
    let found = await code {
      _ = try await store.create(
        ItemTemplate(parent: .root, name: name, kind: .file, modified: .now),
        content: ArraySource("new"), cause: .housekeeping)
    }
    #expect(found == .failed)
    #expect(try directory.cloud.names(".").isEmpty)
    #expect(try directory.staged().isEmpty)
  }
}
