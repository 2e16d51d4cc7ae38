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
  /// A pending LOOKUP of the thread is dropped when it found `parent`, since the walk goes on; of the
  /// others one stays pending, for a call on two names. A LOOKUP that found nothing is a check of its own:
  /// `add` it after `walk(thread:through:)` with its parent.
  /// - Parameter record: complete, with the call class of a look-up and its answer.
  public func lookup(thread: pid_t, parent: NodeID? = nil, node: NodeID, record: Record) {
    var record = stamped(record)
    let (mustDeliver, mustArm) = state.withLock { state in
      if let parent { state.walk(thread, through: parent) }
      state.leaveRoom(thread, hasFile: file != nil)
      if state.lookups.count >= Self.maximumPending {
        state.commitOldestLookup(hasFile: file != nil)
      }
      record.id = state.takeID(file)
      state.lookups[thread, default: []].append(PendingLookup(node: node, record: record))
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

  /// Tells that a thread's path walk goes on through a folder: the LOOKUP that found it belongs to it.
  public func walk(thread: pid_t, through parent: NodeID) {
    state.withLock { state in
      if !state.lookups.isEmpty { state.walk(thread, through: parent) }
    }
  }

  /// Tells that a thread makes a call on a node, or on two: a pending LOOKUP that found one of them
  /// belongs to that call, and one that found another node is recorded.
  ///
  /// To be called first in every request; costs one lock when nothing is pending.
  public func absorb(thread: pid_t, node: NodeID, and second: NodeID? = nil) {
    let mustDeliver = state.withLock { state in
      guard !state.lookups.isEmpty else { return false }
      state.settle(thread, node, second, hasFile: file != nil)
      return state.claimDelivery()
    }
    if mustDeliver { deliver() }
  }

  /// Records pending look-ups that are older than `age`, as when their thread went on without another
  /// call. A recorder with `patienceWithLookups` does it by itself.
  public func commitLookups(olderThan age: Duration = .zero) {
    let latest = wallClock() - age.nanoseconds
    let mustDeliver = state.withLock { state in
      state.commitLookups(until: latest, hasFile: file != nil)
      return state.claimDelivery()
    }
    if mustDeliver { deliver() }
  }

  /// More threads than that are not waited for; the oldest look-up is recorded.
  private static var maximumPending: Int { 1024 }
}

extension RecorderState {
  /// Ends the wait of a thread's look-ups: they belong to a call on one of the nodes, or stand alone.
  mutating func settle(_ thread: pid_t, _ node: NodeID, _ second: NodeID?, hasFile: Bool) {
    for pending in lookups.removeValue(forKey: thread) ?? []
    where pending.node != node && pending.node != second {
      addFinished(pending.record, hasFile: hasFile)
    }
  }

  /// Drops a thread's last look-up when it found the folder through which the walk goes on.
  mutating func walk(_ thread: pid_t, through parent: NodeID) {
    guard let pending = lookups[thread], pending.last?.node == parent else { return }
    lookups[thread] = pending.count == 1 ? nil : pending.dropLast()
  }

  /// Keeps one look-up of a thread at most.
  mutating func leaveRoom(_ thread: pid_t, hasFile: Bool) {
    guard let pending = lookups[thread], pending.count > 1 else { return }
    for lookup in pending.dropLast() { addFinished(lookup.record, hasFile: hasFile) }
    lookups[thread] = pending.suffix(1)
  }

  /// Records the look-ups that were made until a time.
  mutating func commitLookups(until latest: Int64, hasFile: Bool) {
    let all = lookups.values.joined().map(\.record).filter { $0.wallTime <= latest }
    for (thread, pending) in lookups {
      let left = pending.filter { $0.record.wallTime > latest }
      lookups[thread] = left.isEmpty ? nil : left
    }
    for record in all.sorted(by: { $0.id < $1.id }) { addFinished(record, hasFile: hasFile) }
  }

  mutating func commitOldestLookup(hasFile: Bool) {
    let oldest = lookups.min { ($0.value.first?.record.id ?? 0) < ($1.value.first?.record.id ?? 0) }
    guard let oldest else { return }
    lookups[oldest.key] = nil
    for lookup in oldest.value { addFinished(lookup.record, hasFile: hasFile) }
  }
}
