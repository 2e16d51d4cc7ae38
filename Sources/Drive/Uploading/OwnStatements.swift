import Cloud
import Platform

/// What this device has brought to the cloud while a folder was being listed: the pages may be older.
///
/// Without it a new item would go from the folder until the feed tells of it, and what was just deleted
/// would come back.
final class OwnStatements: Sendable {
  private enum Statement: Sendable {
    case has(Item)
    case lost(ItemIdentifier)
  }

  private struct State: Sendable {
    var listings = 0
    var log: [Statement] = []
  }

  private let state = Locked(State())

  /// A listing begins; what is noted from now on counts for it.
  ///
  /// - Returns: what `amended` and `end` want.
  func beginListing() -> Int {
    state.withLock { state in
      state.listings += 1
      return state.log.count
    }
  }

  /// The listing was applied, or has failed.
  func endListing() {
    state.withLock { state in
      state.listings -= 1
      if state.listings == 0 { state.log = [] }
    }
  }

  /// The cloud has the item as this device has sent it.
  func note(_ item: Item) { note(.has(item)) }

  /// The cloud has the item no more, since this device has deleted it.
  func noteDeleted(_ item: ItemIdentifier) { note(.lost(item)) }

  private func note(_ statement: Statement) {
    state.withLock { state in
      if state.listings > 0 { state.log.append(statement) }
    }
  }

  /// The pages of a folder, with what was noted since the listing began.
  func amended(_ items: [Item], of folder: ItemIdentifier, since start: Int) -> [Item] {
    let log = state.withLock { $0.log[start...] }
    guard !log.isEmpty else { return items }
    var latest: [ItemIdentifier: Item?] = [:]
    for statement in log {
      switch statement {
      case .has(let item): latest[item.identifier] = .some(item)
      case .lost(let item): latest[item] = .some(nil)
      }
    }
    return items.filter { latest[$0.identifier] == nil }
      + latest.values.compactMap { $0 }.filter { $0.parent == folder }
  }
}
