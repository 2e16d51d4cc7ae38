internal import Cloud
internal import Platform

/// Delays one call by the latency, or the pieces of one transfer by the bandwidth.
///
/// Each piece has a moment at which it has arrived, counted from the one before it and not from when
/// somebody looked, so a manual clock that jumps brings everything that falls into the jump.
final class Pacer: Sendable {
  private let conditions: Conditions
  private let clock: any WorldClock
  private let direction: Conditions.Direction
  // When what was sent so far has arrived.
  private let arrival: Locked<WorldTime>

  init(_ conditions: Conditions, _ clock: any WorldClock, _ direction: Conditions.Direction) {
    self.conditions = conditions
    self.clock = clock
    self.direction = direction
    arrival = Locked(clock.now)
  }

  /// Waits for the latency of one call, from the call's beginning.
  func latency() async throws(CloudError) {
    let start = arrival.withLock { $0 }
    while true {
      let settings = conditions.settings
      try Self.check(settings)
      let moment = start + settings.latency
      if moment <= clock.now { break }
      if try await conditions.wait(until: moment, under: settings, clock: clock) == .elapsed {
        break
      }
    }
    try conditions.checkOnline()
    arrival.withLock { $0 = max($0, start + conditions.settings.latency) }
  }

  /// How many bytes shall go at once: a tenth of a second's worth.
  func pieceSize() -> Int64 {
    guard let rate = rate(of: conditions.settings) else { return .max }
    return min(max(rate / 10, 1024), 1 << 20)
  }

  /// Waits until `count` more bytes have arrived.
  func transfer(_ count: Int64) async throws(CloudError) {
    var left = Double(count)
    while true {
      let settings = conditions.settings
      try Self.check(settings)
      guard let rate = rate(of: settings) else {
        arrival.withLock { $0 = max($0, clock.now) }
        return
      }
      let start = arrival.withLock { $0 }
      let moment = rate > 0 ? start + .seconds(left / Double(rate)) : nil
      if let moment, moment <= clock.now {
        arrival.withLock { $0 = moment }
        return
      }
      _ = try await conditions.wait(until: moment, under: settings, clock: clock)
      guard conditions.settings != settings else { continue }
      // Another rate holds from now on: what has come so far has come at the old one.
      let now = max(clock.now, start)
      left = max(0, left - Double(rate) * (now - start).seconds)
      arrival.withLock { $0 = now }
    }
  }

  /// Nothing moved until now: the transfer stood at a gate.
  func resume() { arrival.withLock { $0 = max($0, clock.now) } }

  private func rate(of settings: Conditions.Settings) -> Int64? {
    switch direction {
    case .down: settings.downloadRate
    case .up: settings.uploadRate
    }
  }

  private static func check(_ settings: Conditions.Settings) throws(CloudError) {
    guard settings.isOnline else { throw CloudError(.offline, "There is no network.") }
    if Task.isCancelled { throw CloudError(.cancelled, "The task that asked was cancelled.") }
  }
}
