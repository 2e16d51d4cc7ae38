internal import CFuse
internal import Platform

/// A held reply that an interrupt can end.
protocol Interruptible: AnyObject, Sendable {
  func interrupt()
}

/// Finds the held reply that an interrupt is for.
///
/// libfuse calls an interrupt function with a pointer that it read earlier, so the reply may have
/// been sent and its memory freed meanwhile. Hence the pointer is only a number, looked up here; a
/// number that is gone means that the answer was quicker.
final class Interrupts: Sendable {
  private struct Held: Sendable {
    weak let slot: (any Interruptible)?
  }

  private struct State: Sendable {
    var lastToken: UInt64 = 0
    var held: [UInt64: Held] = [:]
  }

  private let state = Locked(State())

  /// What libfuse calls.
  static let function: fuse_interrupt_func_t = { request, token in
    guard let request, let token else { return }
    let core = Unmanaged<SessionCore>.fromOpaque(fuse_req_userdata(request))
    core._withUnsafeGuaranteedRef { $0.interrupts.fire(UInt64(UInt(bitPattern: token))) }
  }

  /// A number that was never used before.
  func makeToken() -> UInt64 {
    state.withLock { state in
      state.lastToken += 1
      return state.lastToken
    }
  }

  func register(_ slot: any Interruptible, token: UInt64) {
    state.withLock { $0.held[token] = Held(slot: slot) }
  }

  func remove(_ token: UInt64) {
    _ = state.withLock { $0.held.removeValue(forKey: token) }
  }

  /// Interrupts everything that is held, as if every caller had got a signal.
  func fireAll() {
    let held = state.withLock { state in
      defer { state.held = [:] }
      return Array(state.held.values)
    }
    for one in held { one.slot?.interrupt() }
  }

  private func fire(_ token: UInt64) {
    let held = state.withLock { $0.held.removeValue(forKey: token) }
    held?.slot?.interrupt()
  }
}
