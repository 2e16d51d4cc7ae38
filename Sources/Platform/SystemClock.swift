import Glibc

/// The system's clock: real time since the world began.
///
/// One thread of its own sleeps until the next deadline and runs what is due.
public final class SystemClock: WorldClock {
  private struct Pending: Sendable {
    let deadline: WorldTime
    let serial: UInt64
    let action: @Sendable () -> Void
  }

  private struct State: Sendable {
    // Ascending by deadline, then by serial; timers are few, so an ordered array is enough.
    var pending: [Pending] = []
    var nextSerial: UInt64 = 0
    var isRunning = false
  }

  private let state = Locked(State())
  private let wake = Signal()
  private let origin: Int64

  /// A clock that shows `start` now.
  public init(startingAt start: WorldTime = .zero) {
    origin = Self.monotonicNanoseconds() - start.nanoseconds
  }

  /// Real time since the world began.
  public var now: WorldTime { WorldTime(nanoseconds: Self.monotonicNanoseconds() - origin) }

  /// Runs `action` on the clock's thread at `deadline`.
  public func schedule(
    at deadline: WorldTime, _ action: @escaping @Sendable () -> Void
  ) -> any WorldTimer {
    let (serial, isFirst, mustStart) = state.withLock { state in
      let serial = state.nextSerial
      state.nextSerial += 1
      let place = state.pending.firstIndex { $0.deadline > deadline } ?? state.pending.count
      state.pending.insert(Pending(deadline: deadline, serial: serial, action: action), at: place)
      let mustStart = !state.isRunning
      state.isRunning = true
      return (serial, place == 0, mustStart)
    }
    if mustStart { Threads.detach(named: "clock") { [self] in run() } }
    if isFirst { wake.notify() }
    return Timer(clock: self, serial: serial)
  }

  private struct Timer: WorldTimer {
    let clock: SystemClock
    let serial: UInt64
    func cancel() { clock.state.withLock { $0.pending.removeAll { $0.serial == serial } } }
  }

  private func run() {
    while true {
      let (due, next): ([Pending], WorldTime?) = state.withLock { state in
        let now = now
        let due = Array(state.pending.prefix { $0.deadline <= now })
        state.pending.removeFirst(due.count)
        return (due, state.pending.first?.deadline)
      }
      for pending in due { pending.action() }
      guard due.isEmpty else { continue }
      wake.wait(untilMonotonic: next.map { $0.nanoseconds + origin })
    }
  }

  private static func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
