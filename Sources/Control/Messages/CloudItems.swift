public import Foundation

/// What the cloud holds under a path.
public struct CloudItemInfo: Codable, Hashable, Sendable {
  /// The path in the cloud, with a leading slash.
  public var path: String
  /// The last part of the path; empty for the root.
  public var name: String
  /// What it is.
  public var kind: ItemType
  /// The length of the content in bytes; 0 for a folder.
  public var size: Int64
  /// When the content changed last, in nanoseconds since 1970.
  public var modified: Int64
  /// The identifier.
  public var item: String
  /// The version of its content.
  public var version: String

  /// Says all of it.
  public init(
    path: String, name: String, kind: ItemType, size: Int64, modified: Int64, item: String,
    version: String
  ) {
    self.path = path
    self.name = name
    self.kind = kind
    self.size = size
    self.modified = modified
    self.item = item
    self.version = version
  }
}

/// Lists a folder of the cloud, past all network conditions; no device learns of it.
public enum CloudList: ControlMethod {
  /// "cloud.list"
  public static let name = "cloud.list"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The folder's path in the cloud.
    public var path: String

    /// Says all of it.
    public init(path: String) {
      self.path = path
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// The children, by name.
    public var items: [CloudItemInfo]

    /// Says all of it.
    public init(items: [CloudItemInfo]) {
      self.items = items
    }
  }
}

/// Reads bytes of a document of the cloud, past all network conditions.
public enum CloudRead: ControlMethod {
  /// "cloud.read"
  public static let name = "cloud.read"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The document's path in the cloud.
    public var path: String
    /// The first byte.
    public var offset: Int64
    /// How many bytes at most, up to 1 MiB.
    public var count: Int64

    /// Says all of it.
    public init(path: String, offset: Int64 = 0, count: Int64) {
      self.path = path
      self.offset = offset
      self.count = count
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      path = try container.decode(String.self, forKey: .path)
      offset = try container.decodeIfPresent(Int64.self, forKey: .offset) ?? 0
      count = try container.decode(Int64.self, forKey: .count)
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// The bytes, in base64; fewer than asked for only at the end.
    public var data: Data
    /// The length of the document.
    public var size: Int64
    /// The version that was read; it tells two reads of different versions apart.
    public var version: String

    /// Says all of it.
    public init(data: Data, size: Int64, version: String) {
      self.data = data
      self.size = size
      self.version = version
    }
  }
}

/// Looks for changes that were made to the cloud from outside, and waits until they were found.
public enum CloudRefresh: ControlMethod {
  /// "cloud.refresh"
  public static let name = "cloud.refresh"

  /// What the caller says.
  public typealias Params = Nothing

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// How many changes were found.
    public var changes: Int

    /// Says all of it.
    public init(changes: Int) {
      self.changes = changes
    }
  }
}
