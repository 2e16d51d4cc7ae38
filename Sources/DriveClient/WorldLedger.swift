public import Control
public import Ledger
internal import Platform

extension World {
  /// All records that the filter means, oldest first.
  public func records(_ filter: LedgerFilter = LedgerFilter()) throws(ControlError) -> [Record] {
    var records: [Record] = []
    var filter = filter
    while true {
      let page = try call(LedgerQuery.self, .init(filter: filter))
      records += page.records
      guard !page.isComplete, let last = page.records.last else { return records }
      filter.after = last.id
    }
  }

  /// Calls `handler` for every record, also those to come; returns only by an error.
  public func follow(
    _ filter: LedgerFilter = LedgerFilter(), _ handler: (Record) -> Void
  ) throws(ControlError) {
    _ = try call(LedgerFollow.self, .init(filter: filter), progress: handler)
  }

  /// Waits until so many records are there, and returns them; of those that are held or run as well,
  /// unless the filter says `isComplete`.
  public func awaitRecords(
    _ filter: LedgerFilter, count: Int = 1, timeout: Duration? = nil
  ) throws(ControlError) -> [Record] {
    let params = LedgerAwait.Params(
      filter: filter, count: count,
      timeoutMilliseconds: timeout.map { $0.nanoseconds / 1_000_000 })
    return try call(LedgerAwait.self, params).records
  }

  /// Forgets all complete records, and returns how many that was.
  @discardableResult
  public func clearRecords() throws(ControlError) -> Int {
    try call(LedgerClear.self, Nothing()).removed
  }
}
