import Catalog
import Platform

/// What a device does at start about the time when it was not running.
extension Drive {
  /// Drops content that the last run left without a use, and content that a power cut may have torn.
  func cleanUpContent() throws {
    if catalog.wasPowerCut { try distrustContent() }
    materializer.content.forEach { key in
      let residency = try? catalog.residency(of: key.inode, contentSerial: key.serial)
      if residency == nil || residency == .dataless { materializer.content.remove(key) }
    }
  }

  /// Content is published without fsync, since it can be fetched again: after a power cut it may hold
  /// zeros, so it is fetched again.
  private func distrustContent() throws {
    var last = InodeNumber(rawValue: 0)
    while true {
      let rows = try catalog.materialized(limit: 1000, after: last)
      // What is not in the cloud yet is not evicted, and so it is met only once.
      for entry in rows { _ = try catalog.evict(entry.inode) }
      guard let end = rows.last else { break }
      last = end.inode
    }
    try catalog.trustContent()
  }
}
