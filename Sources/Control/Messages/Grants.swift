/// A grant: a process may touch an item of a scoped device.
public struct GrantInfo: Codable, Hashable, Sendable {
  /// The grant's number.
  public var grant: Int
  /// The process that has it.
  public var process: Int32
  /// Whether the processes that it starts have it too.
  public var includesDescendants: Bool
  /// The item's path on the device; a folder stands for all that is in it.
  public var path: String
  /// The device.
  public var device: String

  /// Says all of it.
  public init(grant: Int, process: Int32, includesDescendants: Bool, path: String, device: String) {
    self.grant = grant
    self.process = process
    self.includesDescendants = includesDescendants
    self.path = path
    self.device = device
  }
}

/// Gives a process a grant.
public enum GrantAdd: ControlMethod {
  /// "grant.add"
  public static let name = "grant.add"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The process that has it.
    public var process: Int32
    /// Whether the processes that it starts have it too.
    public var includesDescendants: Bool
    /// The item's path on the device; a folder stands for all that is in it.
    public var path: String
    /// The device; may be absent in a world that has only one.
    public var device: String?

    /// Says all of it.
    public init(
      process: Int32, includesDescendants: Bool = false, path: String, device: String? = nil
    ) {
      self.process = process
      self.includesDescendants = includesDescendants
      self.path = path
      self.device = device
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      process = try container.decode(Int32.self, forKey: .process)
      includesDescendants =
        try container.decodeIfPresent(Bool.self, forKey: .includesDescendants) ?? false
      path = try container.decode(String.self, forKey: .path)
      device = try container.decodeIfPresent(String.self, forKey: .device)
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// The grant's number.
    public var grant: Int

    /// Says all of it.
    public init(grant: Int) {
      self.grant = grant
    }
  }
}

/// Takes a grant away.
public enum GrantRemove: ControlMethod {
  /// "grant.remove"
  public static let name = "grant.remove"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The grant's number.
    public var grant: Int

    /// Says all of it.
    public init(grant: Int) {
      self.grant = grant
    }
  }

  /// What it gets.
  public typealias Result = Nothing
}

/// Lists the grants.
public enum GrantList: ControlMethod {
  /// "grant.list"
  public static let name = "grant.list"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The device; may be absent in a world that has only one.
    public var device: String?

    /// Says all of it.
    public init(device: String? = nil) {
      self.device = device
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// The grants, by number.
    public var grants: [GrantInfo]

    /// Says all of it.
    public init(grants: [GrantInfo]) {
      self.grants = grants
    }
  }
}
