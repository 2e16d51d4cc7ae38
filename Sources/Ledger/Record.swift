/// What a ledger record is about.
public enum RecordKind: String, Hashable, Codable, CaseIterable, Sendable {
  /// A request of a program, through the kernel or the control socket.
  case request
  /// A transfer of content from the cloud.
  case transfer
  /// A change that was brought to the cloud.
  case upload
  /// A lost race with another device: a copy was made (`answer` is its name).
  case conflict
  /// Content that was dropped from the device.
  case eviction
}

/// One line of the ledger: a request that matters, a transfer, or an eviction.
public struct Record: Hashable, Codable, Sendable {
  /// The number, ascending; also the `cause` of what the record's request started.
  public var id: UInt64
  /// What it is about.
  public var kind: RecordKind
  /// When it began, in nanoseconds on the world's clock.
  public var worldTime: Int64
  /// When it began, in nanoseconds since 1970.
  public var wallTime: Int64
  /// The device's name.
  public var device: String
  /// The call class, as the dial spells it ("stat", "open"); for an eviction, its reason.
  public var callClass: String
  /// The path on the device, with a leading slash.
  public var path: String
  /// The item's identifier in the cloud; empty when there is none.
  public var item: String
  /// The process (thread group); 0 when the drive itself asked.
  public var process: Int32
  /// Its executable.
  public var executable: String
  /// The record whose request caused this one; 0 when there is none.
  public var cause: UInt64
  /// What was answered: "present", "missing", or an errno's name; for a transfer, "completed",
  /// "failed" or "cancelled". Nil while it is held or runs.
  public var answer: String?
  /// What it started: "nothing", "metadata" or "content".
  public var started: String
  /// Bytes handed out or transferred.
  public var bytes: Int64
  /// How long the reply was held, or the transfer ran, in nanoseconds on the world's clock.
  public var waited: Int64
  /// An injected fault or gate that it met; empty when none.
  public var fault: String

  /// Begins a record; the recorder sets `id` and the times.
  public init(
    kind: RecordKind, device: String, callClass: String, path: String, item: String,
    process: Int32, executable: String, cause: UInt64 = 0, started: String = "nothing"
  ) {
    id = 0
    self.kind = kind
    worldTime = 0
    wallTime = 0
    self.device = device
    self.callClass = callClass
    self.path = path
    self.item = item
    self.process = process
    self.executable = executable
    self.cause = cause
    answer = nil
    self.started = started
    bytes = 0
    waited = 0
    fault = ""
  }
}
