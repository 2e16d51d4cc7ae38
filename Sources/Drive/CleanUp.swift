import Catalog
import Glibc
import Platform

/// What a device does at start about the time when it was not running.
extension Drive {
  /// Drops content that the last run left without a use, and content that a power cut may have torn.
  func cleanUpContent() throws {
    try endInterruptedWriting()
    if catalog.wasPowerCut { try distrustContent() }
    // What a catalog that cannot be read does not say is no reason to throw anything away.
    try materializer.content.forEach { key throws(CatalogError) in
      let residency = try catalog.residency(of: key.inode, contentSerial: key.serial)
      if residency == nil || residency == .dataless { materializer.content.remove(key) }
    }
  }

  /// Documents that were being written when the drive died are as their writers left them, as on a disk.
  private func endInterruptedWriting() throws {
    for entry in try catalog.writingItems() {
      // A file of which nothing was written has no content; any other one is damaged without.
      let status = try? materializer.content.openExisting(ContentKey(entry)).status()
      _ = try catalog.endWriting(
        entry.inode, size: status.map { Int64($0.st_size) } ?? entry.size,
        modified: status.map { Timestamp($0.st_mtim) } ?? entry.modified, stillWriting: false)
    }
  }

  /// Content is published without fsync, since it can be fetched again: after a power cut it may hold
  /// zeros, so it is fetched again.
  private func distrustContent() throws {
    var last = InodeNumber(rawValue: 0)
    while true {
      let rows = try catalog.materialized(limit: 1000, after: last)
      guard let next = rows.last else { break }
      last = next.inode
      // What is not in the cloud is nowhere else; what its writer synchronized is whole.
      for entry in rows where try catalog.pendingItem(of: entry.inode) == nil {
        _ = try catalog.evict(entry.inode)
      }
    }
    try catalog.trustContent()
  }
}
