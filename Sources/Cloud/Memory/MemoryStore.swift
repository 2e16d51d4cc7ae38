public import Platform

/// A cloud that lives in memory: for tests, and for worlds that need no folder.
///
/// Everything about it is deterministic: identifiers (`i1`, `i2`, ...) and versions (`c1`, `m1`, ...)
/// count up, pages follow the order of creation, and dates come from the initialiser's clock. Besides
/// the protocol it has a synchronous face by paths (`put`, `rename`, `delete` ...), with which a test
/// does what another device does.
///
/// Each change in the feed carries the state that the item had right after that change.
public final class MemoryStore: CloudStore {
  let state: Locked<MemoryTree>
  let observers = ChangeObservers()
  let now: @Sendable () -> Timestamp
  private let pageSize: Int
  private let pieceSize: Int

  /// An empty account.
  ///
  /// - Parameters:
  ///   - pageSize: the most items of a page, and changes of a batch.
  ///   - pieceSize: the most bytes that a sink gets at once.
  ///   - historyLimit: how many changes an anchor may lie back before it expires.
  ///   - quota: how many bytes the account may hold; nil for no limit.
  ///   - now: the date of what is created or changed.
  public init(
    pageSize: Int = 1000, pieceSize: Int = 1 << 20, historyLimit: Int = 10_000,
    quota: Int64? = nil, now: @escaping @Sendable () -> Timestamp = { Timestamp.now }
  ) {
    precondition(pageSize > 0 && pieceSize > 0 && historyLimit >= 0, "sizes must be positive")
    self.pageSize = pageSize
    self.pieceSize = pieceSize
    self.now = now
    state = Locked(MemoryTree(quota: quota, historyLimit: historyLimit, now: now()))
  }

  /// Everything.
  public var capabilities: CloudCapabilities {
    [.ranges, .writing, .pushesChanges, .stableIdentifiers, .checksums]
  }

  /// The present state of one item.
  public func item(_ identifier: ItemIdentifier, cause: Cause) async throws(CloudError) -> Item {
    try checkCancellation()
    return try read { tree throws(CloudError) in try tree.node(identifier).item }
  }

  /// One page of a folder, in the order in which its items were created.
  public func enumerate(
    _ folder: ItemIdentifier, page: EnumerationPage?, cause: Cause
  ) async throws(CloudError) -> Enumeration {
    try checkCancellation()
    let behind = page.flatMap { UInt64($0.rawValue) }
    guard page == nil || behind != nil else {
      throw CloudError(.failed, "This page is not one of this store.")
    }
    let pageSize = pageSize
    return try read { tree throws(CloudError) in
      let order = try tree.folder(folder).order
      let start = behind.map { last in order.partitioningIndex { $0 > last } } ?? 0
      let serials = order[start...].prefix(pageSize)
      let isLast = start + serials.count == order.count
      return Enumeration(
        items: serials.compactMap { tree.nodes[$0]?.item },
        next: isLast ? nil : serials.last.map { EnumerationPage(rawValue: String($0)) })
    }
  }

  /// The anchor of the present state.
  public func currentAnchor(cause: Cause) async throws(CloudError) -> SyncAnchor {
    try checkCancellation()
    return state.withLock { $0.history.anchor }
  }

  /// What has changed since an anchor.
  public func changes(
    since anchor: SyncAnchor, cause: Cause
  ) async throws(CloudError) -> ChangeBatch {
    try checkCancellation()
    let pageSize = pageSize
    return try read { tree throws(CloudError) in
      try tree.history.batch(since: anchor, count: pageSize)
    }
  }

  /// Calls `handler` after every change, on the thread that made it.
  public func observeChanges(
    _ handler: @escaping @Sendable () -> Void
  ) -> any ChangeObservation { observers.add(handler) }

  /// Sends content in pieces; looks before each whether the version is still the present one.
  public func content(
    of identifier: ItemIdentifier, version: String, range: ByteRange, to sink: any ContentSink,
    cause: Cause
  ) async throws(CloudError) {
    var position = range.offset
    repeat {
      try checkCancellation()
      let content = try content(of: identifier, version: version)
      let end = min(range.clamped(to: Int64(content.count)).end, position + Int64(pieceSize))
      guard position < end else { return }
      try await sink.receive(content[Int(position)..<Int(end)], at: position)
      position = end
    } while position < range.end
    // The version that the last piece came from must be the present one to the end.
    _ = try content(of: identifier, version: version)
  }

  /// The bytes that the account holds, and how many it may hold.
  public func quota(cause: Cause) async throws(CloudError) -> Quota {
    try checkCancellation()
    return state.withLock { Quota(total: $0.quota, used: $0.usedBytes) }
  }

  func read<Value: Sendable>(
    _ body: (MemoryTree) throws(CloudError) -> Value
  ) throws(CloudError) -> Value {
    try state.withLock { tree throws(CloudError) in try body(tree) }
  }

  func checkCancellation() throws(CloudError) {
    if Task.isCancelled { throw .cancelledByCaller }
  }

  private func content(
    of identifier: ItemIdentifier, version: String
  ) throws(CloudError) -> [UInt8] {
    try read { tree throws(CloudError) in
      let node = try tree.node(identifier)
      guard node.item.kind != .folder else {
        throw CloudError(.failed, "The item \(identifier) is a folder: it has no content.")
      }
      guard node.item.version.content == version else {
        throw CloudError(
          .versionGone, "The item \(identifier) has no content version \(version) any more.")
      }
      return node.content
    }
  }
}
