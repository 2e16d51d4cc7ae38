import Catalog
import Cloud
import Ledger
import Platform
import Profiles

/// Brings content: one transfer for each version, any number of waiters, a bounded number at once.
///
/// INVARIANT: a flight is in `flights` while its transfer is queued or runs, or somebody waits for it.
/// INVARIANT: at most `settings.maximumTransfers` flights are running.
final class Materializer: Sendable {
  struct Flight: Sendable {
    var waiters: [UInt64: Waiter] = [:]
    var stage = Stage.idle
    var ranges = RangeSet()
    /// How many bytes were here when the transfer began.
    var resumedBytes: Int64 = 0
    var size: Int64 = 0
    var lastProgress: WorldTime?
    var task: Task<Void, Never>?
    var callClass: CallClass = .explicit
    var cause: UInt64 = 0
    /// Of the transfer that is queued or runs; nil when there is none.
    var record: UInt64?
    /// Nobody has any use of what is being brought.
    var isAbandoned = false
    var content: ContentFile?
  }

  enum Stage: Sendable { case idle, queued, running }

  struct State: Sendable {
    var flights: [ContentKey: Flight] = [:]
    var queue: [ContentKey] = []
    var running = 0
    var nextWaiter: UInt64 = 1
    var isStopped = false
    var observers: [UInt64: (inode: InodeNumber, call: @Sendable (Int64) -> Void)] = [:]

    /// Takes back what waits for its turn; those who wait for it stay.
    mutating func unqueue(_ key: ContentKey) {
      flights[key]?.stage = .idle
      flights[key]?.record = nil
      if flights[key]?.waiters.isEmpty ?? false { flights[key] = nil }
    }
  }

  let cloud: any CloudStore
  let catalog: Catalog
  let content: ContentFolder
  let clock: any WorldClock
  let ledger: Recorder
  let workers: WorkerPool
  let checkpoints: any Checkpoints
  let settings: DriveSettings
  let patience: Patience
  let state = Locked(State())
  private let owner = Locked<Owner>(Owner())

  private struct Owner: Sendable { weak var drive: Drive? }

  init(
    cloud: any CloudStore, catalog: Catalog, content: ContentFolder, clock: any WorldClock,
    ledger: Recorder, workers: WorkerPool, checkpoints: any Checkpoints, settings: DriveSettings
  ) {
    self.cloud = cloud
    self.catalog = catalog
    self.content = content
    self.clock = clock
    self.ledger = ledger
    self.workers = workers
    self.checkpoints = checkpoints
    self.settings = settings
    patience = Patience(clock: clock)
  }

  func attach(_ drive: Drive) { owner.withLock { $0.drive = drive } }
  var drive: Drive? { owner.withLock { $0.drive } }

  /// Whether the version is being brought, or is queued for it.
  func isRunning(_ key: ContentKey) -> Bool {
    state.withLock { ($0.flights[key]?.stage ?? .idle) != .idle }
  }

  /// How much of a version is here, in bytes, if it is being brought.
  func progress(of key: ContentKey) -> Int64? {
    state.withLock { state in
      guard let flight = state.flights[key], flight.stage != .idle else { return nil }
      return flight.ranges.byteCount
    }
  }

  /// How many transfers run or are queued, and how many callers wait.
  var activity: (transfers: Int, waiters: Int) {
    state.withLock { state in
      let active = state.flights.values.filter { $0.stage != .idle }
      return (active.count, state.flights.values.reduce(0) { $0 + $1.waiters.count })
    }
  }

  /// Calls `observer` with the bytes that are here whenever more of an item has come.
  func observe(_ inode: InodeNumber, _ observer: @escaping @Sendable (Int64) -> Void) -> UInt64 {
    state.withLock { state in
      state.nextWaiter += 1
      state.observers[state.nextWaiter] = (inode, observer)
      return state.nextWaiter
    }
  }

  func stopObserving(_ observer: UInt64) {
    state.withLock { _ = $0.observers.removeValue(forKey: observer) }
  }

  /// A ticket that ends when the need is met, or as the terms say. It starts nothing.
  func wait(_ key: ContentKey, need: Need, _ terms: WaitTerms) -> Ticket<Void> {
    let ticket = Ticket<Void>()
    let waiter = Waiter(need: need, terms: terms, since: clock.now, ticket: ticket)
    let number: UInt64? = state.withLock { state in
      guard !state.isStopped else { return nil }
      let number = state.nextWaiter
      state.nextWaiter += 1
      state.flights[key, default: Flight()].waiters[number] = waiter
      return number
    }
    guard let number else {
      ticket.finish(.failure(.io))
      return ticket
    }
    ticket.whenFinished { [weak self] result in self?.left(key, number, result) }
    patience.watch(waiter) { [weak self] in self?.state.withLock { $0.flights[key]?.lastProgress } }
    finishIfMet(key, need, ticket)
    return ticket
  }

