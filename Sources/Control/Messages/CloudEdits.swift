public import Foundation

/// Writes a document in the cloud, as another device would: a new version, or a new document.
public enum CloudPut: ControlMethod {
  /// "cloud.put"
  public static let name = "cloud.put"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The document's path in the cloud; its folder must be there.
    public var path: String
    /// The content, up to 1 MiB; absent when `source` is given.
    public var data: Data?
    /// The absolute path of a file with the content, which the world's process reads.
    public var source: String?
    /// Whether a document that is there is replaced by another one, with an identifier of its own.
    public var replaces: Bool

    /// Says all of it.
    public init(path: String, data: Data? = nil, source: String? = nil, replaces: Bool = false) {
      self.path = path
      self.data = data
      self.source = source
      self.replaces = replaces
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      path = try container.decode(String.self, forKey: .path)
      data = try container.decodeIfPresent(Data.self, forKey: .data)
      source = try container.decodeIfPresent(String.self, forKey: .source)
      replaces = try container.decodeIfPresent(Bool.self, forKey: .replaces) ?? false
    }
  }

  /// What it gets.
  public typealias Result = CloudItemInfo
}

/// Makes a folder in the cloud.
public enum CloudMakeFolder: ControlMethod {
  /// "cloud.make-folder"
  public static let name = "cloud.make-folder"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The new folder's path in the cloud; the folder above it must be there.
    public var path: String

    /// Says all of it.
    public init(path: String) { self.path = path }
  }

  /// What it gets.
  public typealias Result = CloudItemInfo
}

/// Gives an item of the cloud another name, folder, or both.
public enum CloudMove: ControlMethod {
  /// "cloud.move"
  public static let name = "cloud.move"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The item's path in the cloud.
    public var path: String
    /// Its new path; the folder must be there.
    public var target: String
    /// Whether it takes the place of what is there.
    public var replaces: Bool

    /// Says all of it.
    public init(path: String, target: String, replaces: Bool = false) {
      self.path = path
      self.target = target
      self.replaces = replaces
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      path = try container.decode(String.self, forKey: .path)
      target = try container.decode(String.self, forKey: .target)
      replaces = try container.decodeIfPresent(Bool.self, forKey: .replaces) ?? false
    }
  }

  /// What it gets.
  public typealias Result = CloudItemInfo
}

/// Deletes an item of the cloud.
public enum CloudDelete: ControlMethod {
  /// "cloud.delete"
  public static let name = "cloud.delete"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The item's path in the cloud.
    public var path: String
    /// Whether a folder goes with all that is in it.
    public var recursively: Bool

    /// Says all of it.
    public init(path: String, recursively: Bool = false) {
      self.path = path
      self.recursively = recursively
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      path = try container.decode(String.self, forKey: .path)
      recursively = try container.decodeIfPresent(Bool.self, forKey: .recursively) ?? false
    }
  }

  /// What it gets.
  public typealias Result = Nothing
}
