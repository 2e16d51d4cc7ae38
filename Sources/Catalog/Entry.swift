public import Cloud
public import Platform

/// How much of an item is on the device.
public enum Residency: UInt8, Hashable, Sendable {
  /// Its metadata only. A folder: its children are unknown.
  case dataless = 0
  /// Some ranges of its content; see `Catalog.savedRanges(of:)`.
  case partial = 1
  /// Everything. Always so for a symbolic link, and for a folder whose children are known.
  case materialized = 2
}

/// What a device knows of one item, without its strings: cheap to copy.
public struct Entry: Hashable, Sendable {
  /// The number that `stat` shows.
  public var inode: InodeNumber
  /// The folder that holds the item; the root's is the root.
  public var parent: InodeNumber
  /// What it is.
  public var kind: ItemKind
  /// The length of the content in bytes, here or not.
  public var size: Int64
  /// When the content changed last, as the cloud tells.
  public var modified: Timestamp
  /// When the item was created, as the cloud tells.
  public var created: Timestamp
  /// When the device last learnt something new about the item (`st_ctime`). Materializing and evicting
  /// do not move it, nor does a restart.
  public var changed: Timestamp
  /// Permission bits: the cloud's, or 0644 for a file, 0755 for a folder, 0777 for a symbolic link.
  public var permissions: UInt16
  /// How much of it is here.
  public var residency: Residency
  /// Whether it is a folder whose children are known.
  public var isPopulated: Bool
  /// Names the file that holds the content. Every content version and every eviction has a new
  /// number, and none is used twice in a catalog.
  public var contentSerial: UInt64
  /// How many versions were replaced while in use; see `NodeID`.
  public var epoch: UInt16

  /// The node by which the kernel knows the item now.
  public var node: NodeID { NodeID(inode: inode, epoch: epoch) }

  /// Describes an item; only tests need to.
  public init(
    inode: InodeNumber, parent: InodeNumber, kind: ItemKind, size: Int64, modified: Timestamp,
    created: Timestamp, changed: Timestamp, permissions: UInt16, residency: Residency,
    isPopulated: Bool, contentSerial: UInt64, epoch: UInt16
  ) {
    self.inode = inode
    self.parent = parent
    self.kind = kind
    self.size = size
    self.modified = modified
    self.created = created
    self.changed = changed
    self.permissions = permissions
    self.residency = residency
    self.isPopulated = isPopulated
    self.contentSerial = contentSerial
    self.epoch = epoch
  }
}

/// An entry with its name.
public struct NamedEntry: Hashable, Sendable {
  /// The entry.
  public let entry: Entry
  /// The name in its folder.
  public let name: FileName

  /// Names an entry.
  public init(entry: Entry, name: FileName) {
    self.entry = entry
    self.name = name
  }
}

/// What a device knows of one item beyond its entry.
public struct Details: Hashable, Sendable {
  /// The item's name in the cloud.
  public let item: ItemIdentifier
  /// The version that the entry describes.
  public let version: ItemVersion
  /// The checksum of that version's content, where the cloud has one.
  public let checksum: Checksum?
  /// The name in its folder; nil for the root.
  public let name: FileName?
  /// The target of a symbolic link.
  public let target: [UInt8]?

  /// Describes an item.
  public init(
    item: ItemIdentifier, version: ItemVersion, checksum: Checksum?, name: FileName?,
    target: [UInt8]?
  ) {
    self.item = item
    self.version = version
    self.checksum = checksum
    self.name = name
    self.target = target
  }
}
