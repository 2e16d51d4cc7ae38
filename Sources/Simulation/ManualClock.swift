public import Platform

/// A clock that stands still until somebody advances it.
///
/// Actions run in the order of their deadlines, then of their scheduling, on the thread that advances,
/// with no lock held; an action that is scheduled meanwhile and falls into the advance runs in it too.
/// While an action runs, `now` is its deadline. What is scheduled for a moment that has passed runs at
/// once, on the thread that schedules it.
public final class ManualClock: WorldClock {
  private struct Pending: Sendable {
    let deadline: WorldTime
    let serial: UInt64
    let action: @Sendable () -> Void
  }

  private struct Watcher: Sendable {
    let isSatisfied: @Sendable (borrowing State) -> Bool
    let wait: Wait<Bool>
  }

  private struct State: Sendable {
    var now: WorldTime
    // Ascending by deadline, then by serial.
    var pending: [Pending] = []
    var nextSerial: UInt64 = 0
    var watchers: [Watcher] = []

    mutating func takeSatisfied() -> [Watcher] {
      guard !watchers.isEmpty else { return [] }
      let satisfied = watchers.filter { $0.isSatisfied(self) }
      let rest = watchers.filter { !$0.isSatisfied(self) }
      watchers = rest
      return satisfied
    }
  }

  private let state: Locked<State>

  /// A clock that shows `start`.
  public init(startingAt start: WorldTime = .zero) { state = Locked(State(now: start)) }

  /// What the clock shows.
  public var now: WorldTime { state.withLock { $0.now } }

  /// The moment at which the next action runs; nil when there is none.
  public var nextDeadline: WorldTime? { state.withLock { $0.pending.first?.deadline } }

  /// How many actions wait for their moment.
  public var pendingCount: Int { state.withLock { $0.pending.count } }

  /// Runs `action` when the clock is advanced to `deadline`.
  public func schedule(
    at deadline: WorldTime, _ action: @escaping @Sendable () -> Void
  ) -> any WorldTimer {
    let (serial, isDue, satisfied): (UInt64, Bool, [Watcher]) = state.withLock { state in
      let serial = state.nextSerial
      state.nextSerial += 1
      guard deadline > state.now else { return (serial, true, []) }
      let place = state.pending.firstIndex { $0.deadline > deadline } ?? state.pending.count
      state.pending.insert(Pending(deadline: deadline, serial: serial, action: action), at: place)
      return (serial, false, state.takeSatisfied())
    }
    if isDue { action() }
    for watcher in satisfied { watcher.wait.finish(true) }
    return Timer(clock: self, serial: serial)
  }

  /// Lets `duration` pass, which must not be negative.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "time does not run backwards")
    advance(to: now + duration)
  }

  /// Lets the time up to `moment` pass; does nothing when that has passed.
  public func advance(to moment: WorldTime) {
    while let action = nextAction(until: moment) { action() }
    for watcher in state.withLock({ $0.takeSatisfied() }) { watcher.wait.finish(true) }
  }

  /// Advances to the next deadline.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  public func advanceToNextDeadline() -> Bool {
    guard let deadline = nextDeadline else { return false }
    advance(to: deadline)
    return true
  }

  /// Suspends the task until at least `count` actions wait, so that a test need not guess whether the
  /// task under test has come to its delay; returns at once when they do.
  ///
  /// - Throws: `CancellationError` when the task was cancelled.
  public func waitForPending(_ count: Int = 1) async throws(CancellationError) {
    try await wait { $0.pending.count >= count }
  }

  /// Suspends the task until the next action is due at `moment`; returns at once when it is.
  ///
  /// - Throws: `CancellationError` when the task was cancelled.
  public func waitForNextDeadline(_ moment: WorldTime) async throws(CancellationError) {
    try await wait { $0.pending.first?.deadline == moment }
  }

  private func wait(
    until isSatisfied: @escaping @Sendable (borrowing State) -> Bool
  ) async throws(CancellationError) {
    let wait = Wait<Bool>()
    let isDone = state.withLock { state in
      if isSatisfied(state) { return true }
      state.watchers.append(Watcher(isSatisfied: isSatisfied, wait: wait))
      return false
    }
    if isDone { return }
    if await wait.value() != nil { return }
    state.withLock { $0.watchers.removeAll { $0.wait === wait } }
    throw CancellationError()
  }

  private func nextAction(until moment: WorldTime) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard let first = state.pending.first, first.deadline <= moment else {
        state.now = max(state.now, moment)
        return nil
      }
      state.now = max(state.now, first.deadline)
      state.pending.removeFirst()
      return first.action
    }
  }

  private struct Timer: WorldTimer {
    let clock: ManualClock
    let serial: UInt64
    func cancel() {
      let satisfied = clock.state.withLock { state in
        state.pending.removeAll { $0.serial == serial }
        return state.takeSatisfied()
      }
      for watcher in satisfied { watcher.wait.finish(true) }
    }
  }
}
