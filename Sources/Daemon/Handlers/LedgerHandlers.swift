import Control
import Foundation
import Ledger
import Platform

/// The methods `ledger.*`.
extension ControlMethods {
  mutating func registerLedger(_ world: World) {
    let ledger = world.ledger
    register(LedgerQuery.self) { params, _ throws(ControlError) in
      guard (1...10_000).contains(params.limit) else {
        throw ControlError(.invalidParameters, "the limit is a number from 1 to 10000")
      }
      let found = ledger.records().filter(params.filter.matches)
      let records = Array(found.prefix(params.limit))
      return LedgerQuery.Result(
        records: records, isComplete: records.count == found.count,
        dropped: ledger.droppedCount)
    }
    register(LedgerClear.self) { _, _ throws(ControlError) in
      let removed = ledger.records().count
      ledger.clear()
      return LedgerClear.Result(removed: removed)
    }
    register(LedgerAwait.self) { params, _ throws(ControlError) in
      try await Deadline.run(milliseconds: params.timeoutMilliseconds) {
        await ledger.wait(for: params.count, params.filter)
      }
      let awaited = ledger.awaitedRecords(params.filter)
      return LedgerAwait.Result(records: Array(awaited.prefix(max(0, params.count))))
    }
    register(LedgerFollow.self) { params, context throws(ControlError) in
      let (records, feed) = AsyncStream.makeStream(of: Record.self)
      let observation = ledger.observe { event in
        guard case .finished(let record) = event, params.filter.matches(record) else { return }
        feed.yield(record)
      }
      defer { observation.end() }
      // What is complete by now may also have come to the observer.
      let past = ledger.completeRecords(params.filter)
      let known = Set(past.map(\.id))
      for record in past {
        guard await context.notify(record) else { return Nothing() }
      }
      for await record in records where !known.contains(record.id) {
        guard await context.notify(record) else { break }
      }
      return Nothing()
    }
  }
}

extension Recorder {
  fileprivate func completeRecords(_ filter: LedgerFilter) -> [Record] {
    records().filter { $0.answer != nil && filter.matches($0) }
  }

  /// What `ledger.await` counts: a record that is open may still change so that it no longer matches.
  fileprivate func awaitedRecords(_ filter: LedgerFilter) -> [Record] {
    filter.isOpen == true ? records().filter(filter.matches) : completeRecords(filter)
  }

  /// Suspends until so many awaited records match, or the task is cancelled.
  fileprivate func wait(for count: Int, _ filter: LedgerFilter) async {
    let (events, feed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let observation = observe { _ in feed.yield() }
    feed.yield()
    for await _ in events where awaitedRecords(filter).count >= count { break }
    observation.end()
  }
}

extension LedgerFilter {
  /// Whether a record is meant.
  func matches(_ record: Record) -> Bool {
    if let after, record.id <= after { return false }
    if let kinds, !kinds.contains(record.kind) { return false }
    if let callClasses, !callClasses.contains(record.callClass) { return false }
    if let path, fnmatch(path, record.path, 0) != 0 { return false }
    if let device, record.device != device { return false }
    if let process, record.process != process { return false }
    if let executable, !Self.isNamed(executable, record.executable) { return false }
    if let answer, record.answer != answer { return false }
    if let started, record.started != started { return false }
    if let cause, record.cause != cause { return false }
    if let isOpen, isOpen != (record.answer == nil) { return false }
    return true
  }

  private static func isNamed(_ name: String, _ executable: String) -> Bool {
    name.contains("/")
      ? executable == name : executable.split(separator: "/").last.map(String.init) == name
  }
}
