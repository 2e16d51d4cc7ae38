/// The conditions of the network between the devices and the cloud.
public struct NetworkState: Codable, Hashable, Sendable {
  /// Whether the cloud can be reached.
  public var isOnline: Bool
  /// The time before the first answer of a request, in milliseconds.
  public var latencyMilliseconds: Int64
  /// How fast content moves; 0 for no limit.
  public var bytesPerSecond: Int64

  /// Says all of it.
  public init(isOnline: Bool, latencyMilliseconds: Int64, bytesPerSecond: Int64) {
    self.isOnline = isOnline
    self.latencyMilliseconds = latencyMilliseconds
    self.bytesPerSecond = bytesPerSecond
  }
}

/// Tells the conditions of the network.
public enum NetworkGet: ControlMethod {
  /// "network.get"
  public static let name = "network.get"

  /// What the caller says.
  public typealias Params = Nothing

  /// What it gets.
  public typealias Result = NetworkState
}

/// Changes conditions of the network, also for what runs already.
public enum NetworkSet: ControlMethod {
  /// "network.set"
  public static let name = "network.set"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// Whether the cloud can be reached; absent leaves it.
    public var isOnline: Bool?
    /// The time before the first answer of a request; absent leaves it.
    public var latencyMilliseconds: Int64?
    /// How fast content moves; 0 for no limit, absent leaves it.
    public var bytesPerSecond: Int64?

    /// Says all of it.
    public init(
      isOnline: Bool? = nil, latencyMilliseconds: Int64? = nil, bytesPerSecond: Int64? = nil
    ) {
      self.isOnline = isOnline
      self.latencyMilliseconds = latencyMilliseconds
      self.bytesPerSecond = bytesPerSecond
    }
  }

  /// What it gets.
  public typealias Result = NetworkState
}
