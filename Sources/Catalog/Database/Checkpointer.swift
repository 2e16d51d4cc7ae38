internal import Platform

/// Copies the write-ahead log into the database file, on a thread of its own.
///
/// That waits for the disk twice, which nobody who lists a folder or publishes content should have to.
/// Writers go on meanwhile; when all is copied and no reader is in the way, the log begins anew.
final class Checkpointer: Sendable {
  private struct State: Sendable {
    var isRunning = false
    var isClosed = false
    /// The length of the log at which the last run began.
    var lastLength: CInt = 0
  }

  private let path: String
  private let state = Locked(State())
  private let connection: Locked<Connection?> = Locked(nil)

  /// A run begins whenever the log has grown by so many pages (8 MiB).
  private static let interval: CInt = 2048

  init(path: String) { self.path = path }

  /// Tells the length of the log after a commit, in pages.
  func logHasGrown(to length: CInt) {
    let mustRun = state.withLock { state in
      if length < state.lastLength { state.lastLength = 0 }
      guard !state.isRunning, !state.isClosed, length >= state.lastLength + Self.interval else {
        return false
      }
      state.lastLength = length
      state.isRunning = true
      return true
    }
    if mustRun { Threads.detach(named: "checkpoint") { [self] in run() } }
  }

  /// Ends a run that is under way, and lets no other begin.
  func close() {
    state.withLock { $0.isClosed = true }
    connection.withLock { $0 = nil }
  }

  private func run() {
    connection.withLock { connection in
      guard !state.withLock({ $0.isClosed }) else { return }
      // A failure leaves the log as it is, which is correct, only longer; the next run tries again.
      if connection == nil { connection = try? Connection(path: path, creating: false) }
      try? connection?.execute(Schema.connectionPragmas)
      _ = try? connection?.checkpoint(truncating: false)
    }
    state.withLock { $0.isRunning = false }
  }
}
