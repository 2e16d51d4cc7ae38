internal import Platform

/// Keeps an observer of a ledger registered for as long as it lives.
public final class RecordObservation: Sendable {
  private let cancel: @Sendable () -> Void

  init(_ cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }

  deinit { cancel() }

  /// Ends the observation; a call that is under way on another thread may still come to its end.
  public func end() { cancel() }
}

extension Recorder {
  /// Calls `handler` with every event whose record matches, until the returned value goes away.
  ///
  /// Handlers are called one at a time, in order, on whatever thread recorded something; they must be
  /// short, and may use the recorder.
  public func observe(
    matching query: Query = Query(), _ handler: @escaping @Sendable (RecordEvent) -> Void
  ) -> RecordObservation {
    let id = state.withLock { state in
      state.addObserver { event in
        if query.matches(event.record) { handler(event) }
      }
    }
    return RecordObservation { [weak self] in
      _ = self?.state.withLock { $0.removeObserver(id) }
    }
  }

  /// Waits until a record matches; returns at once, with the first, when one already does.
  ///
  /// - Returns: the record as it was when it matched; nil when the task was cancelled first.
  public func firstRecord(matching query: Query) async -> Record? {
    let wait = Wait<Record>()
    // Observed before it is asked, or a record in between would be missed.
    let observation = observe(matching: query) { event in wait.finish(event.record) }
    if let present = records(matching: query).first { wait.finish(present) }
    let record = await wait.value()
    observation.end()
    return record
  }
}
