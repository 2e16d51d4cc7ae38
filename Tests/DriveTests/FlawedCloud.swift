import Cloud
import Platform

/// A cloud whose content arrives with one wrong byte while it is flawed.
struct FlawedCloud: CloudStore {
  private let inner: any CloudStore
  private let isFlawed: Locked<Bool>

  init(_ inner: any CloudStore, isFlawed: Locked<Bool>) {
    self.inner = inner
    self.isFlawed = isFlawed
  }

  private struct Sink: ContentSink {
    let inner: any ContentSink
    func receive(_ bytes: ContentBytes, at offset: Int64) async throws(CloudError) {
      var bytes = bytes
      bytes[bytes.startIndex] ^= 1
      try await inner.receive(bytes, at: offset)
    }
  }

  func content(
    of identifier: ItemIdentifier, version: String, range: ByteRange, to sink: any ContentSink,
    cause: Cause
  ) async throws(CloudError) {
    let sink: any ContentSink = isFlawed.withLock { $0 } ? Sink(inner: sink) : sink
    try await inner.content(of: identifier, version: version, range: range, to: sink, cause: cause)
  }

  var capabilities: CloudCapabilities { inner.capabilities }

  func item(_ identifier: ItemIdentifier, cause: Cause) async throws(CloudError) -> Item {
    try await inner.item(identifier, cause: cause)
  }

  func enumerate(
    _ folder: ItemIdentifier, page: EnumerationPage?, cause: Cause
  ) async throws(CloudError) -> Enumeration {
    try await inner.enumerate(folder, page: page, cause: cause)
  }

  func currentAnchor(cause: Cause) async throws(CloudError) -> SyncAnchor {
    try await inner.currentAnchor(cause: cause)
  }

  func changes(since anchor: SyncAnchor, cause: Cause) async throws(CloudError) -> ChangeBatch {
    try await inner.changes(since: anchor, cause: cause)
  }

  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
    inner.observeChanges(handler)
  }

  func create(
    _ template: ItemTemplate, content: (any ContentSource)?, cause: Cause
  ) async throws(CloudError) -> Item {
    try await inner.create(template, content: content, cause: cause)
  }

  func modify(
    _ identifier: ItemIdentifier, base: ItemVersion?, changes: ItemChanges,
    content: (any ContentSource)?, cause: Cause
  ) async throws(CloudError) -> Item {
    try await inner.modify(
      identifier, base: base, changes: changes, content: content, cause: cause)
  }

  func move(
    _ identifier: ItemIdentifier, to parent: ItemIdentifier, name: FileName, base: ItemVersion?,
    replacing: Bool, cause: Cause
  ) async throws(CloudError) -> Item {
    try await inner.move(
      identifier, to: parent, name: name, base: base, replacing: replacing, cause: cause)
  }

  func delete(
    _ identifier: ItemIdentifier, base: ItemVersion?, recursively: Bool, cause: Cause
  ) async throws(CloudError) {
    try await inner.delete(identifier, base: base, recursively: recursively, cause: cause)
  }

  func quota(cause: Cause) async throws(CloudError) -> Quota { try await inner.quota(cause: cause) }
}
