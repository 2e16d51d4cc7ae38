import Cloud
import Glibc
import Platform
import Testing

/// Files that are not plain ones.
@Suite(.timeLimit(.minutes(15)))
struct DirectoryOddFilesTests {
  private let directory: TestDirectory
  private var cloud: TemporaryFolder { directory.cloud }
  private var store: DirectoryStore { directory.store }

  init() throws { directory = try TestDirectory() }

  @Test("Named pipes and sockets are not listed")
  func special() async throws {
    try cloud.makePipe("pipe")
    try cloud.write("x", to: "a")
    #expect(try await store.names() == ["a"])
  }

  @Test("A file that a named pipe replaces is deleted")
  func pipeInPlace() async throws {
    try cloud.write("x", to: "a")
    let a = try await store.find("a")
    let anchor = try await directory.anchor()
    try cloud.makePipe("p")
    try cloud.rename("p", to: "a")
    #expect(try await store.allChanges(since: anchor) == [.deleted(a.identifier)])
    #expect(await code { _ = try await store.text(of: a) } == .notFound)
  }

  @Test(
    "A symbolic link is listed with its target as it is, and its content is that",
    arguments: ["/", "missing", "../../etc/passwd", "loop"])
  func symlinks(_ target: String) async throws {
    try cloud.symlink("loop", to: target)
    let link = try await store.find("loop")
    #expect(link.kind == .symlink)
    #expect(link.target == Array(target.utf8))
    #expect(try await store.text(of: link) == target)
    #expect(await code { _ = try await store.list(link.identifier) } == .failed)
  }

  @Test("A name that is not UTF-8 keeps its bytes")
  func bytes() async throws {
    let bytes: [UInt8] = [0xff, 0xfe, UInt8(ascii: "x")]
    let path = Array(cloud.path.utf8) + [UInt8(ascii: "/")] + bytes + [0]
    let number = path.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { open($0, O_CREAT | O_WRONLY, 0o600) } ?? -1
    }
    try #require(number >= 0)
    close(number)
    let item = try #require(try await store.list().first)
    #expect(item.name?.bytes == bytes)
    #expect(try await store.text(of: item) == "")
    directory.close()
    try directory.open()
    #expect(try await store.item(item.identifier, cause: .housekeeping) == item)
  }

  @Test("Two names of one file are two items, and keep their identities")
  func hardLinks() async throws {
    try cloud.write("x", to: "a")
    try cloud.link("a", to: "b")
    let (a, b) = (try await store.find("a"), try await store.find("b"))
    #expect(a.identifier != b.identifier)
    try cloud.rename("b", to: "c")
    #expect(try await store.find("c").identifier == b.identifier)
    #expect(try await store.find("a").identifier == a.identifier)
    try cloud.remove("a")
    #expect(try await store.list().map(\.identifier) == [b.identifier])
  }

  @Test("An edit through one name of a file is told for the other one too")
  func editOfHardLink() async throws {
    try cloud.makeFolder("f")
    try cloud.write("x", to: "a")
    try cloud.link("a", to: "f/b")
    let f = try await store.find("f")
    let b = try await store.find("b", in: f.identifier)
    let anchor = try await directory.anchor()
    try cloud.write("longer", to: "a")
    let changes = try await store.allChanges(since: anchor)
    let told = changes.compactMap(\.item).last { $0.identifier == b.identifier }
    #expect(told?.size == 6)
    #expect(told?.name?.text == "b")
  }

  @Test("A new file with the inode number of a deleted one is another item")
  func reusedInode() async throws {
    try cloud.write("x", to: "a")
    let old = try await store.find("a")
    let inode = try cloud.status("a").st_ino
    try cloud.remove("a")
    // Some file systems give the number away at once, others never do; both must work.
    try cloud.write("y", to: "b")
    let isReused = try cloud.status("b").st_ino == inode
    let new = try await store.find("b")
    #expect(new.identifier != old.identifier, "the inode number was reused: \(isReused)")
  }

  @Test(
    "What may not be read is listed, and refused when it is read",
    .enabled(if: geteuid() != 0, "root may read everything"))
  func unreadable() async throws {
    try cloud.write("x", to: "a")
    try cloud.makeFolder("f")
    try cloud.write("y", to: "f/y")
    let f = try await store.find("f")
    _ = try await store.list(f.identifier)
    let anchor = try await directory.anchor()
    try cloud.chmod("a", 0)
    try cloud.chmod("f", 0)
    let a = try await store.find("a")
    #expect(await code { _ = try await store.text(of: a) } == .denied)
    #expect(await code { _ = try await store.list(f.identifier) } == .denied)
    try await store.rescan()
    let changes = try await store.allChanges(since: anchor)
    #expect(changes.map(\.summary) == ["updated a", "updated f"])
  }

  @Test("The quota is the file system's room")
  func quota() async throws {
    let quota = try await store.quota(cause: .housekeeping)
    let total = try #require(quota.total)
    #expect(quota.used > 0 && quota.used <= total)
  }
}
