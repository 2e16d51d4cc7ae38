internal import Platform

/// The observers of one store.
///
/// Handlers are called in the order of their registration, on the thread that notifies, with no lock
/// held. An observation that ends while a notification runs on another thread may still see that one
/// call finish.
final class ChangeObservers: Sendable {
  private struct State: Sendable {
    var handlers: [UInt64: @Sendable () -> Void] = [:]
    var nextNumber: UInt64 = 1
  }

  private let state = Locked(State())

  func add(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
    let number = state.withLock { state in
      let number = state.nextNumber
      state.nextNumber += 1
      state.handlers[number] = handler
      return number
    }
    return Observation(observers: self, number: number)
  }

  func notify() {
    for number in state.withLock({ $0.handlers.keys.sorted() }) {
      // Asked again for each: one handler may end another's observation.
      state.withLock { $0.handlers[number] }?()
    }
  }

  private func remove(_ number: UInt64) {
    _ = state.withLock { $0.handlers.removeValue(forKey: number) }
  }

  private final class Observation: ChangeObservation {
    let observers: ChangeObservers
    let number: UInt64

    init(observers: ChangeObservers, number: UInt64) {
      self.observers = observers
      self.number = number
    }

    deinit { end() }

    func end() { observers.remove(number) }
  }
}
