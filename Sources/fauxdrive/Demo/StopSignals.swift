import Glibc

/// The signals that ask a program to stop, kept back until it can, so that it can tidy up first.
struct StopSignals: Sendable {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP]
  private let set: sigset_t

  /// Keeps the signals back from now on, and also the news that a child has ended.
  init() {
    var set = sigset_t()
    sigemptyset(&set)
    for number in Self.numbers + [SIGCHLD] { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    self.set = set
  }

  /// Waits for one of the signals at most so long; returns a signal to stop, and nil for all else.
  func wait(_ time: Duration) -> CInt? {
    var set = set
    let (seconds, attoseconds) = time.components
    var limit = timespec(
      tv_sec: max(0, Int(seconds)), tv_nsec: max(0, Int(attoseconds / 1_000_000_000)))
    let number = sigtimedwait(&set, nil, &limit)
    return Self.numbers.contains(number) ? number : nil
  }

  /// Ends this process as the signal would have done.
  func end(by number: CInt) -> Never {
    signal(number, SIG_DFL)
    var set = set
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
    exit(1)
  }
}
