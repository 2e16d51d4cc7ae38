import Catalog
import Cloud
import Ledger
import Platform
import Profiles

/// Why a transfer did not make its version the item's content.
enum TransferFailure: Error, Sendable {
  /// The cloud refused or failed.
  case cloud(CloudError)
  /// The device failed (no room, for instance), or a test said so.
  case device(Errno)
  /// Nobody wants it any more, or the drive stops.
  case cancelled
  /// The item has another version by now.
  case superseded

  init(_ failure: CheckpointFailure) {
    switch failure {
    case .failed(let error): self = .device(error)
    case .cancelled: self = .cancelled
    }
  }

  init(_ error: CloudError) {
    switch error.code {
    case .cancelled: self = .cancelled
    case .versionGone: self = .superseded
    default: self = .cloud(error)
    }
  }
}

/// One version on its way: from the cloud into its content file, and into the catalog.
struct Transfer: Sendable {
  let key: ContentKey
  let materializer: Materializer
  let record: UInt64
  let callClass: CallClass
  let entry: Entry
  let details: Details
  let file: ContentFile
  let subject: CheckpointSubject

  /// Fetches what is missing, verifies, and publishes.
  func run() async throws(TransferFailure) {
    try await reach(.requested)
    var hasAsked = false
    while let range = materializer.nextRange(for: key, isFirst: !hasAsked) {
      hasAsked = true
      try await fetch(range)
    }
    guard materializer.isWhole(key) else { return }
    try verify()
    try await reach(.beforePublish)
    try publish()
    try await reach(.published)
  }

  private func fetch(_ range: ByteRange) async throws(TransferFailure) {
    let sink = TransferSink(transfer: self, range: range)
    do {
      try await materializer.cloud.content(
        of: details.item, version: details.version.content, range: range, to: sink,
        cause: Cause(rawValue: record))
    } catch {
      if let failure = sink.failure { throw failure }
      // The sink ended the call to turn to a range that somebody waits for.
      if sink.wasRedirected { return }
      throw TransferFailure(error)
    }
  }

  private func verify() throws(TransferFailure) {
    guard let expected = details.checksum else { return }
    var hasher = ContentHasher()
    do throws(Errno) { try file.forEachPiece { hasher.update($0) } } catch { throw .device(error) }
    guard hasher.finish() != expected else { return }
    // A torn or altered copy must not stick: the next access begins anew.
    materializer.dropRanges(of: key)
    throw .cloud(
      CloudError(.corrupt, "what arrived has another checksum than the cloud told; try again"))
  }

  private func publish() throws(TransferFailure) {
    guard let drive = materializer.drive else { throw .cancelled }
    let isPublished: Bool
    do throws(CatalogError) { isPublished = try drive.publish(key) } catch {
      throw .device(error.errno)
    }
    guard isPublished else { throw .superseded }
    drive.expectClaim(key.inode, broughtBy: callClass)
  }

  private func reach(_ checkpoint: Checkpoint) async throws(TransferFailure) {
    do {
      try await materializer.checkpoints.reach(checkpoint, subject)
    } catch {
      throw TransferFailure(error)
    }
  }
}

/// Writes what arrives into the content file, and lets those go on whose bytes are there.
final class TransferSink: ContentSink {
  private struct State: Sendable {
    var failure: TransferFailure?
    var wasRedirected = false
  }

  private let transfer: Transfer
  private let range: ByteRange
  private let state = Locked(State())

  init(transfer: Transfer, range: ByteRange) {
    self.transfer = transfer
    self.range = range
  }

  var failure: TransferFailure? { state.withLock { $0.failure } }
  var wasRedirected: Bool { state.withLock { $0.wasRedirected } }

  func receive(_ bytes: ContentBytes, at offset: Int64) async throws(CloudError) {
    do throws(Errno) {
      try transfer.file.write(bytes, at: offset)
    } catch {
      state.withLock { $0.failure = .device(error) }
      throw CloudError(.failed, "the content file cannot be written: \(error)")
    }
    let arrived = ByteRange(offset: offset, count: Int64(bytes.count))
    transfer.materializer.arrived(arrived, of: transfer.key)
    let rest = ByteRange(from: min(arrived.end, range.end), to: range.end)
    if transfer.materializer.isWantedElsewhere(transfer.key, streaming: rest) {
      state.withLock { $0.wasRedirected = true }
      throw CloudError(.cancelled, "another range is wanted first")
    }
  }
}

extension ContentFile {
  /// Reads the whole file in pieces.
  func forEachPiece(_ body: (UnsafeRawBufferPointer) -> Void) throws(Errno) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while true {
      let count = try read(into: buffer, at: offset)
      if count == 0 { return }
      body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += Int64(count)
    }
  }
}
