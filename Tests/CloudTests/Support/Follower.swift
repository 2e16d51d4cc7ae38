import Cloud
import Platform

/// Follows the changes of a store by its notices, as a device does.
final class Follower: Sendable {
  private let store: any CloudStore
  private let notices: AsyncStream<Void>
  private let observation: any ChangeObservation

  init(_ store: any CloudStore) {
    self.store = store
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    notices = stream
    observation = store.observeChanges { continuation.yield() }
  }

  /// The changes since an anchor, once they satisfy `isEnough`; waits for notices, never for time.
  func changes(
    since anchor: SyncAnchor, until isEnough: @Sendable ([Change]) -> Bool
  ) async throws -> [Change] {
    var iterator = notices.makeAsyncIterator()
    while true {
      // The notice comes first: asking at once would find the change without it.
      guard await iterator.next() != nil else { throw CancellationError() }
      let changes = try await store.allChanges(since: anchor)
      if isEnough(changes) { return changes }
    }
  }
}

extension CloudStore {
  func allChanges(since anchor: SyncAnchor) async throws -> [Change] {
    var changes: [Change] = []
    var anchor = anchor
    while true {
      let batch = try await self.changes(since: anchor, cause: .housekeeping)
      changes += batch.changes
      anchor = batch.anchor
      if !batch.moreComing { return changes }
    }
  }
}

extension Change {
  /// The change in a few words, for comparison: `updated b.txt`, `deleted`, `replaced a.txt`.
  var summary: String {
    switch self {
    case .updated(let item): "updated \(item.name?.text ?? "/")"
    case .deleted: "deleted"
    case .replaced(_, let item): "replaced \(item.name?.text ?? "/")"
    }
  }

  var item: Item? {
    switch self {
    case .updated(let item), .replaced(_, let item): item
    case .deleted: nil
    }
  }
}
