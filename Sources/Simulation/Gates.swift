internal import Glibc
public import Platform

/// The gates of a world: named places where a transfer or call is held until a test lets it go.
///
/// A gate that is closed holds whoever comes to its point and matches its pattern. The wait ends when
/// the gate is opened, when a test fails or cancels it, or when the waiting task is cancelled; time does
/// not pass for a transfer at a gate. A gate that is deadly holds nobody: whoever comes ends the process.
public final class Gates: Sendable {
  /// Is told what a subject met, for its ledger record: a text such as "gate:g1@byte:1000".
  public typealias Recorder = @Sendable (_ fault: String, _ subject: CheckpointSubject) -> Void

  private let state = Locked(GateTable())
  private let clock: any WorldClock
  private let recorder: Recorder
  private let endProcess: @Sendable () -> Void

  /// No gate is closed.
  ///
  /// - Parameters:
  ///   - clock: dates the arrivals.
  ///   - recorder: called on the thread of the one who is held, before the wait.
  ///   - endProcess: what a deadly gate does; nil for SIGKILL to this process.
  public init(
    clock: any WorldClock, recorder: @escaping Recorder = { _, _ in },
    endProcess: (@Sendable () -> Void)? = nil
  ) {
    self.clock = clock
    self.recorder = recorder
    self.endProcess = endProcess ?? { kill(getpid(), SIGKILL) }
  }

  /// Closes a gate and returns its name: the given one, or `gate-1`, `gate-2` and so on.
  ///
  /// - Throws: `GateError` when a gate of that name is closed already.
  @discardableResult
  public func close(
    _ gate: Gate, as name: GateIdentifier? = nil
  ) throws(GateError) -> GateIdentifier {
    precondition(gate.limit ?? 1 > 0, "a gate that holds nobody is no gate")
    return try state.withLock { table throws(GateError) in try table.close(gate, as: name) }
  }

  /// Opens a gate: it is gone, and everybody who waits there goes on.
  public func open(_ identifier: GateIdentifier) throws(GateError) {
    try end(identifier, with: .go, keepClosed: false)
  }

  /// Opens every gate.
  public func openAll() {
    for identifier in list().map(\.identifier) { try? open(identifier) }
  }

  /// Lets the one who waits longest go on; the gate stays closed.
  ///
  /// - Returns: whether somebody waited.
  @discardableResult
  public func releaseOne(_ identifier: GateIdentifier) throws(GateError) -> Bool {
    let first = try state.withLock { table throws(GateError) in try table.takeFirst(identifier) }
    first?.wait.finish(.go)
    return first != nil
  }

  /// Makes everybody who waits there fail with an error.
  ///
  /// - Parameter keepClosed: whether the gate goes on to hold those who come later.
  public func fail(
    _ identifier: GateIdentifier, with error: Errno, keepClosed: Bool = false
  ) throws(GateError) {
    try end(identifier, with: .fail(.failed(error)), keepClosed: keepClosed)
  }

  /// Cancels everybody who waits there.
  ///
  /// - Parameter keepClosed: whether the gate goes on to hold those who come later.
  public func cancel(_ identifier: GateIdentifier, keepClosed: Bool = false) throws(GateError) {
    try end(identifier, with: .fail(.cancelled), keepClosed: keepClosed)
  }

  /// The closed gates in the order of their closing, each with who waits there.
  public func list() -> [GateStatus] { state.withLock { $0.list() } }

  /// Suspends the task until at least `count` subjects wait at a gate; returns at once when they do.
  ///
  /// - Throws: `GateError` when the gate is not closed, is opened meanwhile, or the task is cancelled.
  public func awaitWaiting(_ count: Int = 1, at identifier: GateIdentifier) async throws(GateError)
  {
    let wait = Wait<Bool>()
    let isSatisfied = try state.withLock { table throws(GateError) in
      try table.watch(identifier, count: count, wait)
    }
    if isSatisfied { return }
    switch await wait.value() {
    case true: return
    case false: throw .unknown(identifier)
    case nil:
      state.withLock { $0.unwatch(identifier, wait) }
      throw .cancelled
    }
  }

  /// Waits at every closed gate of this point that `subject` matches.
  ///
  /// - Parameter passed: the gates that the subject has been at already; each holds it once.
  /// - Returns: whether it was held.
  @discardableResult
  func meet(
    _ point: GatePoint, _ subject: CheckpointSubject, passed: inout Set<GateIdentifier>
  ) async throws(CheckpointFailure) -> Bool {
    var wasHeld = false
    while true {
      let arrival = GateTable.Arrival(subject: subject, since: clock.now, wait: Wait())
      let met = state.withLock { $0.arrive(arrival, at: point, except: passed) }
      guard let met else { return wasHeld }
      if met.isDeadly { endProcess() }
      wasHeld = true
      passed.insert(met.identifier)
      recorder("gate:\(met.identifier)@\(point)", subject)
      for watcher in met.satisfied { watcher.finish(true) }
      try await hold(arrival, at: met.identifier)
    }
  }

  /// As above for a point that is reached once.
  @discardableResult
  func meet(
    _ point: GatePoint, _ subject: CheckpointSubject
  ) async throws(CheckpointFailure) -> Bool {
    var passed: Set<GateIdentifier> = []
    return try await meet(point, subject, passed: &passed)
  }

  /// Ends the process if a deadly gate of this point is closed for the subject.
  ///
  /// - Parameter subject: is called only when there is a deadly gate at all.
  public func pass(_ point: GatePoint, _ subject: () -> CheckpointSubject) {
    guard state.withLock({ $0.isDeadly(point) }) else { return }
    let subject = subject()
    if state.withLock({ $0.isDeadly(point, for: subject) }) { endProcess() }
  }

  /// The points at which a transfer of `subject` may be held, without those it has passed.
  func points(
    for subject: CheckpointSubject, except passed: Set<GateIdentifier>
  ) -> [GatePoint] {
    state.withLock { $0.points(for: subject, except: passed) }
  }

  private func hold(
    _ arrival: GateTable.Arrival, at identifier: GateIdentifier
  ) async throws(CheckpointFailure) {
    switch await arrival.wait.value() {
    case .go: return
    case .fail(let failure): throw failure
    case nil:
      state.withLock { $0.leave(identifier, arrival) }
      throw .cancelled
    }
  }

  private func end(
    _ identifier: GateIdentifier, with verdict: GateTable.Verdict, keepClosed: Bool
  ) throws(GateError) {
    let (arrivals, watchers) = try state.withLock { table throws(GateError) in
      try table.empty(identifier, keepClosed: keepClosed)
    }
    for arrival in arrivals { arrival.wait.finish(verdict) }
    for watcher in watchers { watcher.finish(false) }
  }
}
