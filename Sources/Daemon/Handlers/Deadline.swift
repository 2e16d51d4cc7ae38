import Control
import Drive
import Platform

/// Ends a wait of the control protocol after some real time, whatever the world's clock says.
enum Deadline {
  private static let clock = SystemClock()

  /// Runs `body`; throws `timedOut` when it takes longer than so many milliseconds. Nil waits for ever.
  static func run(
    milliseconds: Int64?, _ body: @escaping @Sendable () async throws -> Void
  ) async throws(ControlError) {
    do {
      try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
          try await body()
          return true
        }
        if let milliseconds {
          group.addTask {
            try await clock.sleep(for: .milliseconds(milliseconds))
            return false
          }
        }
        let isDone = try await group.next() ?? false
        group.cancelAll()
        if !isDone { throw ControlError(.timedOut, "it did not happen in time") }
      }
    } catch let error as ControlError {
      throw error
    } catch is CancellationError {
      throw ControlError(.cancelled, "the caller has gone")
    } catch {
      throw ControlError(.notFound, "\(error)")
    }
  }
}

extension Drive {
  /// Suspends until every program meets what a command has changed.
  ///
  /// Not for ever: the kernel does not listen where a request is held that keeps a page or a folder locked.
  func settleCachesInTime() async {
    // Where it is late, the command has still done what it was asked for.
    do throws(ControlError) {
      try await Deadline.run(milliseconds: 1000) { await self.settleCaches() }
    } catch {
      return
    }
  }
}
