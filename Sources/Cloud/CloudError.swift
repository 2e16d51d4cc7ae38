public import Platform

/// Why a cloud did not do what it was asked.
///
/// `offline` and `timedOut` mean "cannot be asked", never "is not there": a device must not take one
/// for a deletion.
public struct CloudError: Error, Hashable, Sendable {
  /// The kind of a failure.
  public enum Code: Hashable, Sendable {
    /// No such item, or no longer.
    case notFound
    /// The version asked for has been replaced, or the base version is not the present one.
    case versionGone
    /// The name is taken in that folder.
    case nameTaken
    /// The folder is not empty.
    case notEmpty
    /// Too many requests; ask again after the time.
    case throttled(retryAfter: Duration)
    /// There is no network, or no server.
    case offline
    /// The account may not do this.
    case denied
    /// The account is full.
    case quotaExceeded
    /// The server did not answer in time.
    case timedOut
    /// What arrived is not what was stored.
    case corrupt
    /// The sync anchor is too old: enumerate again.
    case anchorExpired
    /// This store cannot do this; see `capabilities`.
    case unsupported
    /// The call was cancelled by its caller.
    case cancelled
    /// Anything else; the message tells.
    case failed
  }

  /// The kind.
  public let code: Code
  /// What happened, and what to do about it, in one sentence.
  public let message: String
  /// Where a device failed that should have kept what the cloud said: its error. Nil for the cloud's own.
  public let deviceError: Errno?

  /// Describes a failure.
  public init(_ code: Code, _ message: String, deviceError: Errno? = nil) {
    self.code = code
    self.message = message
    self.deviceError = deviceError
  }
}

extension CloudError: CustomStringConvertible {
  /// The message with the code.
  public var description: String { "\(message) (\(code))" }
}
