/// Which records are meant; what is nil does not matter.
public struct Query: Hashable, Sendable {
  /// Whether a record is still open.
  public enum Progress: String, Hashable, Codable, CaseIterable, Sendable {
    /// Held, or running.
    case open
    /// Answered or ended.
    case finished
  }

  /// What it is about.
  public var kind: RecordKind?
  /// The call class, or the reason of an eviction.
  public var callClass: String?
  /// Where on the device.
  public var path: PathPattern?
  /// The item's identifier in the cloud.
  public var item: String?
  /// The process.
  public var process: Int32?
  /// The executable: its path, or only its last component.
  public var executable: String?
  /// The device.
  public var device: String?
  /// The answer.
  public var answer: String?
  /// The record that caused it.
  public var cause: UInt64?
  /// Only records with a higher number.
  public var since: UInt64?
  /// Only open ones, or only finished ones.
  public var progress: Progress?

  /// Describes the records that are meant; without arguments, all.
  public init(
    kind: RecordKind? = nil, callClass: String? = nil, path: PathPattern? = nil,
    item: String? = nil, process: Int32? = nil, executable: String? = nil, device: String? = nil,
    answer: String? = nil, cause: UInt64? = nil, since: UInt64? = nil, progress: Progress? = nil
  ) {
    self.kind = kind
    self.callClass = callClass
    self.path = path
    self.item = item
    self.process = process
    self.executable = executable
    self.device = device
    self.answer = answer
    self.cause = cause
    self.since = since
    self.progress = progress
  }

  /// Whether a record is meant.
  public func matches(_ record: Record) -> Bool {
    func agrees<Value: Equatable>(_ wanted: Value?, _ value: Value) -> Bool {
      wanted == nil || wanted == value
    }
    return agrees(kind, record.kind) && agrees(callClass, record.callClass)
      && agrees(item, record.item) && agrees(process, record.process)
      && agrees(device, record.device) && (answer == nil || answer == record.answer)
      && agrees(cause, record.cause) && record.id > (since ?? 0)
      && agrees(progress, record.answer == nil ? .open : .finished)
      && (executable.map { Self.names($0, record.executable) } ?? true)
      && (path?.matches(record.path) ?? true)
  }

  private static func names(_ wanted: String, _ executable: String) -> Bool {
    wanted == executable || executable.hasSuffix("/" + wanted)
  }
}

/// A set of paths.
public enum PathPattern: Hashable, Sendable {
  /// This one.
  case exact(String)
  /// This folder and everything in it.
  case below(String)
  /// As in a shell: `*` and `?` stay within one component, `**` does not.
  case glob(String)

  /// Whether a path is in the set.
  public func matches(_ path: String) -> Bool {
    switch self {
    case .exact(let wanted): wanted == path
    case .below(let folder):
      folder == path || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    case .glob(let pattern): Glob(pattern).matches(path)
    }
  }
}
