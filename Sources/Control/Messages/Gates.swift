/// What a gate holds.
public struct HeldInfo: Codable, Hashable, Sendable {
  /// The item's path on its device.
  public var path: String
  /// Its identifier in the cloud.
  public var item: String
  /// The device.
  public var device: String
  /// The ledger record of the request behind it; 0 when there is none.
  public var cause: UInt64
  /// When it was held, in nanoseconds of the world's time.
  public var since: Int64

  /// Says all of it.
  public init(path: String, item: String, device: String, cause: UInt64, since: Int64) {
    self.path = path
    self.item = item
    self.device = device
    self.cause = cause
    self.since = since
  }
}

/// A closed gate.
public struct GateInfo: Codable, Hashable, Sendable {
  /// The gate's number.
  public var gate: Int
  /// The checkpoint at which it holds.
  public var checkpoint: String
  /// The paths that it holds, as a glob; "*" also matches slashes.
  public var path: String
  /// The device; absent for all.
  public var device: String?
  /// Whether what arrives there ends the world's process, and nothing is held.
  public var isDeadly: Bool
  /// What it holds, first come first.
  public var held: [HeldInfo]

  /// Says all of it.
  public init(
    gate: Int, checkpoint: String, path: String, device: String?, isDeadly: Bool, held: [HeldInfo]
  ) {
    self.isDeadly = isDeadly
    self.gate = gate
    self.checkpoint = checkpoint
    self.path = path
    self.device = device
    self.held = held
  }
}

/// Closes a gate: what reaches the checkpoint from now on is held there, or ends the world's process.
public enum GateClose: ControlMethod {
  /// "gate.close"
  public static let name = "gate.close"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// Where, as in the table above.
    public var checkpoint: String
    /// The paths to hold, as a glob; "*" also matches slashes.
    public var path: String
    /// The device; absent for all.
    public var device: String?
    /// Whether what arrives there ends the world's process at once, as SIGKILL does.
    public var isDeadly: Bool

    /// Says all of it.
    public init(
      checkpoint: String, path: String = "*", device: String? = nil, isDeadly: Bool = false
    ) {
      self.checkpoint = checkpoint
      self.path = path
      self.device = device
      self.isDeadly = isDeadly
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      checkpoint = try container.decode(String.self, forKey: .checkpoint)
      path = try container.decodeIfPresent(String.self, forKey: .path) ?? "*"
      device = try container.decodeIfPresent(String.self, forKey: .device)
      isDeadly = try container.decodeIfPresent(Bool.self, forKey: .isDeadly) ?? false
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// The gate's number.
    public var gate: Int

    /// Says all of it.
    public init(gate: Int) {
      self.gate = gate
    }
  }
}

/// Opens a gate: what it holds goes on.
public enum GateOpen: ControlMethod {
  /// "gate.open"
  public static let name = "gate.open"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The gate's number; absent opens all.
    public var gate: Int?

    /// Says all of it.
    public init(gate: Int? = nil) {
      self.gate = gate
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// How many went on.
    public var released: Int

    /// Says all of it.
    public init(released: Int) {
      self.released = released
    }
  }
}

/// Fails what a gate holds, and removes the gate.
public enum GateFail: ControlMethod {
  /// "gate.fail"
  public static let name = "gate.fail"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The gate's number.
    public var gate: Int
    /// The C name of the error, such as EIO.
    public var errno: String

    /// Says all of it.
    public init(gate: Int, errno: String) {
      self.gate = gate
      self.errno = errno
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// How many failed.
    public var released: Int

    /// Says all of it.
    public init(released: Int) {
      self.released = released
    }
  }
}

/// Cancels what a gate holds, and removes the gate.
public enum GateCancel: ControlMethod {
  /// "gate.cancel"
  public static let name = "gate.cancel"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The gate's number.
    public var gate: Int

    /// Says all of it.
    public init(gate: Int) {
      self.gate = gate
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// How many were cancelled.
    public var released: Int

    /// Says all of it.
    public init(released: Int) {
      self.released = released
    }
  }
}

/// Lists the closed gates and what they hold.
public enum GateList: ControlMethod {
  /// "gate.list"
  public static let name = "gate.list"

  /// What the caller says.
  public typealias Params = Nothing

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// The gates, by number.
    public var gates: [GateInfo]

    /// Says all of it.
    public init(gates: [GateInfo]) {
      self.gates = gates
    }
  }
}

/// Waits until a gate holds so many.
public enum GateAwait: ControlMethod {
  /// "gate.await"
  public static let name = "gate.await"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The gate's number.
    public var gate: Int
    /// How many.
    public var count: Int
    /// How long to wait, in milliseconds of real time; absent waits for ever.
    public var timeoutMilliseconds: Int64?

    /// Says all of it.
    public init(gate: Int, count: Int = 1, timeoutMilliseconds: Int64? = nil) {
      self.gate = gate
      self.count = count
      self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      gate = try container.decode(Int.self, forKey: .gate)
      count = try container.decodeIfPresent(Int.self, forKey: .count) ?? 1
      timeoutMilliseconds = try container.decodeIfPresent(Int64.self, forKey: .timeoutMilliseconds)
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// What it holds then.
    public var held: [HeldInfo]

    /// Says all of it.
    public init(held: [HeldInfo]) {
      self.held = held
    }
  }
}
