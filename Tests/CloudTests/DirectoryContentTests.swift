import Cloud
import Glibc
import Platform
import Testing

/// Reading files that change meanwhile.
@Suite(.timeLimit(.minutes(15)))
struct DirectoryContentTests {
  private let directory: TestDirectory
  private var cloud: TemporaryFolder { directory.cloud }
  private var store: DirectoryStore { directory.store }
  private static let size = 3 << 20

  init() throws { directory = try TestDirectory() }

  private func read(_ item: Item, _ sink: CollectingSink) async -> CloudError.Code? {
    await code {
      try await store.content(
        of: item.identifier, version: item.version.content, range: .whole(item.size), to: sink,
        cause: .housekeeping)
    }
  }

  @Test("A large file comes in pieces of 1 MiB")
  func pieces() async throws {
    try cloud.write(String(repeating: "a", count: Self.size + 1), to: "a")
    let item = try await store.find("a")
    let sink = CollectingSink()
    #expect(await read(item, sink) == nil)
    #expect(sink.pieces.map(\.count) == [1 << 20, 1 << 20, 1 << 20, 1])
    #expect(sink.bytes == [UInt8](repeating: UInt8(ascii: "a"), count: Self.size + 1))
  }

  @Test(
    "A file that changes while it is read is gone, and nothing of the new version gets out",
    arguments: ["edit", "truncate", "append"])
  func changeWhileReading(_ how: String) async throws {
    try cloud.write(String(repeating: "a", count: Self.size), to: "a")
    let item = try await store.find("a")
    let anchor = try await directory.anchor()
    let cloud = cloud
    let sink = CollectingSink { count throws(CloudError) in
      guard count == 1 else { return }
      do {
        switch how {
        case "edit": try cloud.write(String(repeating: "b", count: Self.size), to: "a")
        case "truncate": truncate(cloud.at("a"), 10)
        default: truncate(cloud.at("a"), off_t(Self.size + 10))
        }
      } catch { throw CloudError(.failed, "\(error)") }
    }
    #expect(await read(item, sink) == .versionGone)
    #expect(sink.bytes == [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20))
    let changes = try await store.allChanges(since: anchor)
    #expect(changes.last?.item?.identifier == item.identifier)
    #expect(changes.last?.item?.version.content != item.version.content)
  }

  @Test(
    "A file that is renamed, replaced or removed while it is read is read to its end",
    arguments: ["rename", "replace", "remove", "chmod"])
  func moveWhileReading(_ how: String) async throws {
    try cloud.write(String(repeating: "a", count: Self.size), to: "a")
    let item = try await store.find("a")
    let cloud = cloud
    let sink = CollectingSink { count throws(CloudError) in
      guard count == 1 else { return }
      do {
        switch how {
        case "rename": try cloud.rename("a", to: "b")
        case "replace": try cloud.replace("a", with: "b")
        case "chmod": try cloud.chmod("a", 0o400)
        default: try cloud.remove("a")
        }
      } catch { throw CloudError(.failed, "\(error)") }
    }
    #expect(await read(item, sink) == nil)
    #expect(sink.bytes.count == Self.size)
  }

  @Test("A change without a close is told to whoever asks for the old version")
  func unannouncedChange() async throws {
    try cloud.write("old", to: "a")
    let item = try await store.find("a")
    let anchor = try await directory.anchor()
    let file = try FileDescriptor.open(cloud.at("a"), O_WRONLY)
    #expect(pwrite(file.rawValue, "newer", 5, 0) == 5)
    #expect(await code { _ = try await store.text(of: item) } == .versionGone)
    #expect(try await store.allChanges(since: anchor).map(\.summary) == ["updated a"])
    _ = file.rawValue
  }
}
