/// By what a world's time passes.
public enum ClockKind: String, Codable, CaseIterable, Hashable, Sendable {
  /// The system's clock.
  case system
  /// `clock.advance` and `clock.set` only.
  case manual
}

/// Tells what a world is and how it does.
public enum WorldStatus: ControlMethod {
  /// "world.status"
  public static let name = "world.status"

  /// What the caller says.
  public typealias Params = Nothing

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// The world's folder.
    public var directory: String
    /// The version of the program that serves it.
    public var version: String
    /// The process that serves it.
    public var process: Int32
    /// Where the cloud is, as the mount command said it.
    public var cloud: String
    /// The profile of the account.
    public var profile: String
    /// The seed of every random draw.
    public var seed: UInt64
    /// By what time passes.
    public var clock: ClockKind
    /// The world's time, in nanoseconds since it began.
    public var now: Int64
    /// Whether the cloud can be reached.
    public var isOnline: Bool
    /// The devices, by name.
    public var devices: [DeviceInfo]

    /// Says all of it.
    public init(
      directory: String, version: String, process: Int32, cloud: String, profile: String,
      seed: UInt64, clock: ClockKind, now: Int64, isOnline: Bool, devices: [DeviceInfo]
    ) {
      self.directory = directory
      self.version = version
      self.process = process
      self.cloud = cloud
      self.profile = profile
      self.seed = seed
      self.clock = clock
      self.now = now
      self.isOnline = isOnline
      self.devices = devices
    }
  }
}

/// Unmounts every device and ends the process; changes that are not in the cloud stay pending.
public enum WorldStop: ControlMethod {
  /// "world.stop"
  public static let name = "world.stop"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// Whether to unmount even what programs still use.
    public var force: Bool

    /// Says all of it.
    public init(force: Bool = false) {
      self.force = force
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      force = try container.decodeIfPresent(Bool.self, forKey: .force) ?? false
    }
  }

  /// What it gets.
  public typealias Result = Nothing
}
