import Platform
import Profiles

/// Copies that a mere check has brought, until somebody opens them or they are evicted again.
///
/// It is what a provider's "stop providing" does to an item that nobody coordinates
/// (Apple, `NSFileProviderExtension.stopProvidingItem(at:)`).
/// - Fidelity: Apple's system decides by pressure and presenters; here a time decides.
final class Claims: Sendable {
  private struct State: Sendable {
    var timers: [InodeNumber: any WorldTimer] = [:]
    var isStopped = false
  }

  private let clock: any WorldClock
  private let state = Locked(State())

  init(clock: any WorldClock) { self.clock = clock }

  /// Begins the time in which the item must be opened.
  func expect(
    _ inode: InodeNumber, within time: Duration, _ unclaimed: @escaping @Sendable () -> Void
  ) {
    let timer = clock.schedule(after: time) { [weak self] in
      guard let self, state.withLock({ $0.timers.removeValue(forKey: inode) }) != nil else {
        return
      }
      unclaimed()
    }
    let replaced = state.withLock { state in
      let old = state.timers.updateValue(timer, forKey: inode)
      return state.isStopped ? timer : old
    }
    replaced?.cancel()
  }

  /// Somebody opened it: it stays.
  func claim(_ inode: InodeNumber) {
    state.withLock { $0.timers.removeValue(forKey: inode) }?.cancel()
  }

  func stop() {
    let timers = state.withLock { state in
      state.isStopped = true
      defer { state.timers = [:] }
      return Array(state.timers.values)
    }
    for timer in timers { timer.cancel() }
  }
}

extension Drive {
  /// Content has come: if a check has caused it, it must be claimed by an open.
  func expectClaim(_ inode: InodeNumber, broughtBy callClass: CallClass) {
    guard let time = settings.representation.claimFor,
      callClass == .stat || callClass == .access || callClass == .lookup
    else { return }
    claims.expect(inode, within: time) { [weak self] in
      try? self?.evict(inode, .unclaimed, caller: nil, done: {})
    }
  }
}
