/// A named point in the life of a transfer or a call where a test can look, hold, fail or kill.
public struct Checkpoint: RawRepresentable, Hashable, Sendable {
  /// The name, as the control protocol spells it.
  public let rawValue: String

  /// Names a point.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A transfer was asked for; nothing was sent to the cloud yet.
  public static let requested = Checkpoint(rawValue: "requested")
  /// The first byte has arrived and was not handed on yet.
  public static let firstByte = Checkpoint(rawValue: "first-byte")
  /// The last byte has arrived and was not handed on yet.
  public static let lastByte = Checkpoint(rawValue: "last-byte")
  /// Content is whole and verified, but not yet the item's content.
  public static let beforePublish = Checkpoint(rawValue: "before-publish")
  /// Content is the item's content; nobody was told yet.
  public static let published = Checkpoint(rawValue: "published")

  /// An upload begins: the cloud was told nothing yet.
  public static let uploadRequested = Checkpoint(rawValue: "upload-requested")
  /// Nothing of the content was sent yet.
  public static let uploadFirstByte = Checkpoint(rawValue: "upload-first-byte")
  /// All of the content but the last byte was sent.
  public static let uploadLastByte = Checkpoint(rawValue: "upload-last-byte")
  /// The cloud has taken it, and the device does not know that yet.
  public static let uploaded = Checkpoint(rawValue: "uploaded")
  /// The device knows that the cloud has it.
  public static let uploadNoted = Checkpoint(rawValue: "upload-noted")
}

/// What a checkpoint is about.
public struct CheckpointSubject: Hashable, Sendable {
  /// The item's identifier in the cloud.
  public let item: String
  /// The item's path on the device, as text, with a leading slash.
  public let path: String
  /// The ledger record of the request that caused the transfer or call; 0 when there is none.
  public let cause: UInt64
  /// The device; empty where it is the cloud's own affair.
  public var device: String

  /// Describes a subject.
  public init(item: String, path: String, cause: UInt64, device: String = "") {
    self.item = item
    self.path = path
    self.cause = cause
    self.device = device
  }
}

/// Why a checkpoint does not let its caller go on.
public enum CheckpointFailure: Error, Hashable, Sendable {
  /// A test said that the transfer or call shall fail with this error.
  case failed(Errno)
  /// A test said that it shall be cancelled, or the waiting task was.
  case cancelled
}

/// Where the drive reports that it reached a checkpoint. Production code passes `NoCheckpoints`.
public protocol Checkpoints: Sendable {
  /// Tells that `subject` reached `checkpoint`, and suspends while a gate holds it there.
  func reach(_ checkpoint: Checkpoint, _ subject: CheckpointSubject) async throws(CheckpointFailure)

  /// Tells that a call is at `checkpoint`, where nobody can be held; a test can only end the process.
  ///
  /// - Parameter subject: is called only if somebody wants to know.
  func pass(_ checkpoint: Checkpoint, _ subject: () -> CheckpointSubject)
}

/// Lets everything pass.
public struct NoCheckpoints: Checkpoints {
  /// Nothing to set up.
  public init() {}
  /// Returns at once.
  public func reach(
    _ checkpoint: Checkpoint, _ subject: CheckpointSubject
  ) async throws(CheckpointFailure) {}
  /// Returns at once.
  public func pass(_ checkpoint: Checkpoint, _ subject: () -> CheckpointSubject) {}
}
