import Platform

/// Those who wait for one thing, each with its own patience. Not a lock of its own: see its owner.
struct Waiter: Sendable {
  let need: Need
  let terms: WaitTerms
  let since: WorldTime
  let ticket: Ticket<Void>
}

/// Ends waits whose patience is over. Progress starts the patience anew.
///
/// One timer a waiter, armed again while there is progress.
struct Patience: Sendable {
  let clock: any WorldClock

  /// Watches a waiter until its ticket is finished.
  ///
  /// - Parameter lastProgress: when something last arrived; nil when nothing has.
  func watch(_ waiter: Waiter, lastProgress: @escaping @Sendable () -> WorldTime?) {
    guard let patience = waiter.terms.patience else { return }
    arm(waiter, at: waiter.since + patience, patience, lastProgress)
  }

  private func arm(
    _ waiter: Waiter, at deadline: WorldTime, _ patience: Duration,
    _ lastProgress: @escaping @Sendable () -> WorldTime?
  ) {
    let timer = clock.schedule(at: deadline) {
      let extended = max(waiter.since, lastProgress() ?? waiter.since) + patience
      if extended > clock.now {
        arm(waiter, at: extended, patience, lastProgress)
      } else {
        waiter.ticket.finish(WaitTerms.result(of: waiter.terms.outOfPatience))
      }
    }
    waiter.ticket.whenFinished { _ in timer.cancel() }
  }
}
