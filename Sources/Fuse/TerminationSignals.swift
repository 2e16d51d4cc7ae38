internal import Glibc
internal import Platform

/// Turns SIGTERM, SIGINT and SIGHUP into a call, so that a server can stop properly.
///
/// Create it first thing in `main`, before any other thread: it blocks the signals in the calling
/// thread, and threads inherit that; a thread that does not would be ended by the signal. It lasts for
/// the life of the process. Programs that are started must unblock the signals (posix_spawn with
/// POSIX_SPAWN_SETSIGMASK).
public struct TerminationSignals: Sendable {
  /// The signals that ask a server to stop.
  public static let standard: [CInt] = [SIGTERM, SIGINT, SIGHUP]

  private let signals: [CInt]

  /// Blocks the signals from now on.
  public init(_ signals: [CInt] = standard) {
    self.signals = signals
    var set = Self.set(of: signals)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Calls `action` for each signal, on a thread of its own; there it may block, as `stop` does.
  public func handle(_ action: @escaping @Sendable (CInt) -> Void) {
    let signals = signals
    Threads.detach(named: "signals") {
      var set = Self.set(of: signals)
      while true {
        var signal: CInt = 0
        if sigwait(&set, &signal) == 0 { action(signal) }
      }
    }
  }

  private static func set(of signals: [CInt]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
