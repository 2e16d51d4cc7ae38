public import Platform

/// Names an item of a cloud for as long as the item exists, whatever it is called and wherever it lies.
public struct ItemIdentifier: RawRepresentable, Hashable, Sendable {
  /// The store's own text; opaque to everybody else.
  public let rawValue: String
  /// Wraps the store's text.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The folder that holds everything.
  public static let root = ItemIdentifier(rawValue: "root")
}

extension ItemIdentifier: CustomStringConvertible {
  /// The store's text.
  public var description: String { rawValue }
}

/// Names one state of an item. Two states with the same version are the same.
public struct ItemVersion: Hashable, Sendable {
  /// Changes when, and only when, the content changes. Opaque.
  public let content: String
  /// Changes when anything else does: name, parent, dates, permissions. Opaque.
  public let metadata: String
  /// Names a state by its two parts.
  public init(content: String, metadata: String) {
    self.content = content
    self.metadata = metadata
  }
}

/// What an item is.
public enum ItemKind: String, Hashable, CaseIterable, Sendable {
  /// A document: it has content.
  case file
  /// A folder: it has children.
  case folder
  /// A symbolic link: its content is its target.
  case symlink
}

/// A checksum of an item's whole content.
public struct Checksum: Hashable, Sendable {
  /// SHA-256, 32 bytes.
  public let sha256: [UInt8]
  /// Wraps the 32 bytes of a SHA-256.
  public init(sha256: [UInt8]) { self.sha256 = sha256 }
}

/// Everything that a cloud tells about one item without its content.
public struct Item: Hashable, Sendable {
  /// The lasting name.
  public var identifier: ItemIdentifier
  /// The folder that holds it; the root's parent is the root.
  public var parent: ItemIdentifier
  /// The name in that folder. Nil only for the root.
  ///
  /// A store whose items can have names that Linux cannot have shows them under others
  /// (`FileName.init(showing:)`), and never leaves them out.
  public var name: FileName?
  /// What it is.
  public var kind: ItemKind
  /// The length of the content in bytes; 0 for a folder, the target's length for a symbolic link.
  public var size: Int64
  /// When the content changed last.
  public var modified: Timestamp
  /// When the item was created.
  public var created: Timestamp
  /// Permission bits (07777) where the cloud keeps them; the device's default otherwise.
  public var permissions: UInt16?
  /// The state that all the other fields describe.
  public var version: ItemVersion
  /// The checksum of the content, where the cloud has one.
  public var checksum: Checksum?
  /// The target of a symbolic link.
  public var target: [UInt8]?

  /// Describes an item.
  public init(
    identifier: ItemIdentifier, parent: ItemIdentifier, name: FileName?, kind: ItemKind,
    size: Int64, modified: Timestamp, created: Timestamp, permissions: UInt16? = nil,
    version: ItemVersion, checksum: Checksum? = nil, target: [UInt8]? = nil
  ) {
    self.identifier = identifier
    self.parent = parent
    self.name = name
    self.kind = kind
    self.size = size
    self.modified = modified
    self.created = created
    self.permissions = permissions
    self.version = version
    self.checksum = checksum
    self.target = target
  }
}
