public import Platform

/// Where the next page of an enumeration begins. Opaque; valid for the store that made it.
public struct EnumerationPage: RawRepresentable, Hashable, Sendable {
  /// The store's own text.
  public let rawValue: String
  /// Wraps the store's text.
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// One page of a folder's items.
public struct Enumeration: Hashable, Sendable {
  /// The items of this page.
  public let items: [Item]
  /// The next page, or nil after the last.
  public let next: EnumerationPage?
  /// Makes a page.
  public init(items: [Item], next: EnumerationPage?) {
    self.items = items
    self.next = next
  }
}

/// A point in the history of a cloud. Opaque.
public struct SyncAnchor: RawRepresentable, Hashable, Sendable {
  /// The store's own text.
  public let rawValue: String
  /// Wraps the store's text.
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// One change of a cloud.
public enum Change: Hashable, Sendable {
  /// The item is new, or anything of it is (content, name, folder, dates); this is its state now.
  case updated(Item)
  /// The item is gone, and everything in it.
  case deleted(ItemIdentifier)
  /// The item under this name was replaced by another one; what that means is the account's policy.
  case replaced(old: ItemIdentifier, new: Item)
}

/// Changes between two anchors.
public struct ChangeBatch: Hashable, Sendable {
  /// The changes, oldest first.
  public let changes: [Change]
  /// Where the next batch begins.
  public let anchor: SyncAnchor
  /// Whether there is more right now.
  public let moreComing: Bool
  /// Makes a batch.
  public init(changes: [Change], anchor: SyncAnchor, moreComing: Bool) {
    self.changes = changes
    self.anchor = anchor
    self.moreComing = moreComing
  }
}

/// Keeps an observer of changes registered for as long as it lives.
public protocol ChangeObservation: AnyObject, Sendable {
  /// Ends the observation; the handler is not called afterwards.
  func end()
}

/// What a new item shall be.
public struct ItemTemplate: Hashable, Sendable {
  /// The folder.
  public var parent: ItemIdentifier
  /// The name.
  public var name: FileName
  /// What it is.
  public var kind: ItemKind
  /// When the content changed last.
  public var modified: Timestamp
  /// Permission bits, where the cloud keeps them.
  public var permissions: UInt16?
  /// The target of a symbolic link.
  public var target: [UInt8]?
  /// Describes a new item.
  public init(
    parent: ItemIdentifier, name: FileName, kind: ItemKind, modified: Timestamp,
    permissions: UInt16? = nil, target: [UInt8]? = nil
  ) {
    self.parent = parent
    self.name = name
    self.kind = kind
    self.modified = modified
    self.permissions = permissions
    self.target = target
  }
}

/// Metadata that `modify` sets; nil leaves a field as it is.
public struct ItemChanges: Hashable, Sendable {
  /// When the content changed last.
  public var modified: Timestamp?
  /// Permission bits.
  public var permissions: UInt16?
  /// Describes changes.
  public init(modified: Timestamp? = nil, permissions: UInt16? = nil) {
    self.modified = modified
    self.permissions = permissions
  }
}
