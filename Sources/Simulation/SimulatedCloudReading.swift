public import Cloud
public import Platform

extension SimulatedCloud {
  /// The present state of one item.
  public func item(_ identifier: ItemIdentifier, cause: Cause) async throws(CloudError) -> Item {
    try await begin()
    let item = try await inner.item(identifier, cause: cause)
    try await end(.item, subject(identifier, cause))
    return item
  }

  /// One page of a folder; every page takes the latency.
  public func enumerate(
    _ folder: ItemIdentifier, page: EnumerationPage?, cause: Cause
  ) async throws(CloudError) -> Enumeration {
    try await begin()
    let enumeration = try await inner.enumerate(folder, page: page, cause: cause)
    try await end(.enumerate, subject(folder, cause))
    return enumeration
  }

  /// The anchor of the present state.
  public func currentAnchor(cause: Cause) async throws(CloudError) -> SyncAnchor {
    try await begin()
    let anchor = try await inner.currentAnchor(cause: cause)
    try await end(.anchor, account(cause))
    return anchor
  }

  /// What has changed since an anchor.
  public func changes(
    since anchor: SyncAnchor, cause: Cause
  ) async throws(CloudError) -> ChangeBatch {
    try await begin()
    let batch = try await inner.changes(since: anchor, cause: cause)
    try await end(.changes, account(cause))
    return batch
  }

  /// Sends content through the bandwidth and the gates.
  public func content(
    of identifier: ItemIdentifier, version: String, range: ByteRange, to sink: any ContentSink,
    cause: Cause
  ) async throws(CloudError) {
    try await begin()
    let subject = subject(identifier, cause)
    let transfer = ConditionedSink(
      sink, range: range, subject: subject, gates: gates, pacer: Pacer(conditions, clock, .down))
    try await inner.content(
      of: identifier, version: version, range: range, to: transfer, cause: cause)
    try await end(.content, subject)
  }

  /// The room of the account.
  public func quota(cause: Cause) async throws(CloudError) -> Quota {
    try await begin()
    let quota = try await inner.quota(cause: cause)
    try await end(.quota, account(cause))
    return quota
  }
}
