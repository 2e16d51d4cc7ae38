import Catalog
import Cloud
import Platform

/// Which uploads begin next.
extension Uploader {
  /// Begins what is ready, the oldest first: what has changed later waits longer.
  func begin(_ drive: Drive) throws {
    guard try isSettled(drive), try beginDeletions(drive) else { return }
    var last: UInt64 = 0
    var limit = 8
    while hasRoom {
      let items = try drive.catalog.pendingItems(after: last, limit: limit)
      guard let next = items.last else { break }
      last = next.sequence
      limit = min(limit * 4, 512)
      for item in items where hasRoom {
        if isWaiting(item.inode) { return }
        guard isDue(item.inode), isReady(item, drive) else { continue }
        guard keepsPace() else { return }
        guard claim(item.inode) else { continue }
        workers.start { [self] in await run(item, drive) }
      }
    }
  }

  /// Whether another upload may begin now; if not, there is a look when it may.
  private func keepsPace() -> Bool { pace.mayBegin { [weak self] in self?.look() } }

  /// Whether the account has an item wait.
  func isWaiting(_ inode: InodeNumber) -> Bool {
    let now = clock.now
    return state.withLock { state in state.waiting[inode].map { $0 > now } ?? false }
  }

  /// - Returns: whether more may begin now.
  private func beginDeletions(_ drive: Drive) throws -> Bool {
    var last: UInt64 = 0
    var limit = 8
    while hasRoomForDeletions {
      let deletions = try drive.catalog.pendingDeletions(after: last, limit: limit)
      guard let next = deletions.last else { break }
      last = next.sequence
      limit = min(limit * 4, 512)
      for deletion in deletions where isFree(deletion) {
        guard keepsPace() else { return false }
        guard claim(deletion) else { continue }
        workers.start { [self] in await run(deletion, drive) }
      }
    }
    return true
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
