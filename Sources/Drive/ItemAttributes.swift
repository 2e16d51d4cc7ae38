public import Cloud
public import Platform

/// What `stat` shows of an item.
public struct ItemAttributes: Hashable, Sendable {
  /// The persistent number.
  public var inode: InodeNumber
  /// What it is.
  public var kind: ItemKind
  /// Permission bits.
  public var permissions: UInt16
  /// Names it has; for a folder, 2 and one more for each folder in it is not kept: always 2.
  public var links: UInt32
  /// The real length in bytes, also while the content is not here.
  public var size: Int64
  /// Blocks of 512 bytes.
  public var blocks: Int64
  /// When the content changed last.
  public var modified: Timestamp
  /// When anything changed last; stable over restarts.
  public var changed: Timestamp
  /// When the item was created.
  public var created: Timestamp
  /// Whether the kernel may keep this until it is told otherwise. False for what is not local.
  public var isCacheable: Bool
}

/// A name that was found.
public struct Found: Hashable, Sendable {
  /// The kernel's name for it.
  public var node: NodeID
  /// What `stat` would show.
  public var attributes: ItemAttributes
  /// Whether the kernel may keep the name until it is told otherwise.
  public var isCacheable: Bool

  /// The same for once only.
  func uncached() -> Found {
    var found = self
    found.isCacheable = false
    found.attributes.isCacheable = false
    return found
  }
}

/// The answer to a look-up.
public enum LookupResult: Hashable, Sendable {
  /// The name exists; the kernel now knows its node once more.
  case found(Found)
  /// The name does not exist, and the kernel may keep that until it is told otherwise.
  case knownMissing

  /// The same for once only: nobody sees to it that the kernel learns of a change meanwhile.
  func uncached() throws(Errno) -> LookupResult {
    guard case .found(let found) = self else { throw .noSuchFile }
    return .found(found.uncached())
  }
}
