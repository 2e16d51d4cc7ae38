import Catalog
import Platform
import Simulation
import Testing

@testable import Drive

extension TestDrive {
  /// Lets back-offs pass until everything is in the cloud.
  ///
  /// - Throws: what is in the way when that does not come, so that a test ends.
  func settleUploads() async throws {
    let end = ContinuousClock.now + Self.patience
    let result = Locked<Result<Void, Errno>?>(nil)
    let waiting = Self.workers.start { [drive] in
      let ended: Result<Void, Errno>
      do throws(Errno) { ended = .success(try await drive.awaitUploads()) } catch {
        ended = .failure(error)
      }
      result.withLock { $0 = ended }
    }
    // Among hundreds of other tests it may have its turn once in seconds.
    var turns = 0
    while true {
      if let result = result.withLock({ $0 }) { return try result.get() }
      guard ContinuousClock.now < end || turns < 200 else { break }
      turns += 1
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    let unsettled = Unsettled(description: whatIsPending)
    drive.stop()
    await waiting.value
    throw unsettled
  }

  /// Suspends until no upload runs.
  func awaitIdleUploads() async throws {
    let end = ContinuousClock.now + Self.patience
    var turns = 0
    while drive.uploader.state.withLock({ state in
      state.isLooking || !state.running.isEmpty || !state.runningDeletions.isEmpty
    }) {
      guard ContinuousClock.now < end || turns < 200 else {
        throw Unsettled(description: whatIsPending)
      }
      turns += 1
      await Task.yield()
    }
  }

  private static var patience: Duration { .seconds(30) }

  /// Why not everything is in the cloud.
  private var whatIsPending: String {
    let catalog = drive.catalog
    let items = (try? catalog.pendingItems(limit: 5)) ?? []
    let deletions = (try? catalog.pendingDeletions(limit: 5)) ?? []
    let sendings = (try? catalog.sendings()) ?? []
    return "in the way of the cloud at \(clock.now): \(items) \(deletions) \(sendings) "
      + "\(drive.failures.withLock { $0 }) \(drive.uploader.state.withLock { $0 })"
  }
}

/// Something that is pending does not reach the cloud.
struct Unsettled: Error, CustomStringConvertible {
  let description: String
}
