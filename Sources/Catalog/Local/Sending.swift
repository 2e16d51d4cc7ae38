public import Cloud
public import Platform

/// One call to the cloud that changes an item, written down before the cloud can take it.
///
/// Whoever does not hear how the call ended, since its answer was lost or its process died, finds by it
/// whether the cloud has taken it.
public struct Sending: Hashable, Sendable {
  /// The item on the device, which may be gone there.
  public let inode: InodeNumber
  /// The number of the local change up to which it is sent.
  public let sequence: UInt64
  /// What is sent.
  public let parts: PendingParts
  /// The item in the cloud; `local:INODE` where the call makes one.
  public let item: ItemIdentifier
  /// The version that the call changes.
  public let base: ItemVersion
  /// The folder that the item has afterwards.
  public let folder: ItemIdentifier
  /// The name that it has afterwards.
  public let name: FileName
  /// What it is.
  public let kind: ItemKind
  /// How long its content is afterwards.
  public let size: Int64
  /// The date that it has afterwards.
  public let modified: Timestamp
  /// The permissions that it has afterwards.
  public let permissions: UInt16
  /// The checksum of the content that is sent; nil where none is.
  public let checksum: Checksum?
  /// The target of a symbolic link.
  public let target: [UInt8]?

  /// Describes a call.
  public init(
    inode: InodeNumber, sequence: UInt64, parts: PendingParts, item: ItemIdentifier,
    base: ItemVersion, folder: ItemIdentifier, name: FileName, kind: ItemKind, size: Int64,
    modified: Timestamp, permissions: UInt16, checksum: Checksum?, target: [UInt8]?
  ) {
    self.inode = inode
    self.sequence = sequence
    self.parts = parts
    self.item = item
    self.base = base
    self.folder = folder
    self.name = name
    self.kind = kind
    self.size = size
    self.modified = modified
    self.permissions = permissions
    self.checksum = checksum
    self.target = target
  }
}
