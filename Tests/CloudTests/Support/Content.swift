import Cloud
import Platform

/// Keeps what arrives, and may act after each piece.
final class CollectingSink: ContentSink {
  struct State: Sendable {
    var bytes: [UInt8] = []
    var pieces: [ByteRange] = []
  }

  private let state = Locked(State())
  private let action: @Sendable (Int) async throws(CloudError) -> Void

  init(_ action: @escaping @Sendable (Int) async throws(CloudError) -> Void = { _ in }) {
    self.action = action
  }

  var bytes: [UInt8] { state.withLock { $0.bytes } }
  var text: String { String(decoding: bytes, as: UTF8.self) }
  var pieces: [ByteRange] { state.withLock { $0.pieces } }

  func receive(_ bytes: ContentBytes, at offset: Int64) async throws(CloudError) {
    let count = state.withLock { state in
      state.bytes += bytes
      state.pieces.append(ByteRange(offset: offset, count: Int64(bytes.count)))
      return state.pieces.count
    }
    try await action(count)
  }
}

struct ArraySource: ContentSource {
  let bytes: [UInt8]
  init(_ text: String) { bytes = Array(text.utf8) }

  var size: Int64 { Int64(bytes.count) }

  func read(at offset: Int64, count: Int) async throws(CloudError) -> ContentBytes {
    bytes[Int(offset)...].prefix(count)
  }
}

extension CloudStore {
  func text(of item: Item) async throws -> String {
    let sink = CollectingSink()
    try await content(
      of: item.identifier, version: item.version.content, range: .whole(item.size), to: sink,
      cause: .housekeeping)
    return sink.text
  }

  /// All items of a folder, page by page, in the order of their names.
  func list(_ folder: ItemIdentifier = .root) async throws -> [Item] {
    var items: [Item] = []
    var page: EnumerationPage?
    repeat {
      let found = try await enumerate(folder, page: page, cause: .housekeeping)
      items += found.items
      page = found.next
    } while page != nil
    return items.sorted { ($0.name?.bytes ?? []).lexicographicallyPrecedes($1.name?.bytes ?? []) }
  }

  func names(_ folder: ItemIdentifier = .root) async throws -> [String] {
    try await list(folder).compactMap { $0.name?.text }
  }

  func find(_ name: String, in folder: ItemIdentifier = .root) async throws -> Item {
    guard let item = try await list(folder).first(where: { $0.name?.text == name }) else {
      throw CloudError(.notFound, "\(name) is not listed")
    }
    return item
  }
}

/// The code of the failure of a call; nil when it succeeds.
func code(of body: () async throws -> Void) async -> CloudError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? CloudError)?.code
  }
}
