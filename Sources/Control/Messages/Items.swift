/// What an item is.
public enum ItemType: String, Codable, CaseIterable, Hashable, Sendable {
  /// A document: it has content.
  case file
  /// A folder: it has children.
  case folder
  /// A symbolic link.
  case symlink
}

/// Whether an item's content is on a device, as Apple names it.
public enum DownloadingStatus: String, Codable, CaseIterable, Hashable, Sendable {
  /// It is not.
  case notDownloaded
  /// A copy is here, but not of the newest version.
  case downloaded
  /// The newest version is here.
  case current
}

/// Whether an item shall be kept on a device.
public enum PinState: String, Codable, CaseIterable, Hashable, Sendable {
  /// Nobody said.
  case unspecified
  /// It is kept here.
  case pinned
  /// It need not be kept.
  case unpinned
  /// It is not synchronized at all.
  case excluded
  /// As its folder.
  case inherited
}

/// What a device knows of an item, without starting anything.
public struct ItemInfo: Codable, Hashable, Sendable {
  /// The path on the device, with a leading slash.
  public var path: String
  /// The last part of the path; empty for the root.
  public var name: String
  /// What it is.
  public var kind: ItemType
  /// The length of the content in bytes; 0 for a folder.
  public var size: Int64
  /// When the content changed last, in nanoseconds since 1970.
  public var modified: Int64
  /// Whether its content is here.
  public var status: DownloadingStatus
  /// How much of its newest content is here, 0 to 100.
  public var percent: Int
  /// Whether it has changes that are not in the cloud yet.
  public var isPending: Bool
  /// Whether it is being downloaded or uploaded now.
  public var isTransferring: Bool
  /// Whether it shall be kept here.
  public var pin: PinState
  /// The identifier in the cloud; empty for an item that is not there yet.
  public var item: String
  /// The version of its content; empty for an item that is not in the cloud yet.
  public var version: String
  /// The inode number that `stat` shows.
  public var inode: UInt64
  /// Why the last transfer failed; absent when it did not.
  public var error: String?

  /// Says all of it.
  public init(
    path: String, name: String, kind: ItemType, size: Int64, modified: Int64,
    status: DownloadingStatus, percent: Int, isPending: Bool, isTransferring: Bool, pin: PinState,
    item: String, version: String, inode: UInt64, error: String?
  ) {
    self.path = path
    self.name = name
    self.kind = kind
    self.size = size
    self.modified = modified
    self.status = status
    self.percent = percent
    self.isPending = isPending
    self.isTransferring = isTransferring
    self.pin = pin
    self.item = item
    self.version = version
    self.inode = inode
    self.error = error
  }
}

/// What a request came to for one path.
public struct ItemOutcome: Codable, Hashable, Sendable {
  /// The path, as it was given.
  public var path: String
  /// What is known of the item; absent when there is none, or it cannot be told.
  public var info: ItemInfo?
  /// Why the request failed for this path; absent when it did not.
  public var error: ControlError?

  /// Says all of it.
  public init(path: String, info: ItemInfo? = nil, error: ControlError? = nil) {
    self.path = path
    self.info = info
    self.error = error
  }
}

/// Lists a folder as the device knows it, and starts nothing.
public enum ItemList: ControlMethod {
  /// "item.list"
  public static let name = "item.list"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The device; may be absent in a world that has only one.
    public var device: String?
    /// The folder's path on the device.
    public var path: String

    /// Says all of it.
    public init(device: String? = nil, path: String) {
      self.device = device
      self.path = path
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// Whether the folder's children are known; if not, `items` is empty.
    public var isKnown: Bool
    /// The children that are known, by name.
    public var items: [ItemInfo]

    /// Says all of it.
    public init(isKnown: Bool, items: [ItemInfo]) {
      self.isKnown = isKnown
      self.items = items
    }
  }
}

/// Tells the state of items, and starts nothing.
public enum ItemStatus: ControlMethod {
  /// "item.status"
  public static let name = "item.status"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The device; may be absent in a world that has only one.
    public var device: String?
    /// The paths on the device.
    public var paths: [String]

    /// Says all of it.
    public init(device: String? = nil, paths: [String]) {
      self.device = device
      self.paths = paths
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// One outcome a path, in their order.
    public var items: [ItemOutcome]

    /// Says all of it.
    public init(items: [ItemOutcome]) {
      self.items = items
    }
  }
}

/// Brings the content of items, of folders with all that is in them.
public enum ItemDownload: ControlMethod {
  /// "item.download"
  public static let name = "item.download"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The device; may be absent in a world that has only one.
    public var device: String?
    /// The paths on the device.
    public var paths: [String]
    /// Whether to answer when the transfers have ended, or as soon as they were asked for.
    public var wait: Bool
    /// Whether to send notifications meanwhile.
    public var progress: Bool

    /// Says all of it.
    public init(device: String? = nil, paths: [String], wait: Bool = true, progress: Bool = false) {
      self.device = device
      self.paths = paths
      self.wait = wait
      self.progress = progress
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      device = try container.decodeIfPresent(String.self, forKey: .device)
      paths = try container.decode([String].self, forKey: .paths)
      wait = try container.decodeIfPresent(Bool.self, forKey: .wait) ?? true
      progress = try container.decodeIfPresent(Bool.self, forKey: .progress) ?? false
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// One outcome a path, in their order.
    public var items: [ItemOutcome]

    /// Says all of it.
    public init(items: [ItemOutcome]) {
      self.items = items
    }
  }

  /// What it is told meanwhile.
  public struct Progress: Codable, Hashable, Sendable {
    /// The document that moves.
    public var path: String
    /// How many of its bytes are here.
    public var bytesDone: Int64
    /// How many there are.
    public var bytesTotal: Int64

    /// Says all of it.
    public init(path: String, bytesDone: Int64, bytesTotal: Int64) {
      self.path = path
      self.bytesDone = bytesDone
      self.bytesTotal = bytesTotal
    }
  }
}

/// Drops the content of items from the device, of folders with all that is in them.
public enum ItemEvict: ControlMethod {
  /// "item.evict"
  public static let name = "item.evict"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The device; may be absent in a world that has only one.
    public var device: String?
    /// The paths on the device.
    public var paths: [String]

    /// Says all of it.
    public init(device: String? = nil, paths: [String]) {
      self.device = device
      self.paths = paths
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// One outcome a path, in their order; a refusal says why.
    public var items: [ItemOutcome]

    /// Says all of it.
    public init(items: [ItemOutcome]) {
      self.items = items
    }
  }
}

/// Says whether items are kept on the device, folders with all that is in them now and later.
public enum ItemPin: ControlMethod {
  /// "item.pin"
  public static let name = "item.pin"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The device; absent in a world that has only one.
    public var device: String?
    /// The paths on the device.
    public var paths: [String]
    /// `pinned`, `unpinned`, `unspecified`, or `inherited` to follow the folder.
    public var state: PinState

    /// Says all of it.
    public init(device: String? = nil, paths: [String], state: PinState) {
      self.device = device
      self.paths = paths
      self.state = state
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// What became of each, in the order of the paths.
    public var items: [ItemOutcome]

    /// Says all of it.
    public init(items: [ItemOutcome]) { self.items = items }
  }
}
