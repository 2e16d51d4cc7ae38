internal import CFuse

/// A record lock of fcntl(2).
public struct FileLock: Hashable, Sendable {
  /// What the lock does.
  public enum Kind: Int16, Hashable, Sendable {
    /// F_RDLCK.
    case read = 0
    /// F_WRLCK.
    case write = 1
    /// F_UNLCK.
    case unlock = 2
  }

  /// What the lock does.
  public var kind: Kind
  /// The first byte.
  public var start: Int64
  /// How many bytes; 0 is "to the end, however far the file grows".
  public var count: Int64
  /// The process that holds it, for `getlk`.
  public var process: Int32

  /// A lock on a range.
  public init(kind: Kind, start: Int64 = 0, count: Int64 = 0, process: Int32 = 0) {
    self.kind = kind
    self.start = start
    self.count = count
    self.process = process
  }

  init?(_ lock: flock) {
    guard let kind = Kind(rawValue: lock.l_type) else { return nil }
    self.init(
      kind: kind, start: Int64(lock.l_start), count: Int64(lock.l_len), process: lock.l_pid)
  }
}

/// Who holds locks: the kernel's number for the opener (`lock_owner`).
public struct LockOwner: RawRepresentable, Hashable, Sendable {
  /// The number.
  public let rawValue: UInt64
  /// Wraps a number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// What flock(2) asks for.
public struct WholeFileLock: OptionSet, Hashable, Sendable {
  /// The bits of `LOCK_*`.
  public let rawValue: CInt
  /// Wraps the bits.
  public init(rawValue: CInt) { self.rawValue = rawValue }

  /// LOCK_SH.
  public static let shared = WholeFileLock(rawValue: 1)
  /// LOCK_EX.
  public static let exclusive = WholeFileLock(rawValue: 2)
  /// LOCK_NB: answer EWOULDBLOCK instead of waiting.
  public static let nonBlocking = WholeFileLock(rawValue: 4)
  /// LOCK_UN.
  public static let unlock = WholeFileLock(rawValue: 8)
}
