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

  @Test("What needs an exchange is refused before anything is done, where there is none")
  func noExchange() async throws {
    let directory = try TestDirectory()
    let (cloud, store) = (directory.cloud, directory.store)
    try cloud.write("old", to: "a")
    try cloud.write("b", to: "b")
    let before = try await store.list()
    directory.script.set([.init(step: .probing) { .invalid }])
    let codes = [
      await code {
        _ = try await store.modify(
          before[0].identifier, base: nil, changes: ItemChanges(), content: ArraySource("new"),
          cause: .housekeeping)
      },
      await code {
        _ = try await store.move(
          before[0].identifier, to: .root, name: #require(FileName("b")), base: nil,
          replacing: true, cause: .housekeeping)
      },
    ]
    #expect(codes == [.unsupported, .unsupported])
    #expect(directory.script.steps == [.probing, .staged])
    #expect(try await store.list() == before)
    #expect(try directory.staged().isEmpty)
  }

  @Test(
    "A disk that is full while the exchange is tried out is no lasting lack",
    arguments: [ENOSPC, EIO])
  func exchangeTriedAgain(_ error: CInt) async throws {
    let directory = try TestDirectory()
    let store = directory.store
    try directory.cloud.write("old", to: "a")
    let a = try await store.find("a")
    func change() async throws -> Item {
      try await store.modify(
        a.identifier, base: a.version, changes: ItemChanges(), content: ArraySource("new"),
        cause: .housekeeping)
    }
    directory.script.set([.init(step: .probing) { Errno(rawValue: error) }])
    await #expect(throws: CloudError.self) { try await change() }
    directory.script.set([])
    #expect(try await store.text(of: change()) == "new")
    #expect(try directory.staged().isEmpty)
  }

  @Test("What must be given back is given back without the flags of renameat2 as well")
  func givingBackWithoutFlags() async throws {
    let directory = try TestDirectory()
    let (cloud, store) = (directory.cloud, directory.store)
    try cloud.write("old", to: "a")
    try cloud.makeFolder("f")
    try cloud.write("x", to: "f/x")
    for item in try await store.list() {
      let name = try #require(item.name?.text)
      directory.script.set([
        .init(step: .renaming) {
          try? cloud.rename(name, to: name + "2")
          if name == "a" {
            try? cloud.write("other", to: name)
          } else {
            try? cloud.makeFolder(name)
            try? cloud.write("y", to: name + "/y")
          }
          return nil
        },
        .init(step: .givingBack) { .invalid },
      ])
      let found = await code {
        try await store.delete(
          item.identifier, base: item.version, recursively: true, cause: .housekeeping)
      }
      #expect(found == .versionGone)
      #expect(directory.script.rest == 0)
    }
    #expect(try cloud.names(".") == ["a", "a2", "f", "f2"])
    #expect(try cloud.text("a") == "other")
    #expect(try cloud.names("f") == ["y"])
    #expect(try directory.staged().isEmpty)
  }

  @Test("What cannot be given back at all is kept, and given back when the store is opened again")
  func keptUntilOpening() async throws {
    let directory = try TestDirectory()
    let (cloud, store) = (directory.cloud, directory.store)
    try cloud.write("old", to: "a")
    let a = try await store.find("a")
    directory.script.set(
      [
        .init(step: .renaming) {
          try? cloud.replace("a", with: "X")
          return nil
        }
      ] + (0..<1000).map { _ in .init(step: .givingBack) { .noSpace } })
    let error = await #expect(throws: CloudError.self) {
      try await store.delete(
        a.identifier, base: a.version, recursively: false, cause: .housekeeping)
    }
    #expect(error?.message.contains("could not be given back and lies in") == true)
    #expect(try directory.staged().count == 1)
    directory.script.set([])
    directory.close()
    try directory.open()
    #expect(try cloud.names(".") == ["a"])
    #expect(try cloud.text("a") == "X")
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
