/// What `fauxdrive mount` asks for. It travels to the process that will serve the mount.
public struct MountRequest: Codable, Hashable, Sendable {
  /// Where to mount.
  public var mountpoint: String
  /// The cloud (`DIR`, `copy:DIR`, `memory:`); nil for the one that the world has.
  public var cloud: String?
  /// The profile's name or file; nil for the one that the world has, or icloud.
  public var profile: String?
  /// The world's folder; nil for the mountpoint's own below the state folder.
  public var world: String?
  /// The device's name; nil for "device".
  public var device: String?
  /// Whether a process may touch an item only with a grant; nil as before.
  public var isScoped: Bool?
  /// The seed of every random draw; nil as before, or 0.
  public var seed: UInt64?
  /// Whether time passes only when it is advanced; nil as before.
  public var hasManualClock: Bool?
  /// Whether every request reaches the ledger.
  public var isAudited = false
  /// Whether other users may use the mount.
  public var allowsOthers = false
  /// Whether nobody may change anything on the mount.
  public var isReadOnly = false
  /// Whether no program on the mount may be run.
  public var forbidsExecution = false
  /// The kernel to assume, "6.1" or nil for the one that runs; for tests of older kernels.
  public var assumedKernel: String?

  /// The device's name, also where none was given.
  public var deviceName: String { device ?? "device" }

  /// A request to mount at a path.
  public init(mountpoint: String) { self.mountpoint = mountpoint }
}
