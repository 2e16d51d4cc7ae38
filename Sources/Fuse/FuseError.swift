internal import Platform

/// Why a file system could not be mounted or unmounted; the message says what to do.
public struct FuseError: Error, Hashable, Sendable {
  /// The kind of failure.
  public enum Code: Hashable, Sendable {
    /// /dev/fuse does not exist.
    case deviceMissing
    /// /dev/fuse may not be opened.
    case deviceNotOpenable
    /// fusermount3, which mounts for ordinary users, is not installed.
    case helperMissing
    /// fusermount3 may not mount: it is not set-user-ID root.
    case helperNotPrivileged
    /// fusermount3 or mount(2) refused.
    case refused
    /// The mountpoint does not exist.
    case mountpointMissing
    /// The mountpoint is not a folder.
    case mountpointNotDirectory
    /// The mountpoint has entries, which the mount would hide.
    case mountpointNotEmpty
    /// Something is mounted there.
    case mountpointInUse
    /// The user may not mount there.
    case mountpointNotPermitted
    /// Nothing is mounted there.
    case notMounted
    /// Programs use the mount.
    case busy
    /// libfuse failed.
    case library
  }

  /// The kind of failure.
  public let code: Code
  /// What happened, and what to do about it.
  public let message: String

  /// A failure.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension FuseError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
