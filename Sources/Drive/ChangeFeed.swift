import Catalog
import Cloud
public import Platform

/// Follows the cloud's changes from the anchor that the catalog keeps.
///
/// One pull at a time; a change that is announced during a pull causes one more.
final class ChangeFeed: Sendable {
  private struct State: Sendable {
    var observation: (any ChangeObservation)?
    var isPulling = false
    var isWanted = false
    var isStopped = false
    /// How often the device has failed to keep what the cloud said, one after the other.
    var failures = 0
    var finished: [Ticket<Int>] = []
    /// From where to begin again before going on from the catalog's anchor.
    var rewinds: [SyncAnchor] = []
  }

  private let state = Locked(State())

  /// Makes sure that there is an anchor from before the first enumeration, so that no change between
  /// the two is lost, and begins to observe.
  ///
  /// - Returns: the anchor of what is applied now.
  func begin(_ drive: Drive) async throws(CloudError) -> SyncAnchor {
    observe(drive)
    if let anchor = try drive.read({ try drive.catalog.anchor() }) { return anchor }
    let anchor = try await drive.cloud.currentAnchor(cause: .housekeeping)
    try drive.read { try drive.catalog.setAnchor(anchor) }
    return anchor
  }

  /// Applies the changes since an anchor once more, if the feed has moved on from it.
  func replay(_ drive: Drive, since anchor: SyncAnchor) async throws(CloudError) {
    guard try drive.read({ try drive.catalog.anchor() }) != anchor else { return }
    state.withLock { $0.rewinds.append(anchor) }
    do throws(Errno) {
      _ = try await pull(drive).value()
    } catch {
      throw CloudError(errno: error, "the changes during the enumeration could not be read")
    }
  }

  /// Begins to observe, once.
  func observe(_ drive: Drive) {
    let isNew = state.withLock { !$0.isStopped && $0.observation == nil }
    guard isNew else { return }
    let observation = drive.cloud.observeChanges { [weak drive] in drive?.feed.announced(drive) }
    let isExtra = state.withLock { state in
      guard state.observation == nil, !state.isStopped else { return true }
      state.observation = observation
      return false
    }
    if isExtra { observation.end() }
  }

  /// Pulls what has changed, soon; the ticket ends when that is applied.
  @discardableResult
  func pull(_ drive: Drive?) -> Ticket<Int> {
    let ticket = Ticket<Int>()
    let (isStopped, begins) = state.withLock { state in
      guard drive != nil, !state.isStopped else { return (true, false) }
      state.finished.append(ticket)
      state.isWanted = true
      defer { state.isPulling = true }
      return (false, !state.isPulling)
    }
    if isStopped { ticket.finish(.failure(.io)) }
    if begins, let drive { drive.workers.start { [self, weak drive] in await run(drive) } }
    return ticket
  }

  /// Something changed in the cloud: this device is told after the propagation delay.
  private func announced(_ drive: Drive?) {
    guard let drive else { return }
    let delay = drive.settings.propagationDelay
    guard delay > .zero else {
      pull(drive)
      return
    }
    _ = drive.clock.schedule(after: delay) { [weak drive] in drive?.feed.pull(drive) }
  }

  func stop() {
    let (observation, tickets) = state.withLock { state in
      state.isStopped = true
      return (state.observation, state.finished)
    }
    observation?.end()
    for ticket in tickets { ticket.finish(.failure(.io)) }
  }

  private func run(_ drive: Drive?) async {
    while let drive, let (tickets, rewinds) = next() {
      do throws(CloudError) {
        for anchor in rewinds { _ = try await pull(drive, since: anchor) }
        let count = try await pullAll(drive)
        state.withLock { $0.failures = 0 }
        for ticket in tickets { ticket.finish(.success(count)) }
      } catch {
        // Offline is not a change: what is known stays, and the next announcement tries again.
        for ticket in tickets { ticket.finish(.failure(error.errno)) }
        if error.deviceError != nil { tryAgain(drive) }
      }
    }
  }

  /// The device could not keep what the cloud said, and the cloud will not say it again by itself: asks
  /// after 5 s, then after twice as long each time, at most 5 minutes.
  private func tryAgain(_ drive: Drive) {
    let failures = state.withLock { state in
      defer { state.failures += 1 }
      return state.failures
    }
    let pause = Duration.seconds(min(300, 5 << min(failures, 6)))
    _ = drive.clock.schedule(after: pause) { [weak drive] in drive?.feed.pull(drive) }
  }

  private func next() -> ([Ticket<Int>], [SyncAnchor])? {
    state.withLock { state in
      guard state.isWanted, !state.isStopped else {
        state.isPulling = false
        return nil
      }
      state.isWanted = false
      defer {
        state.finished = []
        state.rewinds = []
      }
      return (state.finished, state.rewinds)
    }
  }

  /// - Returns: how many changes were applied.
  private func pullAll(_ drive: Drive) async throws(CloudError) -> Int {
    guard let anchor = try drive.read({ try drive.catalog.anchor() }) else { return 0 }
    return try await pull(drive, since: anchor)
  }

  private func pull(_ drive: Drive, since start: SyncAnchor) async throws(CloudError) -> Int {
    var anchor = start
    var count = 0
    var isMoreComing = true
    while isMoreComing {
      let batch: ChangeBatch
      do throws(CloudError) {
        batch = try await drive.cloud.changes(since: anchor, cause: .housekeeping)
      } catch {
        guard error.code == .anchorExpired else { throw error }
        return try await enumerateAgain(drive)
      }
      count += try await apply(batch, drive)
      anchor = batch.anchor
      isMoreComing = batch.moreComing
    }
    return count
  }

  private func apply(_ batch: ChangeBatch, _ drive: Drive) async throws(CloudError) -> Int {
    while let upload = drive.ownChanges.unsettled(
      batch.changes, isKnown: { ((try? drive.catalog.inode(of: $0)) ?? nil) != nil })
    {
      do throws(Errno) { try await upload.value() } catch {
        throw CloudError(errno: error, "stopped")
      }
    }
    return try drive.revise { () throws(CatalogError) in
      try drive.catalog.apply(drive.ownChanges.news(in: batch.changes), anchor: batch.anchor)
    }
  }

  /// The cloud no longer knows the anchor: every folder that is known here is read again.
  private func enumerateAgain(_ drive: Drive) async throws(CloudError) -> Int {
    let anchor = try await drive.cloud.currentAnchor(cause: .housekeeping)
    try drive.read { try drive.catalog.setAnchor(anchor) }
    for folder in try drive.read({ try drive.catalog.populatedFolders() }) {
      do throws(CloudError) {
        try await drive.enumerate(folder, .housekeeping)
      } catch {
        // A folder that is gone is told by its parent's enumeration.
        guard error.code == .notFound else { throw error }
      }
    }
    return try await pull(drive, since: anchor)
  }
}

extension Drive {
  /// Fetches and applies what has changed in the cloud.
  ///
  /// - Returns: how many items have changed.
  /// - Throws: the errno of the cloud's refusal; ETIMEDOUT when it cannot be reached.
  @discardableResult
  public func synchronize() async throws(Errno) -> Int { try await feed.pull(self).value() }

  /// Begins to follow the cloud's changes, if this device has known any.
  public func followChanges() {
    guard ((try? catalog.anchor()) ?? nil) != nil else { return }
    feed.observe(self)
    feed.pull(self)
  }
}