  /// Begins to bring a version, unless it is here or on its way.
  ///
  /// The transfer is in the ledger when this returns, also when it must wait for others.
  func start(_ key: ContentKey, callClass: CallClass, cause: UInt64) {
    let flight: Flight? = state.withLock { state in
      guard !state.isStopped, (state.flights[key]?.stage ?? .idle) == .idle else { return nil }
      state.flights[key, default: Flight()].stage = .queued
      state.flights[key]?.callClass = callClass
      state.flights[key]?.cause = cause
      state.flights[key]?.isAbandoned = false
      return state.flights[key]
    }
    guard let flight else { return }
    let record = beginRecord(key, flight)
    let isQueued = state.withLock { state in
      guard !state.isStopped, state.flights[key]?.stage == .queued,
        state.flights[key]?.record == nil
      else { return false }
      state.flights[key]?.record = record
      state.queue.append(key)
      return true
    }
    if isQueued { startQueued() } else { ledger.finish(record, answer: "cancelled") }
  }

  /// Ends a version's transfer and the waits for it: nobody has any use of it any more.
  func abandon(_ key: ContentKey, _ error: Errno) {
    let flight: Flight? = state.withLock { state in
      guard let flight = state.flights[key] else { return nil }
      if flight.stage == .queued {
        state.unqueue(key)
      } else {
        state.flights[key]?.isAbandoned = true
      }
      return flight
    }
    guard let flight else { return }
    end(flight)
    for waiter in flight.waiters.values { waiter.ticket.finish(.failure(error)) }
  }

  /// Ends every wait with EIO and every transfer; what has arrived is kept for later.
  func stop() {
    let flights: [Flight] = state.withLock { state in
      state.isStopped = true
      state.queue = []
      return Array(state.flights.values)
    }
    for flight in flights {
      end(flight)
      for waiter in flight.waiters.values { waiter.ticket.finish(.failure(.io)) }
    }
  }

  func startQueued() {
    while let (key, flight) = nextQueued() {
      let task = workers.start { [self] in await run(key, flight) }
      let isAbandoned = state.withLock { state in
        state.flights[key]?.task = task
        return state.flights[key]?.isAbandoned ?? false
      }
      if isAbandoned { task.cancel() }
    }
  }

  private func nextQueued() -> (ContentKey, Flight)? {
    state.withLock { state in
      while state.running < settings.maximumTransfers, !state.queue.isEmpty {
        let key = state.queue.removeFirst()
        guard let flight = state.flights[key], flight.stage == .queued else { continue }
        state.flights[key]?.stage = .running
        state.running += 1
        return (key, flight)
      }
      return nil
    }
  }

  /// A waiter got its answer or gave up. Under `partial`, a transfer that nobody wants ends.
  private func left(_ key: ContentKey, _ number: UInt64, _ result: Result<Void, Errno>) {
    let result = result.map { true }
    let dropped: Flight? = state.withLock { state in
      guard var flight = state.flights[key] else { return nil }
      flight.waiters[number] = nil
      let isUnwanted = flight.waiters.isEmpty
      let isDropped =
        isUnwanted && result == .failure(.interrupted) && flight.callClass == .read
        && settings.representation.materialization == .partial
      let isOver = isUnwanted && (flight.stage == .idle || (isDropped && flight.stage == .queued))
      state.flights[key] = isOver ? nil : flight
      return isDropped ? flight : nil
    }
    if let dropped { end(dropped) }
  }

  /// Cancels a transfer that runs; one that is queued has only its record.
  private func end(_ flight: Flight) {
    if flight.stage == .queued, let record = flight.record {
      ledger.finish(record, answer: "cancelled")
    }
    flight.task?.cancel()
  }

  /// The content may have come between the caller's look at the row and its wait.
  private func finishIfMet(_ key: ContentKey, _ need: Need, _ ticket: Ticket<Void>) {
    if let range = need.range {
      let isHere = state.withLock { $0.flights[key]?.ranges.contains(range) ?? false }
      if isHere { ticket.finish(.success(())) }
    }
    guard let entry = (try? catalog.entry(of: key.inode)) ?? nil else { return }
    if entry.contentSerial == key.serial, entry.residency == .materialized {
      ticket.finish(.success(()))
    }
  }
}
