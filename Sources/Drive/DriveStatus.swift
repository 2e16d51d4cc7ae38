public import Catalog
public import Cloud
public import Platform
import Profiles

/// Where a document's content stands (Apple's `URLUbiquitousItemDownloadingStatus`).
public enum DownloadingStatus: String, Hashable, Sendable {
  /// The content is not on this device.
  case notDownloaded
  /// A copy is here, but not of the newest version that is known.
  case downloaded
  /// The newest version that is known is here.
  case current
}

/// What the drive knows of an item; asking starts nothing.
public struct ItemState: Hashable, Sendable {
  /// The path on the device.
  public var path: String
  /// The name; empty for the root.
  public var name: String
  /// What it is.
  public var kind: ItemKind
  /// The number that `stat` shows.
  public var inode: InodeNumber
  /// Its size in bytes.
  public var size: Int64
  /// When its content changed last.
  public var modified: Timestamp
  /// Its identifier in the cloud.
  public var item: String
  /// Its version in the cloud.
  public var version: String
  /// Where its content stands; `current` for a folder whose children are known.
  public var downloadingStatus: DownloadingStatus
  /// Whether content is on its way.
  public var isDownloading: Bool
  /// Whether it has changes that are not in the cloud yet.
  public var isPending: Bool
  /// Whether they are on their way there.
  public var isUploading: Bool
  /// How much of the content is here, 0 to 100.
  public var percent: Int
  /// Whether it is kept here; what counts, be it said of the item or of a folder above it.
  public var pin: Pin
  /// Why the last transfer failed; nil when it did not.
  public var error: String?
}

extension Drive {
  /// The state of an item; nil when this device does not know it.
  public func status(of inode: InodeNumber) -> ItemState? {
    guard let entry = (try? catalog.entry(of: inode)) ?? nil,
      let details = (try? catalog.details(of: inode)) ?? nil
    else { return nil }
    return status(entry, details)
  }

  func status(_ entry: Entry, _ details: Details) -> ItemState {
    let isHere = isLocal(entry)
    let here = isHere ? entry.size : bytesHere(entry)
    return ItemState(
      path: path(of: entry.inode), name: details.name?.text ?? "", kind: entry.kind,
      inode: entry.inode, size: entry.size, modified: entry.modified,
      item: details.item.isLocal ? "" : details.item.rawValue,
      version: details.item.isLocal ? "" : details.version.content,
      downloadingStatus: isHere ? .current : .notDownloaded,
      isDownloading: materializer.isRunning(ContentKey(entry)),
      isPending: (try? catalog.pendingItem(of: entry.inode)) ?? nil != nil,
      isUploading: uploader.isRunning(entry.inode),
      percent: isHere ? 100 : entry.size == 0 ? 0 : Int(here * 100 / entry.size),
      pin: pin(of: entry.inode), error: failures.withLock { $0[entry.inode] })
  }

  private func bytesHere(_ entry: Entry) -> Int64 {
    if let running = materializer.progress(of: ContentKey(entry)) { return running }
    guard entry.residency == .partial else { return 0 }
    return (try? catalog.savedRanges(of: entry.inode).byteCount) ?? 0
  }

  /// What `statfs` says; never waits.
  public func room() -> Quota { quota.withLock { $0 } ?? Quota(total: nil, used: 0) }

  /// Asks the cloud for its quota, for the next `statfs`.
  public func refreshQuota() async {
    guard let fresh = try? await cloud.quota(cause: .housekeeping) else { return }
    quota.withLock { $0 = fresh }
  }

  /// How many items this device knows, and how much content is here.
  public func totals() throws(CatalogError) -> Counts { try catalog.counts() }

  /// How many transfers run or are queued, and how many replies are held.
  public var activity: (transfers: Int, heldReplies: Int) {
    let (transfers, held) = materializer.activity
    return (transfers, held + populations.heldReplies)
  }

  /// Suspends until every change of this device is in the cloud.
  ///
  /// - Throws: EINTR when the task is cancelled, EIO when the drive stops.
  public func awaitUploads() async throws(Errno) { try await uploader.whenAllIsUp().value() }

  /// How many changes of this device are not in the cloud yet: 0 when everything is up. At least 1 while
  /// the catalog cannot be read.
  public var pendingChanges: Int {
    guard let counts = try? catalog.pendingCounts() else { return 1 }
    return counts.items + counts.deletions
  }

  /// Whether anything is not in the cloud yet, or might not be since the catalog cannot be read.
  var hasPendingChanges: Bool { (try? catalog.hasPendingChanges()) ?? true }

  /// Calls `observer` with the bytes that are here whenever more of an item has come.
  public func observeProgress(
    of inode: InodeNumber, _ observer: @escaping @Sendable (Int64) -> Void
  ) -> UInt64 { materializer.observe(inode, observer) }

  /// Ends an observation.
  public func stopObserving(_ observer: UInt64) { materializer.stopObserving(observer) }

  /// How many nodes the kernel knows, and how many handles are open.
  public var usage: (nodes: Int, handles: Int) {
    table.withLock { ($0.nodes.count, $0.handles.count) }
  }
}

extension ItemIdentifier {
  /// Whether only this device knows the item.
  var isLocal: Bool { rawValue.hasPrefix("local:") }
}
