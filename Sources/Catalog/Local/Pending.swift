public import Cloud
public import Platform

/// An item of which something is not in the cloud yet.
public struct PendingItem: Hashable, Sendable {
  /// The item.
  public let inode: InodeNumber
  /// What is not in the cloud yet; never empty.
  public let parts: PendingParts
  /// Another, greater number after every local change of the item; the queue's order.
  public let sequence: UInt64
  /// Whether a process is writing it, or was when the catalog was closed or its process died.
  public let isWriting: Bool
  /// How many uploads have failed since the last local change.
  public let attempts: Int
  /// Why the last one failed; nil when none did.
  public let error: String?
  /// When it may be tried again; nil for at once.
  public let notBefore: Timestamp?

  /// Describes what is pending of an item.
  public init(
    inode: InodeNumber, parts: PendingParts, sequence: UInt64, isWriting: Bool, attempts: Int,
    error: String?, notBefore: Timestamp?
  ) {
    self.inode = inode
    self.parts = parts
    self.sequence = sequence
    self.isWriting = isWriting
    self.attempts = attempts
    self.error = error
    self.notBefore = notBefore
  }
}

/// An item that the cloud still has and the device does not.
public struct PendingDeletion: Hashable, Sendable {
  /// The place in the order of all local changes.
  public let sequence: UInt64
  /// The item.
  public let item: ItemIdentifier
  /// The version that the device deleted.
  public let base: ItemVersion
  /// What it was.
  public let kind: ItemKind
  /// The folder in which it showed.
  public let parent: InodeNumber
  /// The name under which it showed.
  public let name: FileName
  /// How many attempts have failed.
  public let attempts: Int
  /// Why the last one failed; nil when none did.
  public let error: String?
  /// When it may be tried again; nil for at once.
  public let notBefore: Timestamp?

  /// Describes a deletion.
  public init(
    sequence: UInt64, item: ItemIdentifier, base: ItemVersion, kind: ItemKind,
    parent: InodeNumber, name: FileName, attempts: Int, error: String?, notBefore: Timestamp?
  ) {
    self.sequence = sequence
    self.item = item
    self.base = base
    self.kind = kind
    self.parent = parent
    self.name = name
    self.attempts = attempts
    self.error = error
    self.notBefore = notBefore
  }
}

/// How much is pending.
public struct PendingCounts: Hashable, Sendable {
  /// Items of which something is not in the cloud yet.
  public let items: Int
  /// Items that the cloud still has and the device does not.
  public let deletions: Int
  /// How many of both have failed at least once since they were changed.
  public let failed: Int

  /// Describes a queue.
  public init(items: Int, deletions: Int, failed: Int) {
    self.items = items
    self.deletions = deletions
    self.failed = failed
  }
}
