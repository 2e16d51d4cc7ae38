import Catalog
import Cloud
import Platform

/// What is pending since a change with a number.
private protocol Sequenced { var sequence: UInt64 { get } }
extension PendingItem: Sequenced {}
extension PendingDeletion: Sequenced {}

/// Which uploads begin next.
extension Uploader {
  /// Begins what is ready, the oldest first: what has changed later waits longer.
  func begin(_ drive: Drive) throws {
    guard try isSettled(drive), try beginDeletions(drive) else { return }
    try forEachPending(drive.catalog.pendingItems, while: { hasRoom }) { item in
      if isWaiting(item.inode) { return false }
      guard isDue(item.inode), isReady(item, drive) else { return true }
      guard keepsPace() else { return false }
      if claim(item.inode) { workers.start { [self] in await run(item, drive) } }
      return true
    }
  }

  /// - Returns: whether more may begin now.
  private func beginDeletions(_ drive: Drive) throws -> Bool {
    try forEachPending(drive.catalog.pendingDeletions, while: { hasRoomForDeletions }) { deletion in
      guard isFree(deletion) else { return true }
      guard keepsPace() else { return false }
      if claim(deletion) { workers.start { [self] in await run(deletion, drive) } }
      return true
    }
  }

  /// Goes through what is pending in the order of its changes, in pages that grow, while there is room.
  ///
  /// - Returns: whether `body` said of all that it may go on.
  @discardableResult
  private func forEachPending<Pending: Sequenced>(
    _ page: (UInt64, Int) throws -> [Pending], while hasRoom: () -> Bool, _ body: (Pending) -> Bool
  ) throws -> Bool {
    var last: UInt64 = 0
    var limit = 8
    while hasRoom() {
      let all = try page(last, limit)
      guard let next = all.last else { break }
      last = next.sequence
      limit = min(limit * 4, 512)
      for pending in all where hasRoom() {
        guard body(pending) else { return false }
      }
    }
    return true
  }

  /// Whether another upload may begin now; if not, there is a look when it may.
  private func keepsPace() -> Bool { pace.mayBegin { [weak self] in self?.look() } }

  /// Whether the account has an item wait.
  func isWaiting(_ inode: InodeNumber) -> Bool {
    let now = clock.now
    return state.withLock { state in state.waiting[inode].map { $0 > now } ?? false }
  }

  private var hasRoomForDeletions: Bool {
    state.withLock { $0.runningDeletions.count < Self.maximumRunning }
  }

  private var hasRoom: Bool { state.withLock { $0.running.count < Self.maximumRunning } }

  /// Asked first, since it asks nothing of the catalog: thousands may wait for the account's delay.
  private func isDue(_ inode: InodeNumber) -> Bool {
    let now = clock.now
    return state.withLock { state in
      state.running[inode] == nil && state.due[inode].map { $0 <= now } ?? true
    }
  }

  func isReady(_ item: PendingItem, _ drive: Drive) -> Bool {
    guard !item.isWriting else { return false }
    guard let entry = (try? drive.catalog.entry(of: item.inode)) ?? nil else { return false }
    let isOpen = drive.table.withLock { ($0[entry.node]?.writerCount ?? 0) > 0 }
    guard !isOpen else { return false }
    // What is in a folder that the cloud does not have must wait for it.
    guard let folder = (try? drive.catalog.pendingItem(of: entry.parent)) ?? nil else {
      return true
    }
    return !folder.parts.contains(.created)
  }

  private func claim(_ inode: InodeNumber) -> Bool {
    let now = clock.now
    return state.withLock { state in
      guard !state.isStopped, state.running[inode] == nil,
        state.due[inode].map({ $0 <= now }) ?? true,
        state.waiting[inode].map({ $0 <= now }) ?? true
      else { return false }
      state.due[inode] = nil
      state.waiting[inode] = nil
      state.running[inode] = Running()
      return true
    }
  }

  private func isFree(_ deletion: PendingDeletion) -> Bool {
    let now = clock.now
    return state.withLock { $0.isFree(deletion, now) }
  }

  private func claim(_ deletion: PendingDeletion) -> Bool {
    let now = clock.now
    return state.withLock { state in
      guard state.isFree(deletion, now) else { return false }
      state.dueDeletions[deletion.item] = nil
      state.runningDeletions.insert(deletion.item)
      return true
    }
  }
}
