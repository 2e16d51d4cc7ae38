import Catalog
import Cloud
import Platform

/// Why the drive did not do what somebody asked for in so many words (download, evict, list).
public struct DriveError: Error, Hashable, Sendable {
  /// The kind of a failure.
  public enum Code: String, Hashable, Sendable {
    /// The path names nothing that this device knows.
    case notFound
    /// It names a folder where a document is wanted, or the other way round.
    case wrongKind
    /// Somebody has it open.
    case isOpen
    /// It has a change that has not reached the cloud.
    case isPending
    /// It is pinned.
    case isPinned
    /// The profile never evicts.
    case neverEvicts
    /// It is not here, so there is nothing to drop.
    case notHere
    /// The cloud cannot be reached.
    case unreachable
    /// Anything else; the message tells.
    case failed
  }

  /// The kind.
  public let code: Code
  /// What happened, and what to do about it, in one sentence.
  public let message: String

  /// Describes a failure.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension DriveError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension CatalogError {
  /// What a program gets whose call needed the catalog.
  var errno: Errno { code == .full ? .noSpace : .io }
}

extension CloudError {
  /// The catalog failed, for a caller that speaks of clouds.
  init(_ error: CatalogError) {
    self.init(.failed, "the catalog failed: \(error)", deviceError: error.errno)
  }

  /// What a program gets when a transfer that it waits for ends with this error and the dial says
  /// nothing else.
  var errno: Errno {
    if let deviceError { return deviceError }
    return switch code {
    case .notFound, .versionGone: .stale
    case .nameTaken: .exists
    case .notEmpty: .notEmpty
    case .throttled, .offline, .timedOut: .timedOut
    case .denied: .accessDenied
    case .quotaExceeded: .quotaExceeded
    case .unsupported: .notSupported
    case .cancelled: .cancelled
    case .corrupt, .anchorExpired, .failed: .io
    }
  }

  /// Whether the cloud could not be asked, which the dial's `unreachable` is about.
  var meansUnreachable: Bool {
    switch code {
    case .offline, .timedOut, .throttled: true
    default: false
    }
  }
}
