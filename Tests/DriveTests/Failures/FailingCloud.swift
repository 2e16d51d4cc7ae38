import Cloud
import Platform

/// A cloud one call of which fails: before it is made, or after it was, so that only its answer is lost.
final class FailingCloud: CloudStore {
  enum Moment: CaseIterable, Sendable {
    case before
    /// The cloud has done what it was asked.
    case after
  }

  struct Plan: Sendable {
    /// Which call fails, the first being 1; 0 for none.
    var number: Int
    var code: CloudError.Code
    var moment: Moment
    var seen = 0
    /// What failed.
    var failed: String?
  }

  /// What a test does in the middle of calls.
  struct Hooks: Sendable {
    /// Which items cannot be given which names.
    var deniesMove: @Sendable (ItemIdentifier, FileName) -> Bool = { _, _ in false }
    /// Called when the cloud itself has refused something, before anybody hears of it.
    var refused: @Sendable (CloudError) async -> Void = { _ in }
  }

  let plan: Locked<Plan>
  private let inner: any CloudStore
  private let hooks: Hooks

  init(
    _ inner: any CloudStore,
    _ plan: Locked<Plan> = Locked(Plan(number: 0, code: .failed, moment: .before)),
    hooks: Hooks = Hooks()
  ) {
    self.inner = inner
    self.plan = plan
    self.hooks = hooks
  }

  private func call<Value: Sendable>(
    _ name: String, _ body: () async throws(CloudError) -> Value
  ) async throws(CloudError) -> Value {
    let (moment, code) = plan.withLock { plan -> (Moment?, CloudError.Code) in
      plan.seen += 1
      guard plan.seen == plan.number else { return (nil, .failed) }
      plan.failed = name
      return (plan.moment, plan.code)
    }
    let error = CloudError(code, "a test lets \(name) fail")
    if moment == .before { throw error }
    let value: Value
    do throws(CloudError) { value = try await body() } catch {
      await hooks.refused(error)
      throw error
    }
    if moment == .after { throw error }
    return value
  }

  var capabilities: CloudCapabilities { inner.capabilities }

  func item(_ identifier: ItemIdentifier, cause: Cause) async throws(CloudError) -> Item {
    try await call("item") { () async throws(CloudError) in
      try await inner.item(identifier, cause: cause)
    }
  }

  func enumerate(
    _ folder: ItemIdentifier, page: EnumerationPage?, cause: Cause
  ) async throws(CloudError) -> Enumeration {
    try await call("enumerate") { () async throws(CloudError) in
      try await inner.enumerate(folder, page: page, cause: cause)
    }
  }

  func currentAnchor(cause: Cause) async throws(CloudError) -> SyncAnchor {
    try await call("anchor") { () async throws(CloudError) in
      try await inner.currentAnchor(cause: cause)
    }
  }

  func changes(since anchor: SyncAnchor, cause: Cause) async throws(CloudError) -> ChangeBatch {
    try await call("changes") { () async throws(CloudError) in
      try await inner.changes(since: anchor, cause: cause)
    }
  }

  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
    inner.observeChanges(handler)
  }

  func content(
    of identifier: ItemIdentifier, version: String, range: ByteRange, to sink: any ContentSink,
    cause: Cause
  ) async throws(CloudError) {
    try await call("content") { () async throws(CloudError) in
      try await inner.content(
        of: identifier, version: version, range: range, to: sink, cause: cause)
    }
  }

  func create(
    _ template: ItemTemplate, content: (any ContentSource)?, cause: Cause
  ) async throws(CloudError) -> Item {
    try await call("create") { () async throws(CloudError) in
      try await inner.create(template, content: content, cause: cause)
    }
  }

  func modify(
    _ identifier: ItemIdentifier, base: ItemVersion?, changes: ItemChanges,
    content: (any ContentSource)?, cause: Cause
  ) async throws(CloudError) -> Item {
    try await call("modify") { () async throws(CloudError) in
      try await inner.modify(
        identifier, base: base, changes: changes, content: content, cause: cause)
    }
  }

  func move(
    _ identifier: ItemIdentifier, to parent: ItemIdentifier, name: FileName, base: ItemVersion?,
    replacing: Bool, cause: Cause
  ) async throws(CloudError) -> Item {
    if hooks.deniesMove(identifier, name) { throw CloudError(.denied, "a test denies it") }
    return try await call("move") { () async throws(CloudError) in
      try await inner.move(
        identifier, to: parent, name: name, base: base, replacing: replacing, cause: cause)
    }
  }

  func delete(
    _ identifier: ItemIdentifier, base: ItemVersion?, recursively: Bool, cause: Cause
  ) async throws(CloudError) {
    try await call("delete") { () async throws(CloudError) in
      try await inner.delete(identifier, base: base, recursively: recursively, cause: cause)
    }
  }

  func quota(cause: Cause) async throws(CloudError) -> Quota {
    try await call("quota") { () async throws(CloudError) in try await inner.quota(cause: cause) }
  }
}
