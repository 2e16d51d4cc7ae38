import Platform

/// How fast uploads begin: while programs change documents they have the disk and the processors, and of what
/// is to be uploaded one item after the other begins, with pauses. All else begins when it is quiet.
///
/// In real time, whatever the world's clock says, since it is about the real machine.
final class UploadPace: Sendable {
  private struct State: Sendable {
    var lastChange: WorldTime?
    /// Before that the next upload does not begin while it is not quiet.
    var next = WorldTime.zero
    var hasTimer = false
  }

  /// One for all drives, since it has a thread that stays.
  private static let clock = SystemClock()
  private let state = Locked(State())

  /// It is quiet when programs have changed nothing for so long.
  private static let quiet = Duration.milliseconds(50)
  private static let pause = Duration.milliseconds(25)

  func programsChangeSomething() {
    let now = Self.clock.now
    state.withLock { $0.lastChange = now }
  }

  /// Whether an upload may begin now; if not, `later` is called when one may.
  func mayBegin(_ later: @escaping @Sendable () -> Void) -> Bool {
    let now = Self.clock.now
    let (may, timer) = state.withLock { state -> (Bool, WorldTime?) in
      guard let last = state.lastChange, now - last < Self.quiet else { return (true, nil) }
      guard now < state.next else {
        state.next = now + Self.pause
        return (true, nil)
      }
      defer { state.hasTimer = true }
      return (false, state.hasTimer ? nil : state.next)
    }
    guard let timer else { return may }
    _ = Self.clock.schedule(at: timer) { [weak self] in
      self?.state.withLock { $0.hasTimer = false }
      later()
    }
    return may
  }
}
