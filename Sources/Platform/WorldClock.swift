/// A moment on a world's clock: the time since the world began, which survives its restarts.
public struct WorldTime: Hashable, Comparable, Sendable {
  /// Nanoseconds since the beginning of the world.
  public let nanoseconds: Int64

  /// A moment so many nanoseconds after the beginning.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The beginning of the world.
  public static let zero = WorldTime(nanoseconds: 0)

  /// The moment `duration` later.
  public static func + (time: WorldTime, duration: Duration) -> WorldTime {
    WorldTime(nanoseconds: time.nanoseconds + duration.nanoseconds)
  }

  /// The time from `earlier` to `later`.
  public static func - (later: WorldTime, earlier: WorldTime) -> Duration {
    .nanoseconds(later.nanoseconds - earlier.nanoseconds)
  }

  /// Orders by time.
  public static func < (left: WorldTime, right: WorldTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

extension Duration {
  /// The whole duration in nanoseconds; saturates at the range of 64 bits (292 years).
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carry ? (seconds < 0 ? .min : .max) : sum
  }

  /// The whole duration in seconds.
  public var seconds: Double { Double(nanoseconds) / 1e9 }
}

/// A pending action of a clock.
public protocol WorldTimer: Sendable {
  /// Forgets the action, if it has not run yet.
  func cancel()
}

/// The clock by which every delay and time-out of a world runs: the system's, or a manual one.
///
/// Actions run on a thread of the clock (of whoever advances it, if manual) with no lock held; they
/// must be short.
public protocol WorldClock: Sendable {
  /// The present moment.
  var now: WorldTime { get }
  /// Runs `action` once at `deadline`, or as soon as possible when that has passed.
  func schedule(at deadline: WorldTime, _ action: @escaping @Sendable () -> Void) -> any WorldTimer
}

extension WorldClock {
  /// Runs `action` once after `delay`.
  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any WorldTimer {
    schedule(at: now + delay, action)
  }

  /// Suspends the task until `delay` has passed on this clock; a cancelled task wakes at once.
  ///
  /// - Throws: `CancellationError` when the task was cancelled.
  public func sleep(for delay: Duration) async throws(CancellationError) {
    guard delay > .zero else {
      if Task.isCancelled { throw CancellationError() }
      return
    }
    let wait = Wait<Bool>()
    let timer = schedule(after: delay) { wait.finish(true) }
    let finished = await wait.value()
    timer.cancel()
    if finished == nil { throw CancellationError() }
  }
}
