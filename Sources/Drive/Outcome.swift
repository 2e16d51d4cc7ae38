public import Platform

/// The answer to an operation: at once, or later.
///
/// What is ready is answered on the thread that asked. Only waiting makes a ticket, and a ticket
/// occupies no thread.
public enum Outcome<Value: Sendable>: Sendable {
  /// The value.
  case ready(Value)
  /// The operation failed.
  case failed(Errno)
  /// The answer comes through the ticket.
  case pending(Ticket<Value>)

  /// The same outcome with another value; `transform` runs when the value is there.
  func map<Other: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Result<Other, Errno>
  ) -> Outcome<Other> {
    switch self {
    case .failed(let error): return .failed(error)
    case .pending(let ticket): return .pending(ticket.map(transform))
    case .ready(let value):
      switch transform(value) {
      case .success(let other): return .ready(other)
      case .failure(let error): return .failed(error)
      }
    }
  }

  /// Calls `observer` with the result, now or later.
  func whenFinished(_ observer: @escaping @Sendable (Result<Value, Errno>) -> Void) {
    switch self {
    case .ready(let value): observer(.success(value))
    case .failed(let error): observer(.failure(error))
    case .pending(let ticket): ticket.whenFinished(observer)
    }
  }
}
