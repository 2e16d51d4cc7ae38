/// One task's wait for one value, ended by the value or by the task's cancellation.
///
/// At most one task waits; the value may come before it does.
public final class Wait<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case idle
    case waiting(CheckedContinuation<Value?, Never>)
    case finished(Value?)
  }

  private let state = Locked(State.idle)

  /// A wait whose value has not come.
  public init() {}

  /// Gives the value; only the first call counts.
  ///
  /// - Returns: whether this call was the first.
  @discardableResult
  public func finish(_ value: Value) -> Bool { end(with: value) }

  /// The value, or nil when the task was cancelled first.
  public func value() async -> Value? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let early: Value?? = state.withLock { state in
          if case .finished(let value) = state { return .some(value) }
          state = .waiting(continuation)
          return .none
        }
        if let early { continuation.resume(returning: early) }
      }
    } onCancel: {
      end(with: nil)
    }
  }

  @discardableResult
  private func end(with value: Value?) -> Bool {
    let (first, continuation): (Bool, CheckedContinuation<Value?, Never>?) = state.withLock {
      state in
      switch state {
      case .finished: return (false, nil)
      case .idle:
        state = .finished(value)
        return (true, nil)
      case .waiting(let continuation):
        state = .finished(value)
        return (true, continuation)
      }
    }
    continuation?.resume(returning: value)
    return first
  }
}
