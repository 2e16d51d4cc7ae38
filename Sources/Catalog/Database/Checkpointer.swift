internal import Platform

/// Copies the write-ahead log into the database file, on a thread of its own.
///
/// That waits for the disk twice, which nobody who lists a folder or publishes content should have to.
/// Writers go on meanwhile; when all is copied and no reader is in the way, the log begins anew. A writer
/// that never pauses always adds something before that, so after a few runs it has to copy the rest
/// itself.
final class Checkpointer: Sendable {
  private struct State: Sendable {
    var isRunning = false
    var isClosed = false
    /// The length of the log at which the last run began.
    var lastLength: CInt = 0
    /// How many runs there were since the log began anew.
    var runs = 0
  }

  private let file: DatabaseFile
  private let state = Locked(State())
  private let connection: Locked<Connection?> = Locked(nil)

  /// A run begins whenever the log has grown by so many pages (8 MiB).
  private static let interval: CInt = 2048
  private static let maximumRuns = 2

  init(_ file: DatabaseFile) { self.file = file }

  /// Tells the length of the log after a commit, in pages.
  ///
  /// - Returns: whether the writer shall copy what is left before it goes on.
  func logHasGrown(to length: CInt) -> Bool {
    let (mustRun, mustFinish) = state.withLock { state in
      if length < state.lastLength {
        state.lastLength = 0
        state.runs = 0
      }
      guard !state.isRunning, !state.isClosed else { return (false, false) }
      if state.runs >= Self.maximumRuns { return (false, true) }
      guard length >= state.lastLength + Self.interval else { return (false, false) }
      state.lastLength = length
      state.runs += 1
      state.isRunning = true
      return (true, false)
    }
    if mustRun { Threads.detach(named: "checkpoint") { [self] in run() } }
    return mustFinish
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
      if connection == nil { connection = try? Connection(file, creating: false) }
      try? connection?.execute(Schema.connectionPragmas)
      _ = try? connection?.checkpoint(truncating: false)
    }
    state.withLock { $0.isRunning = false }
  }
}
