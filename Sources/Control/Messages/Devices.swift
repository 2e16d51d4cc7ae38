/// One device of a world.
public struct DeviceInfo: Codable, Hashable, Sendable {
  /// The name.
  public var name: String
  /// The profile whose representation it has.
  public var profile: String
  /// Where it is mounted; absent when it is not.
  public var mountpoint: String?
  /// Whether a process needs a grant to touch an item.
  public var isScoped: Bool
  /// Whether the kernel's caches are off, so that the ledger has every call.
  public var isAudited: Bool
  /// How many items have changes that are not in the cloud yet; 0 when it is not mounted, for then nobody
  /// looks.
  public var pendingUploads: Int
  /// How many transfers run or are held.
  public var transfers: Int
  /// How many calls of programs wait for their answer.
  public var heldReplies: Int
  /// What somebody should know about the device, each in a sentence: damage that was found, above all.
  public var notices: [String]

  /// Says all of it.
  public init(
    name: String, profile: String, mountpoint: String?, isScoped: Bool, isAudited: Bool,
    pendingUploads: Int = 0, transfers: Int = 0, heldReplies: Int = 0, notices: [String] = []
  ) {
    self.name = name
    self.profile = profile
    self.mountpoint = mountpoint
    self.isScoped = isScoped
    self.isAudited = isAudited
    self.pendingUploads = pendingUploads
    self.transfers = transfers
    self.heldReplies = heldReplies
    self.notices = notices
  }
}

/// Lists the devices, also those that are not mounted.
public enum DeviceList: ControlMethod {
  /// "device.list"
  public static let name = "device.list"

  /// What the caller says.
  public typealias Params = Nothing

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// The devices, by name.
    public var devices: [DeviceInfo]

    /// Says all of it.
    public init(devices: [DeviceInfo]) {
      self.devices = devices
    }
  }
}

/// Mounts a device of a world that runs: a new one, or one that was unmounted.
public enum DeviceMount: ControlMethod {
  /// "device.mount"
  public static let name = "device.mount"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The device's name.
    public var device: String
    /// Where to mount it: the absolute path of an empty folder.
    public var mountpoint: String
    /// The name or file of the profile whose representation it has; absent for what it had, or the
    /// account's.
    public var profile: String?
    /// The text of that profile, if it came from a file.
    public var profileText: String?
    /// Whether the kernel's caches are off, so that the ledger has every call.
    public var isAudited: Bool
    /// Whether other users may use the mount.
    public var allowsOthers: Bool
    /// Whether nobody may change anything on the mount.
    public var isReadOnly: Bool
    /// Whether no program on the mount may be run.
    public var forbidsExecution: Bool
    /// The kernel to assume, "6.1"; absent for the one that runs.
    public var assumedKernel: String?

    /// Says all of it.
    public init(
      device: String, mountpoint: String, profile: String? = nil, profileText: String? = nil,
      isAudited: Bool = false, allowsOthers: Bool = false, isReadOnly: Bool = false,
      forbidsExecution: Bool = false, assumedKernel: String? = nil
    ) {
      self.device = device
      self.mountpoint = mountpoint
      self.profile = profile
      self.profileText = profileText
      self.isAudited = isAudited
      self.allowsOthers = allowsOthers
      self.isReadOnly = isReadOnly
      self.forbidsExecution = forbidsExecution
      self.assumedKernel = assumedKernel
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      device = try container.decode(String.self, forKey: .device)
      mountpoint = try container.decode(String.self, forKey: .mountpoint)
      profile = try container.decodeIfPresent(String.self, forKey: .profile)
      profileText = try container.decodeIfPresent(String.self, forKey: .profileText)
      isAudited = try container.decodeIfPresent(Bool.self, forKey: .isAudited) ?? false
      allowsOthers = try container.decodeIfPresent(Bool.self, forKey: .allowsOthers) ?? false
      isReadOnly = try container.decodeIfPresent(Bool.self, forKey: .isReadOnly) ?? false
      forbidsExecution =
        try container.decodeIfPresent(Bool.self, forKey: .forbidsExecution) ?? false
      assumedKernel = try container.decodeIfPresent(String.self, forKey: .assumedKernel)
    }
  }

  /// What it gets.
  public typealias Result = DeviceInfo
}

/// Unmounts a device; its state stays, and with the last one the world ends.
public enum DeviceUnmount: ControlMethod {
  /// "device.unmount"
  public static let name = "device.unmount"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The device's name.
    public var device: String
    /// Whether to unmount even what programs still use.
    public var force: Bool

    /// Says all of it.
    public init(device: String, force: Bool = false) {
      self.device = device
      self.force = force
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      device = try container.decode(String.self, forKey: .device)
      force = try container.decodeIfPresent(Bool.self, forKey: .force) ?? false
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// Whether it was the last one, so that the process ends.
    public var isLast: Bool

    /// Says all of it.
    public init(isLast: Bool) { self.isLast = isLast }
  }
}

/// Removes a device that is not mounted, with all that it has: its catalog and its content.
public enum DeviceRemove: ControlMethod {
  /// "device.remove"
  public static let name = "device.remove"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The device's name.
    public var device: String
    /// Whether to lose changes that are not in the cloud.
    public var force: Bool

    /// Says all of it.
    public init(device: String, force: Bool = false) {
      self.device = device
      self.force = force
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      device = try container.decode(String.self, forKey: .device)
      force = try container.decodeIfPresent(Bool.self, forKey: .force) ?? false
    }
  }

  /// What it gets.
  public typealias Result = Nothing
}
