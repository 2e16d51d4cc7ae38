public import Glibc
public import Platform

/// What a SETATTR asks to change; nil is "leave it".
public struct AttributeChanges: Hashable, Sendable {
  /// A time to set.
  public enum Time: Hashable, Sendable {
    /// The time at which the request is served (UTIME_NOW).
    case now
    /// A given time.
    case at(Timestamp)
  }

  /// The new permission bits.
  public var mode: mode_t?
  /// The new owner.
  public var user: uid_t?
  /// The new group.
  public var group: gid_t?
  /// The new size (truncate).
  public var size: Int64?
  /// The new access time.
  public var accessTime: Time?
  /// The new modification time.
  public var modificationTime: Time?
  /// The new change time; sent only with a write-back cache, which this binding leaves off.
  public var changeTime: Timestamp?

  /// Changes nothing until something is set.
  public init() {}
}
