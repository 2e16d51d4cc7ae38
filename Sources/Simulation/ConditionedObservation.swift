internal import Cloud
internal import Platform

/// Passes notices of changes on, or keeps one until the network is back.
final class ConditionedObservation: ChangeObservation {
  private struct State: Sendable {
    var isPending = false
    var isEnded = false
    var inner: (any ChangeObservation)?
  }

  private let state: Locked<State>
  private let conditions: Conditions
  private let online: UInt64

  init(
    _ store: any CloudStore, _ conditions: Conditions, _ handler: @escaping @Sendable () -> Void
  ) {
    let state = Locked(State())
    self.state = state
    self.conditions = conditions
    online = conditions.whenOnline {
      let isDue = state.withLock { state in
        defer { state.isPending = false }
        return state.isPending && !state.isEnded
      }
      if isDue { handler() }
    }
    let inner = store.observeChanges {
      // Marked first, then looked: going online in between takes the mark, and one of both calls.
      state.withLock { $0.isPending = true }
      guard conditions.settings.isOnline else { return }
      let isDue = state.withLock { state in
        defer { state.isPending = false }
        return state.isPending && !state.isEnded
      }
      if isDue { handler() }
    }
    state.withLock { $0.inner = inner }
  }

  deinit { end() }

  func end() {
    let inner = state.withLock { state in
      state.isEnded = true
      defer { state.inner = nil }
      return state.inner
    }
    inner?.end()
    conditions.removeHandler(online)
  }
}
