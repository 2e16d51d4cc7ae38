import Catalog
import Cloud
import Platform

/// Finds out whether the cloud has taken a change of which nobody has heard how it ended, since the
/// answer was lost or the process died, and notes it.
struct Settlement: Sendable {
  let sending: Sending
  let drive: Drive

  /// - Returns: why it could not be found out; nil when it is known.
  func run() async -> CloudError? {
    do throws(CloudError) {
      // It may have ended before this one began.
      guard try drive.read({ try drive.catalog.sendings() }).contains(sending) else { return nil }
      guard let (item, parts) = try await whatArrived() else {
        try drive.read { try drive.catalog.sendingEnded(sending.inode) }
        return nil
      }
      drive.ownChanges.note(item.version, of: item.identifier, isMade: true)
      _ = try drive.noteUploaded(
        sending.inode, sending.sequence, parts, as: item, upon: sending.base,
        contentIsCurrent: false)
      try await lookInside(item)
      return nil
    } catch {
      return error
    }
  }

  private func whatArrived() async throws(CloudError) -> (Item, PendingParts)? {
    if sending.parts.contains(.created) {
      guard let item = try await named(), try await isSame(item) else { return nil }
      return (item, sending.parts)
    }
    guard let item = try await known(), item.version != sending.base else { return nil }
    if sending.parts.contains(.content) {
      guard try await isSame(item) else { return nil }
    } else if sending.parts.contains(.metadata) {
      guard item.size == sending.size, item.modified == sending.modified,
        item.permissions.map({ $0 == sending.permissions }) ?? true
      else { return nil }
    } else {
      guard item.version.content == sending.base.content, item.name == sending.name,
        item.parent == sending.folder
      else { return nil }
    }
    return (item, sending.parts)
  }

  /// What the cloud has under the name of a new item.
  private func named() async throws(CloudError) -> Item? {
    var page: EnumerationPage?
    do throws(CloudError) {
      repeat {
        let listed = try await drive.cloud.enumerate(
          sending.folder, page: page, cause: .housekeeping)
        if let item = listed.items.first(where: { $0.name == sending.name }) { return item }
        page = listed.next
      } while page != nil
    } catch  where error.code == .notFound {
      return nil
    }
    return nil
  }

  private func known() async throws(CloudError) -> Item? {
    do throws(CloudError) {
      return try await drive.cloud.item(sending.item, cause: .housekeeping)
    } catch  where error.code == .notFound {
      return nil
    }
  }

  /// Whether it has what was sent. A folder is one whoever has made it: what is in it stays.
  private func isSame(_ item: Item) async throws(CloudError) -> Bool {
    guard item.kind == sending.kind else { return false }
    switch item.kind {
    case .folder: return true
    case .symlink: return item.target == sending.target
    case .file:
      guard item.size == sending.size, let expected = sending.checksum else { return false }
      return try await checksum(of: item) == expected
    }
  }

  private func checksum(of item: Item) async throws(CloudError) -> Checksum {
    if let checksum = item.checksum { return checksum }
    let sink = HashingSink()
    if item.size > 0 {
      try await drive.cloud.content(
        of: item.identifier, version: item.version.content,
        range: ByteRange(offset: 0, count: item.size), to: sink, cause: .housekeeping)
    }
    return sink.finish()
  }

  /// Others may have put something into a new folder before this device knew that it is there.
  private func lookInside(_ item: Item) async throws(CloudError) {
    guard item.kind == .folder, sending.parts.contains(.created),
      let entry = try drive.read({ try drive.catalog.entry(of: sending.inode) }),
      try drive.read({ try drive.catalog.details(of: entry.inode) })?.item == item.identifier
    else { return }
    do throws(CloudError) {
      try await drive.enumerate(sending.inode, .housekeeping)
    } catch  where error.code == .notFound {
      // It is gone again, which the feed tells.
    }
  }
}

/// Computes the checksum of what comes.
///
/// Unchecked because a store sends one piece after another.
private final class HashingSink: ContentSink, @unchecked Sendable {
  private var hasher: ContentHasher? = ContentHasher()

  func receive(_ bytes: ContentBytes, at offset: Int64) async throws(CloudError) {
    hasher?.update(bytes)
  }

  func finish() -> Checksum { (hasher.take() ?? ContentHasher()).finish() }
}
