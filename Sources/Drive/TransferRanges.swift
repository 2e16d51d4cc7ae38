import Catalog
import Cloud
import Platform
import Profiles

/// Which bytes of a version come next, and who can go on with what has come.
extension Materializer {
  /// The granularity of what `partial` asks for, in bytes: one request of the kernel.
  private static let block: Int64 = 128 << 10
  /// How far ahead of a stream a wanted range may lie before the stream turns to it, in bytes.
  private static let patienceAhead: Int64 = 4 << 20
  /// How often a running transfer notes down what is here, in bytes.
  private static let saveEvery: Int64 = 8 << 20

  /// The next range to fetch; nil when there is nothing more to do.
  ///
  /// The first call of a transfer always asks for something, if only for an empty document, so that a
  /// cloud that cannot be reached is noticed.
  func nextRange(for key: ContentKey, isFirst: Bool) -> ByteRange? {
    state.withLock { state in
      guard let flight = state.flights[key] else { return nil }
      let whole = ByteRange.whole(flight.size)
      if whole.isEmpty { return isFirst ? whole : nil }
      let missing = flight.ranges.missing(in: whole)
      if missing.isEmpty { return nil }
      let wanted = firstWanted(flight)
      switch settings.representation.materialization {
      case .partial where flight.callClass == .read: return wanted
      case .full, .alwaysFull: return missing[0]
      case .partial, .progressive:
        guard let wanted else { return missing[0] }
        // From what is wanted to the end of that gap, so that a reader that goes on finds more.
        return missing.first { $0.end > wanted.offset }.map {
          ByteRange(from: max($0.offset, wanted.offset), to: $0.end)
        }
      }
    }
  }

  /// Whether the whole version is here.
  func isWhole(_ key: ContentKey) -> Bool {
    state.withLock { state in
      guard let flight = state.flights[key] else { return false }
      return flight.ranges.contains(.whole(flight.size))
    }
  }

  /// Notes bytes that are in the content file now.
  func arrived(_ range: ByteRange, of key: ContentKey) {
    let now = clock.now
    typealias Observers = [@Sendable (Int64) -> Void]
    let (ready, save, observers, count): ([Ticket<Void>], RangeSet?, Observers, Int64) =
      state.withLock { state in
        guard var flight = state.flights[key] else { return ([], nil, [], 0) }
        let before = flight.ranges.byteCount
        flight.ranges.insert(range)
        flight.lastProgress = now
        state.flights[key] = flight
        let after = flight.ranges.byteCount
        let isMark = before / Self.saveEvery != after / Self.saveEvery
        let observers = state.observers.values.filter { $0.inode == key.inode }.map(\.call)
        return (satisfied(flight), isMark ? flight.ranges : nil, observers, after)
      }
    for observer in observers { observer(count) }
    for ticket in ready { ticket.finish(.success(())) }
    if let save { _ = try? catalog.saveRanges(save, of: key.inode, contentSerial: key.serial) }
  }

  /// Whether somebody waits for bytes that the running stream does not bring soon.
  func isWantedElsewhere(_ key: ContentKey, streaming rest: ByteRange) -> Bool {
    guard settings.representation.materialization == .progressive,
      cloud.capabilities.contains(.ranges)
    else { return false }
    return state.withLock { state in
      guard let flight = state.flights[key], let wanted = firstWanted(flight) else { return false }
      return !rest.contains(wanted) || wanted.offset - rest.offset > Self.patienceAhead
    }
  }

  /// Forgets what has arrived.
  func dropRanges(of key: ContentKey) {
    state.withLock { $0.flights[key]?.ranges = RangeSet() }
    _ = try? catalog.saveRanges(RangeSet(), of: key.inode, contentSerial: key.serial)
  }

  private func satisfied(_ flight: Flight) -> [Ticket<Void>] {
    guard settings.representation.materialization.handsOutEarly else { return [] }
    return flight.waiters.values.compactMap { waiter in
      guard let range = waiter.need.range, flight.ranges.contains(range) else { return nil }
      return waiter.ticket
    }
  }

  /// What the longest waiting caller lacks, in whole blocks.
  private func firstWanted(_ flight: Flight) -> ByteRange? {
    let inOrder = flight.waiters.sorted { $0.key < $1.key }
    for (_, waiter) in inOrder {
      let need = waiter.need.range ?? .whole(flight.size)
      guard !need.isEmpty else { continue }
      let start = need.offset / Self.block * Self.block
      let end = min((need.end + Self.block - 1) / Self.block * Self.block, flight.size)
      let gaps = flight.ranges.missing(in: ByteRange(from: start, to: max(start, end)))
      if let gap = gaps.first { return gap }
    }
    return nil
  }
}

extension MaterializationPolicy {
  /// Whether a caller gets its bytes before the whole content is verified.
  var handsOutEarly: Bool { self == .partial || self == .progressive }
}
