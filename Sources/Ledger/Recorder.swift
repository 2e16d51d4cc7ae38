public import Platform

/// Keeps the records of a world: the latest in memory, all that are finished in a file.
///
/// Memory is bounded: of finished records the latest `capacity` are kept. Open ones (held requests,
/// running transfers) are always kept; whoever begins a record must finish it. Finished records are
/// appended to the file by the thread that finished them, or by another that is writing just then; nothing
/// waits for the disk, so a killed process loses none and a power cut the last ones.
///
/// Any thread may call; one lock is held for well under a microsecond. Observers are called without it,
/// one at a time and in the order of events.
public final class Recorder: Sendable {
  let clock: any WorldClock
  let wallClock: @Sendable () -> Int64
  let state: Locked<RecorderState>
  let file: RecordFile?
  /// After which real time a look-up that nothing followed counts as a request of its own; nil for when
  /// somebody says so.
  let patienceWithLookups: Duration?
  // Real time, whatever the world's clock says: what a program does next is not simulated.
  let realClock = SystemClock()

  /// Begins an empty ledger, with numbers that continue those of the file.
  ///
  /// - Parameters:
  ///   - clock: the world's clock.
  ///   - wallClock: nanoseconds since 1970.
  ///   - capacity: how many finished records are kept in memory; at least one.
  ///   - file: where finished records are appended as JSON, one a line; nil for nowhere.
  ///   - maximumFileSize: at this size the file is renamed to `FILE.1`, replacing the one before.
  ///   - patienceWithLookups: after which real time a look-up that nothing of its thread has followed is
  ///     recorded; nil for only when `commitLookups` says so.
  /// - Throws: `LedgerError` when the file cannot be opened.
  public init(
    clock: any WorldClock, wallClock: @escaping @Sendable () -> Int64, capacity: Int = 10_000,
    file: String? = nil, maximumFileSize: Int64 = 64 << 20, patienceWithLookups: Duration? = nil
  ) throws(LedgerError) {
    self.clock = clock
    self.wallClock = wallClock
    self.patienceWithLookups = patienceWithLookups
    if let file {
      self.file = try RecordFile(path: file, maximumSize: maximumFileSize)
    } else {
      self.file = nil
    }
    let firstID = self.file?.nextID ?? 1
    state = Locked(RecorderState(firstID: firstID, capacity: max(capacity, 1)))
  }

  /// Begins a record: gives it a number and the present times.
  ///
  /// - Returns: the number, by which it is finished and which is the cause of what it starts.
  public func begin(_ record: Record) -> UInt64 {
    let record = stamped(record)
    let (id, mustDeliver) = state.withLock { state in
      let id = state.begin(record, file)
      return (id, state.claimDelivery())
    }
    if mustDeliver { deliver() }
    return id
  }

  /// Adds a record that is complete already, such as a request that was answered at once.
  @discardableResult
  public func add(_ record: Record) -> UInt64 {
    let record = stamped(record)
    let (id, mustDeliver) = state.withLock { state in
      let id = state.begin(record, file)
      state.finish(id, { _ in }, hasFile: file != nil)
      return (id, state.claimDelivery())
    }
    if mustDeliver { deliver() }
    return id
  }

  /// Finishes a record; what is nil stays as it is. A number that is not open is ignored.
  public func finish(
    _ id: UInt64, answer: String, bytes: Int64? = nil, waited: Duration? = nil,
    fault: String? = nil, started: String? = nil
  ) {
    let mustDeliver = state.withLock { state in
      let change = { (record: inout Record) in
        record.answer = answer
        record.set(bytes: bytes, waited: waited, fault: fault, started: started)
      }
      state.finish(id, change, hasFile: file != nil)
      return state.claimDelivery()
    }
    if mustDeliver { deliver() }
  }

  /// Changes an open record; what is nil stays as it is. A number that is not open is ignored.
  public func update(
    _ id: UInt64, bytes: Int64? = nil, waited: Duration? = nil, fault: String? = nil,
    started: String? = nil
  ) {
    let mustDeliver = state.withLock { state in
      state.update(id) { record in
        record.set(bytes: bytes, waited: waited, fault: fault, started: started)
      }
      return state.claimDelivery()
    }
    if mustDeliver { deliver() }
  }

  /// Tells that an open record met a fault or a gate; several are joined by commas.
  public func note(fault: String, on id: UInt64) {
    let mustDeliver = state.withLock { state in
      state.update(id) { record in
        record.fault += record.fault.isEmpty ? fault : "," + fault
      }
      return state.claimDelivery()
    }
    if mustDeliver { deliver() }
  }

  /// Matching records in the order of their numbers.
  ///
  /// Look-ups of which it is not known yet whether they stand alone count as if they did.
  public func records(matching query: Query = Query()) -> [Record] {
    state.withLock { $0.records(matching: query) }
  }

  /// How many finished records had to make room in memory for later ones; the file has them.
  public var droppedCount: UInt64 { state.withLock { $0.droppedCount } }

  /// Forgets every finished record in memory and every pending look-up. The file keeps what it has.
  public func clear() { state.withLock { $0.clear() } }

  /// Commits pending look-ups, and notes the next number in the file. The recorder still works.
  public func close() {
    commitLookups()
    state.withLock { state in file?.reserve(upTo: state.nextID) }
  }

  /// Why the last line could not be written; nil when it was, or there is no file.
  public var fileError: LedgerError? { file?.lastError }

  func stamped(_ record: Record) -> Record {
    var record = record
    record.worldTime = clock.now.nanoseconds
    record.wallTime = wallClock()
    return record
  }

  /// Writes and tells what has happened, unless another thread is doing so and will take it along.
  func deliver() {
    while true {
      let delivery = state.withLock { $0.takeDelivery() }
      guard let delivery else { return }
      for event in delivery.events {
        if case .finished(let record) = event { file?.append(record) }
        for observer in delivery.observers { observer.handle(event) }
      }
    }
  }
}

extension Record {
  fileprivate mutating func set(
    bytes: Int64?, waited: Duration?, fault: String?, started: String?
  ) {
    if let bytes { self.bytes = bytes }
    if let waited { self.waited = waited.nanoseconds }
    if let fault { self.fault = fault }
    if let started { self.started = started }
  }
}
