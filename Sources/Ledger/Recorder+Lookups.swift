public import Glibc
public import Platform

/// A LOOKUP of which it is not known yet whether it stands alone.
struct PendingLookup: Sendable {
  let node: NodeID
  let record: Record
}

// Almost every call begins with a path walk: one LOOKUP for each component, and then the call itself on
// the last. Only a LOOKUP that nothing of the same thread follows is a request of its own.
extension Recorder {
  /// Notes a LOOKUP that found a node; it is recorded only if the thread's next call is about something
  /// else.
  ///
  /// A pending LOOKUP of the thread is dropped when it found `parent`, since the walk goes on, and
  /// recorded otherwise. A LOOKUP that found nothing is a check of its own: `add` it after
  /// `absorb(thread:node:)` with its parent.
  /// - Parameter record: complete, with the call class of a look-up and its answer.
  public func lookup(thread: pid_t, parent: NodeID? = nil, node: NodeID, record: Record) {
    var record = stamped(record)
    let (mustDeliver, mustArm) = state.withLock { state in
      state.settle(thread, parent, hasFile: file != nil)
      if state.lookups.count >= Self.maximumPending {
        state.commitOldestLookup(hasFile: file != nil)
      }
      record.id = state.takeID(file)
      state.lookups[thread] = PendingLookup(node: node, record: record)
      let mustArm = patienceWithLookups != nil && !state.isCommitArmed
      if mustArm { state.isCommitArmed = true }
      return (state.claimDelivery(), mustArm)
    }
    if mustDeliver { deliver() }
    if mustArm { armCommit() }
  }

  /// Looks after the pending look-ups once patience with the present ones is over, and again while there
  /// are any.
  private func armCommit() {
    guard let patience = patienceWithLookups else { return }
    _ = realClock.schedule(after: patience) { [weak self] in
      guard let self else { return }
      commitLookups(olderThan: patience)
      let isLeft = state.withLock { state in
        state.isCommitArmed = !state.lookups.isEmpty
        return state.isCommitArmed
      }
      if isLeft { armCommit() }
    }
  }

  /// Tells that a thread makes a call on a node: a pending LOOKUP that found it belongs to that call, and
  /// one that found another node is recorded.
  ///
  /// To be called first in every request; costs one lock when nothing is pending.
  public func absorb(thread: pid_t, node: NodeID) {
    let mustDeliver = state.withLock { state in
      guard !state.lookups.isEmpty else { return false }
      state.settle(thread, node, hasFile: file != nil)
      return state.claimDelivery()
    }
    if mustDeliver { deliver() }
  }

  /// Records pending look-ups that are older than `age`, as when their thread went on without another
  /// call. A recorder with `patienceWithLookups` does it by itself.
  public func commitLookups(olderThan age: Duration = .zero) {
    let latest = wallClock() - age.nanoseconds
    let mustDeliver = state.withLock { state in
      let old = state.lookups.filter { $0.value.record.wallTime <= latest }
      for (thread, pending) in old.sorted(by: { $0.value.record.id < $1.value.record.id }) {
        state.lookups[thread] = nil
        state.addFinished(pending.record, hasFile: file != nil)
      }
      return state.claimDelivery()
    }
    if mustDeliver { deliver() }
  }

  /// More threads than that are not waited for; the oldest look-up is recorded.
  private static var maximumPending: Int { 1024 }
}

extension RecorderState {
  /// Ends the wait of a thread's look-up: it belongs to a call on `node`, or stands alone.
  mutating func settle(_ thread: pid_t, _ node: NodeID?, hasFile: Bool) {
    guard let pending = lookups.removeValue(forKey: thread) else { return }
    if pending.node != node { addFinished(pending.record, hasFile: hasFile) }
  }

  mutating func commitOldestLookup(hasFile: Bool) {
    let oldest = lookups.min { $0.value.record.id < $1.value.record.id }
    guard let oldest else { return }
    lookups[oldest.key] = nil
    addFinished(oldest.value.record, hasFile: hasFile)
  }
}
