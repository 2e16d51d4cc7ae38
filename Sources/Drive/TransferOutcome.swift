import Catalog
import Cloud
import Ledger
import Platform
import Profiles

/// How a flight begins and ends.
extension Materializer {
  /// Runs a queued flight to its end.
  func run(_ key: ContentKey, _ flight: Flight) async {
    let record = flight.record ?? 0
    var failure = await attempt(key, flight, record)
    if case .superseded = failure, let error = await drive?.refresh(key.inode) {
      failure = .cloud(error)
    }
    finishRecord(record, key, failure)
    end(key, failure)
    startQueued()
  }

  private func attempt(
    _ key: ContentKey, _ flight: Flight, _ record: UInt64
  ) async -> TransferFailure? {
    do throws(TransferFailure) {
      guard let transfer = try prepare(key, record, flight.callClass) else { return nil }
      try await transfer.run()
      return nil
    } catch {
      return error
    }
  }

  /// Opens the content file and finds what of it is here; nil when the version is here already.
  private func prepare(
    _ key: ContentKey, _ record: UInt64, _ callClass: CallClass
  ) throws(TransferFailure) -> Transfer? {
    let row: (Entry, Details)?
    do {
      row = try catalog.entry(of: key.inode).flatMap { entry in
        try catalog.details(of: key.inode).map { (entry, $0) }
      }
    } catch {
      throw .device(.io)
    }
    guard let (entry, details) = row else {
      throw .cloud(CloudError(.notFound, "the item is gone"))
    }
    guard entry.contentSerial == key.serial else { throw .superseded }
    if entry.residency == .materialized { return nil }
    let file = try openFile(key, size: entry.size)
    let subject = CheckpointSubject(
      item: details.item.rawValue, path: drive?.path(of: key.inode) ?? "", cause: record)
    return Transfer(
      key: key, materializer: self, record: record, callClass: callClass, entry: entry,
      details: details, file: file,
      subject: subject)
  }

  private func openFile(_ key: ContentKey, size: Int64) throws(TransferFailure) -> ContentFile {
    let file: ContentFile
    let isAsItWas: Bool
    do throws(Errno) {
      file = try content.openToFetch(key)
      isAsItWas = try file.size() == size
      try file.truncate(to: size)
    } catch {
      throw .device(error)
    }
    // What was noted down was of a file that somebody has removed or cut off.
    let saved = isAsItWas ? (try? catalog.savedRanges(of: key.inode)) ?? RangeSet() : RangeSet()
    state.withLock { state in
      state.flights[key]?.size = size
      state.flights[key]?.content = file
      state.flights[key]?.ranges = saved
      state.flights[key]?.resumedBytes = saved.byteCount
    }
    return file
  }

  private func end(_ key: ContentKey, _ failure: TransferFailure?) {
    let flight: Flight? = state.withLock { state in
      state.running -= 1
      return state.flights.removeValue(forKey: key)
    }
    guard let flight else { return }
    switch failure {
    case nil where flight.size == flight.ranges.byteCount || drive?.isMaterialized(key) == true:
      for waiter in flight.waiters.values { waiter.ticket.finish(.success(())) }
    case nil, .cancelled: goOnWaiting(key, flight)
    case .superseded: passOn(flight, from: key)
    case .cloud(let error):
      drive?.failures.withLock { $0[key.inode] = error.message }
      for waiter in flight.waiters.values {
        waiter.ticket.finish(waiter.terms.result(after: error, isByName: waiter.need.isByName))
      }
    case .device(let error):
      drive?.failures.withLock { $0[key.inode] = error.description }
      for waiter in flight.waiters.values { waiter.ticket.finish(.failure(error)) }
    }
    if failure != nil || drive?.isMaterialized(key) == false { saveRanges(flight, key) }
  }

  /// A partial transfer has brought what was wanted, or was cancelled, while somebody joined.
  private func goOnWaiting(_ key: ContentKey, _ flight: Flight) {
    saveRanges(flight, key)
    rejoin(flight.waiters, at: key, like: flight)
  }

  /// The item has another version: names wait for that one, handles learn that theirs is gone.
  private func passOn(_ flight: Flight, from key: ContentKey) {
    let entry = (try? catalog.entry(of: key.inode)) ?? nil
    for waiter in flight.waiters.values where !waiter.need.isByName {
      waiter.ticket.finish(.failure(.stale))
    }
    let byName = flight.waiters.filter { $0.value.need.isByName }
    guard let entry, entry.contentSerial != key.serial else {
      let result: Result<Void, Errno> = .failure(entry == nil ? .noSuchFile : .stale)
      for waiter in byName.values { waiter.ticket.finish(result) }
      return
    }
    content.remove(key)
    if entry.residency == .materialized {
      // A program on this device has made the content anew.
      for waiter in byName.values { waiter.ticket.finish(.success(())) }
      return
    }
    let next = ContentKey(inode: key.inode, serial: entry.contentSerial)
    if flight.callClass == .explicit || !byName.isEmpty {
      rejoin(byName, at: next, like: flight, evenIfEmpty: true)
    }
  }

  private func rejoin(
    _ waiters: [UInt64: Waiter], at key: ContentKey, like flight: Flight, evenIfEmpty: Bool = false
  ) {
    // Whoever has its bytes leaves by itself when its ticket is finished below.
    guard !waiters.isEmpty || evenIfEmpty else { return }
    let isStopped = state.withLock { state in
      if !state.isStopped {
        state.flights[key, default: Flight()].waiters.merge(waiters) { old, _ in old }
      }
      return state.isStopped
    }
    for (number, waiter) in waiters {
      if isStopped { waiter.ticket.finish(.failure(.io)) }
      waiter.ticket.whenFinished { [weak self] _ in self?.forgetWaiter(number, at: key) }
    }
    if !isStopped { start(key, callClass: flight.callClass, cause: flight.cause) }
  }

  private func forgetWaiter(_ number: UInt64, at key: ContentKey) {
    state.withLock { state in
      state.flights[key]?.waiters[number] = nil
      if let flight = state.flights[key], flight.stage == .idle, flight.waiters.isEmpty {
        state.flights[key] = nil
      }
    }
  }

  private func saveRanges(_ flight: Flight, _ key: ContentKey) {
    guard !flight.ranges.isEmpty else { return }
    _ = try? catalog.saveRanges(flight.ranges, of: key.inode, contentSerial: key.serial)
  }

  func beginRecord(_ key: ContentKey, _ flight: Flight) -> UInt64 {
    // On a local disk nothing is transferred; copying is how this program plays one.
    guard settings.representation.placeholder != .none else { return 0 }
    let item = (try? catalog.details(of: key.inode))??.item.rawValue ?? ""
    return ledger.begin(
      Record(
        kind: .transfer, device: settings.device, callClass: flight.callClass.rawValue,
        path: drive?.path(of: key.inode) ?? "", item: item, process: 0, executable: "",
        cause: flight.cause, started: "content"))
  }

  private func finishRecord(_ record: UInt64, _ key: ContentKey, _ failure: TransferFailure?) {
    let (bytes, isAbandoned) = state.withLock { state in
      let flight = state.flights[key]
      return (
        flight.map { max(0, $0.ranges.byteCount - $0.resumedBytes) } ?? 0,
        flight?.isAbandoned ?? false
      )
    }
    let answer =
      switch failure {
      case nil: "completed"
      case _ where isAbandoned: "cancelled"
      case .cancelled: "cancelled"
      case .superseded, .cloud, .device: "failed"
      }
    ledger.finish(record, answer: answer, bytes: bytes)
  }
}
