import Platform

/// Answers under way that the kernel may keep until it is told otherwise.
///
/// What such an answer says may be out of date before the kernel has it. Told of the change before that,
/// the kernel would keep the old answer for ever. So it is told when every answer that was begun before
/// the change has been given.
///
/// INVARIANT: `waiting` is in the order in which things were told, and at most one thread tells.
final class Answers: Sendable {
  private struct State: Sendable {
    /// The latest time: it grows when something is told.
    var now: UInt64 = 0
    /// How many answers of each time are under way, oldest first; never more than threads that answer.
    var underWay: [(time: UInt64, count: Int)] = []
    var waiting: [(time: UInt64, action: @Sendable () -> Void)] = []
    var isTelling = false

    /// The first in line, if the answers that were begun before it have been given.
    mutating func next() -> (@Sendable () -> Void)? {
      guard let first = waiting.first, underWay.first.map({ $0.time > first.time }) ?? true else {
        isTelling = false
        return nil
      }
      return waiting.removeFirst().action
    }
  }

  private let state = Locked(State())

  /// Begins an answer: everything that it says is read after this call.
  func begin() -> UInt64 {
    state.withLock { state in
      if let last = state.underWay.indices.last, state.underWay[last].time == state.now {
        state.underWay[last].count += 1
      } else {
        state.underWay.append((state.now, 1))
      }
      return state.now
    }
  }

  /// The answer that was begun at `time` has been given.
  func end(_ time: UInt64) {
    let mustTell = state.withLock { state in
      guard let index = state.underWay.firstIndex(where: { $0.time == time }) else { return false }
      state.underWay[index].count -= 1
      if state.underWay[index].count == 0 { state.underWay.remove(at: index) }
      return Self.claim(&state)
    }
    if mustTell { tellAll() }
  }

  /// Runs `action`, now or as soon as the answers that are under way have been given. It must not block.
  func afterThose(_ action: @escaping @Sendable () -> Void) {
    let mustTell = state.withLock { state in
      state.waiting.append((state.now, action))
      state.now += 1
      return Self.claim(&state)
    }
    if mustTell { tellAll() }
  }

  private static func claim(_ state: inout State) -> Bool {
    guard !state.isTelling, !state.waiting.isEmpty else { return false }
    state.isTelling = true
    return true
  }

  private func tellAll() {
    while let action = state.withLock({ $0.next() }) { action() }
  }
}

extension Drive {
  /// Begins an answer that the kernel may keep: everything that it says is read after this call.
  public func beginAnswer() -> UInt64 { answers.begin() }

  /// The answer that was begun at `time` has been given.
  public func endAnswer(_ time: UInt64) { answers.end(time) }
}
