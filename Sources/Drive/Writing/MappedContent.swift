import Catalog
import Glibc
import Platform

/// Content files that programs may have mapped for writing without the drive: while the kernel reads a
/// document by itself, a mapping of it leads to the content file, and nobody is told what it changes.
///
/// Looked at when a descriptor that may write is synchronized or closed, at the next open, and at the end.
struct MappedContent: Sendable {
  private let stamps = Locked<[NodeID: ContentStamp]>([:])

  /// From now on the content may change; what it is now is known.
  func watch(_ id: NodeID, _ stamp: ContentStamp) {
    stamps.withLock { stamps in
      if stamps[id]?.file != stamp.file { stamps[id] = stamp }
    }
  }

  /// The content has changed otherwise, and this is what it is now.
  func refresh(_ id: NodeID, _ stamp: ContentStamp) {
    stamps.withLock { if $0[id] != nil { $0[id] = stamp } }
  }

  func forget(_ id: NodeID) { stamps.withLock { _ = $0.removeValue(forKey: id) } }

  func isWatched(_ id: NodeID) -> Bool { stamps.withLock { $0[id] != nil } }

  var watched: [NodeID] { stamps.withLock { Array($0.keys) } }

  /// Whether the file is the one that was known, and has changed.
  func hasChanged(_ id: NodeID, _ stamp: ContentStamp) -> Bool {
    stamps.withLock { stamps in
      guard let known = stamps[id] else { return false }
      return known.file == stamp.file && known != stamp
    }
  }
}

/// By what a changed content file is known.
struct ContentStamp: Hashable, Sendable {
  let file: UInt64
  let size: Int64
  let modified: Timestamp

  init(_ status: stat) {
    file = UInt64(status.st_ino)
    size = Int64(status.st_size)
    modified = Timestamp(
      seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int32(status.st_mtim.tv_nsec))
  }
}

extension Drive {
  /// Begins to look after content that may be mapped for writing.
  func watchMapped(_ id: NodeID, _ handle: HandleIdentifier) {
    if let stamp = contentFile(of: handle).flatMap(stamp) { mapped.watch(id, stamp) }
  }

  /// The content is as programs have written it, and the drive knows.
  func refreshMapped(_ id: NodeID) {
    guard mapped.isWatched(id), let stamp = stamp(ofContentOf: id) else { return }
    mapped.refresh(id, stamp)
  }

  /// Notes as written what has changed through a mapping.
  func noticeMapped(_ id: NodeID) {
    guard mapped.isWatched(id), let node = node(id), node.isCurrent,
      let stamp = stamp(ofContentOf: id), mapped.hasChanged(id, stamp),
      !node.isWriting, (try? beginWriting(id, by: .write)) != nil
    else { return }
    table.withLock { $0.resized(id, to: stamp.size, at: stamp.modified) }
    mapped.refresh(id, stamp)
  }

  /// Notes it also where nobody has the document open any more who would end the writing.
  func noticeMappedAndEnd(_ id: NodeID) {
    guard mapped.isWatched(id) else { return }
    noticeMapped(id)
    endWritingIfUnopened(id)
  }

  private func stamp(ofContentOf id: NodeID) -> ContentStamp? {
    guard let entry = node(id)?.entry else { return nil }
    return (try? materializer.content.openExisting(ContentKey(entry))).flatMap(stamp)
  }

  private func stamp(_ file: ContentFile) -> ContentStamp? {
    (try? file.status()).map(ContentStamp.init)
  }
}
