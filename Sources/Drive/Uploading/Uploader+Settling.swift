import Catalog
import Cloud
import Platform

/// Uploads of which nobody has heard how they ended.
extension Uploader {
  /// A process before this one may have made items in the cloud whose identifiers nobody has noted: what
  /// the feed tells of their names waits until that is known.
  func takeOver(_ drive: Drive) throws {
    for sending in try drive.catalog.sendings() where sending.parts.contains(.created) {
      let place = OwnChanges.Place(folder: sending.folder, name: sending.name)
      drive.ownChanges.beginCreating(place)
      state.withLock { $0.left[sending.inode] = place }
    }
  }

  /// Begins to find out what became of earlier uploads. That decides what comes next, of those items and
  /// of others that have their names.
  ///
  /// - Returns: whether that is known of all.
  func isSettled(_ drive: Drive) throws -> Bool {
    let open = try drive.catalog.sendings().filter { sending in
      // One whose upload has just ended without an answer is as open as one of an earlier process.
      state.withLock { state in
        state.running[sending.inode]?.isSettling ?? true || !state.busy.contains(sending.item)
      }
    }
    for sending in open where claim(sending) {
      workers.start { [self] in await settle(sending, drive) }
    }
    return open.isEmpty
  }

  private func claim(_ sending: Sending) -> Bool {
    let now = clock.now
    return state.withLock { state in
      guard !state.isStopped, state.running[sending.inode] == nil,
        state.dueSettlements[sending.inode].map({ $0 <= now }) ?? true
      else { return false }
      state.dueSettlements[sending.inode] = nil
      state.running[sending.inode] = Running(isSettling: true)
      return true
    }
  }

  private func settle(_ sending: Sending, _ drive: Drive) async {
    let key = "sending \(sending.inode)"
    let error = await Settlement(sending: sending, drive: drive).run()
    let place = state.withLock { state in
      state.running[sending.inode] = nil
      if error == nil { state.attempts[key] = nil }
      return state.left.removeValue(forKey: sending.inode)
    }
    if let place { drive.ownChanges.endCreating(place) }
    guard let error else { return look() }
    let due = backOff(key)
    if !error.isTemporary, state.withLock({ ($0.attempts[key] ?? 0) > Self.patience }) {
      // It is sent again; at worst the cloud has it twice, and nothing is lost.
      try? drive.catalog.sendingEnded(sending.inode)
      return look()
    }
    state.withLock { $0.dueSettlements[sending.inode] = due }
    _ = clock.schedule(at: due) { [weak self] in self?.look() }
  }

  private static var patience: Int { 5 }
}

extension CloudError {
  /// Whether the cloud could not be asked, and may be later.
  fileprivate var isTemporary: Bool {
    switch code {
    case .offline, .timedOut, .throttled, .cancelled: true
    default: false
    }
  }
}
