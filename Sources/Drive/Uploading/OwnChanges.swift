import Cloud
import Platform

/// What this device has brought to the cloud by itself: the feed tells it too, later, and then it is no
/// news and must not bring an older state back.
final class OwnChanges: Sendable {
  /// A name in a folder of the cloud.
  struct Place: Hashable, Sendable {
    let folder: ItemIdentifier
    let name: FileName
  }

  private struct Version: Sendable {
    let version: ItemVersion
    let isMade: Bool
  }

  private struct State: Sendable {
    /// Items that are being made in the cloud and have no identifier here yet.
    var creating: [Place: Int] = [:]
    /// Versions that this device has made, or has built upon.
    var versions: [ItemIdentifier: [Version]] = [:]
    var order: [ItemIdentifier] = []
    var waiting: [Ticket<Void>] = []
    var isStopped = false
  }

  private let state = Locked(State())

  /// The feed's echoes come soon, so that the latest are enough.
  private static let maximumItems = 4096
  private static let maximumVersions = 16

  /// An item is about to be made in the cloud.
  func beginCreating(_ place: Place) { state.withLock { $0.creating[place, default: 0] += 1 } }

  /// It was made, and the catalog knows its identifier; or it was not made.
  func endCreating(_ place: Place) {
    let waiting = state.withLock { state in
      let rest = (state.creating[place] ?? 1) - 1
      state.creating[place] = rest > 0 ? rest : nil
      defer { state.waiting = [] }
      return state.waiting
    }
    for ticket in waiting { ticket.finish(.success(())) }
  }

  /// This device has made the version, or has built upon it.
  func note(_ version: ItemVersion, of item: ItemIdentifier, isMade: Bool) {
    state.withLock { state in
      if state.versions[item] == nil {
        state.order.append(item)
        if state.order.count > Self.maximumItems {
          state.versions[state.order.removeFirst()] = nil
        }
      }
      state.versions[item, default: []].append(Version(version: version, isMade: isMade))
      if state.versions[item]?.count ?? 0 > Self.maximumVersions {
        state.versions[item]?.removeFirst()
      }
    }
  }

  /// Whether this device has made the version.
  func hasMade(_ version: ItemVersion, of item: ItemIdentifier) -> Bool {
    state.withLock { state in
      state.versions[item]?.contains { $0.isMade && $0.version == version } ?? false
    }
  }

  /// The changes without those that tell nothing new.
  ///
  /// What is told of an item before its last change counts for nothing, so when that one is no news, neither
  /// are those before: they may be of a process before this one, and older than what the device has.
  func news(in changes: [Change]) -> [Change] {
    state.withLock { state in
      guard !state.versions.isEmpty else { return changes }
      var settled: Set<ItemIdentifier> = []
      var decided: Set<ItemIdentifier> = []
      for case .updated(let item) in changes.reversed()
      where decided.insert(item.identifier).inserted {
        let isOwn = state.versions[item.identifier]?.contains { $0.version == item.version }
        if isOwn == true { settled.insert(item.identifier) }
      }
      return changes.filter { change in
        guard case .updated(let item) = change else { return true }
        return !settled.contains(item.identifier)
      }
    }
  }

  /// Whether one of the changes may be the making of an item that this device is about to learn the
  /// identifier of; ends when it has.
  func unsettled(_ changes: [Change], isKnown: (ItemIdentifier) -> Bool) -> Ticket<Void>? {
    let places = changes.compactMap { change -> (Place, ItemIdentifier)? in
      guard case .updated(let item) = change, let name = item.name else { return nil }
      return (Place(folder: item.parent, name: name), item.identifier)
    }
    let candidates = state.withLock { state in
      state.creating.isEmpty ? [] : places.filter { state.creating[$0.0] != nil }
    }
    guard let first = candidates.first(where: { !isKnown($0.1) }) else { return nil }
    let ticket = Ticket<Void>()
    let isOver = state.withLock { state in
      guard state.creating[first.0] != nil, !state.isStopped else { return true }
      state.waiting.append(ticket)
      return false
    }
    if isOver { ticket.finish(.success(())) }
    return ticket
  }

  func stop() {
    let waiting = state.withLock { state in
      state.isStopped = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for ticket in waiting { ticket.finish(.success(())) }
  }
}
