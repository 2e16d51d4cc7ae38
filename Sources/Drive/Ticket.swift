public import Platform

/// A promise of one answer: finished once, by its value, an error, or the caller's interrupt.
///
/// Observers run on the thread that finishes the ticket, with no lock held.
public final class Ticket<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var result: Result<Value, Errno>?
    var observers: [@Sendable (Result<Value, Errno>) -> Void] = []
    var onCancel: (@Sendable () -> Void)?
  }

  private let state = Locked(State())

  init() {}

  /// Ends the wait from the caller's side; the result is EINTR unless one came before.
  public func cancel() {
    let onCancel = state.withLock { $0.result == nil ? $0.onCancel : nil }
    // What this one waits for first: whoever keeps a record of it has done so before the caller goes on.
    onCancel?()
    finish(.failure(.interrupted))
  }

  /// Calls `observer` with the result; at once if it is already there.
  public func whenFinished(_ observer: @escaping @Sendable (Result<Value, Errno>) -> Void) {
    let early: Result<Value, Errno>? = state.withLock { state in
      if state.result == nil { state.observers.append(observer) }
      return state.result
    }
    if let early { observer(early) }
  }

  /// What shall happen when the caller gives up before the result is there.
  func whenCancelled(_ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.onCancel = action }
  }

  /// Gives the result; only the first one counts.
  ///
  /// - Returns: whether this was the first.
  @discardableResult
  func finish(_ result: Result<Value, Errno>) -> Bool {
    let (isFirst, observers): (Bool, [@Sendable (Result<Value, Errno>) -> Void]) =
      state.withLock { state in
        guard state.result == nil else { return (false, []) }
        state.result = result
        defer {
          state.observers = []
          state.onCancel = nil
        }
        return (true, state.observers)
      }
    for observer in observers { observer(result) }
    return isFirst
  }

  /// A ticket for what `transform` makes of this one's value; giving it up gives this one up.
  func map<Other: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Result<Other, Errno>
  ) -> Ticket<Other> {
    let other = Ticket<Other>()
    other.whenCancelled { [self] in cancel() }
    whenFinished { result in other.finish(result.flatMap(transform)) }
    return other
  }

  /// The result, awaited by a task; a cancelled task gives the ticket up.
  func value() async throws(Errno) -> Value {
    let wait = Wait<Result<Value, Errno>>()
    whenFinished { wait.finish($0) }
    guard let result = await wait.value() else {
      cancel()
      throw .interrupted
    }
    return try result.get()
  }
}
