internal import CFuse
internal import Glibc
internal import Platform

extension Session {
  /// Unmounts, and returns when the session has ended. Calling it again does no harm.
  ///
  /// The operations are told first (`sessionWillStop`), so that no program that waits keeps the mount
  /// busy; what can be interrupted and is still held is then interrupted. When programs still have files open, the mount is detached, and their later calls fail
  /// with ENOTCONN. Must not be called inside an operation.
  public func stop() {
    let (isFirst, readers, mount, core) = state.withLock { state in
      guard case .running = state.phase else {
        return (false, state.readers, state.mount, state.core)
      }
      state.phase = .stopping
      return (true, state.readers, state.mount, state.core)
    }
    precondition(!readers.contains { $0.isCurrent }, "an operation cannot wait for its own end")
    if isFirst {
      operations.sessionWillStop()
      // A reply that is held now would keep the mount busy, and may block a notification for ever.
      core?.interrupts.fireAll()
      mount?.unmount()
      // Those who did not see the end of the connection, because it lives on in open files.
      state.withLock { for reader in $0.readers { reader.cancel() } }
    }
    if case .idle = state.withLock({ $0.phase }) { return }
    ended.wait()
  }

  /// Returns when the session, which must have begun, has ended.
  @discardableResult
  public func waitUntilEnded() -> SessionEnd {
    ended.wait()
    return end ?? .stopped
  }

  /// Why the session ended; nil as long as it has not.
  public var end: SessionEnd? {
    state.withLock { state in
      if case .ended(let reason) = state.phase { return reason }
      return nil
    }
  }

  /// Calls back when the session has ended, at once if it has.
  public func whenEnded(_ action: @escaping @Sendable (SessionEnd) -> Void) {
    let reason: SessionEnd? = state.withLock { state in
      if case .ended(let reason) = state.phase { return reason }
      state.whenEnded.append(action)
      return nil
    }
    if let reason { action(reason) }
  }

  /// Waits for the readers and cleans up; runs on a thread of its own.
  func awaitEnd(_ core: SessionCore, _ readers: [Reader]) {
    var count = 0
    while count < readers.count { count += Int(readersEnded.take()) }
    // From here on nobody cancels them, so they can be joined.
    state.withLock { $0.readers = [] }
    core.closeDevice()
    passthrough.stop()
    notifier.stop()
    for reader in readers { reader.join() }
    state.withLock { $0.mount }?.removeRemains()
    finish(state.withLock { reason(for: $0) })
  }

  private func reason(for state: State) -> SessionEnd {
    if case .stopping = state.phase { return .stopped }
    switch state.firstError {
    case ENODEV, 0: return .unmounted
    case ECONNABORTED: return .aborted
    default: return .failed(state.firstError)
    }
  }

  private func finish(_ reason: SessionEnd) {
    operations.sessionDidEnd(reason)
    let actions = state.withLock { state in
      state.phase = .ended(reason)
      defer { state.whenEnded = [] }
      return state.whenEnded
    }
    ended.signal()
    for action in actions { action(reason) }
  }
}
