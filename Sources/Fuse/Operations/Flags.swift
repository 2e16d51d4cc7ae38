internal import Glibc

/// The flags of open(2), as the kernel passes them on.
public struct OpenFlags: OptionSet, Hashable, Sendable {
  /// The bits of `O_*`.
  public let rawValue: CInt
  /// Wraps the bits.
  public init(rawValue: CInt) { self.rawValue = rawValue }

  /// O_APPEND.
  public static let append = OpenFlags(rawValue: O_APPEND)
  /// O_TRUNC: arrives only when atomic truncation was agreed.
  public static let truncate = OpenFlags(rawValue: O_TRUNC)
  /// O_EXCL.
  public static let exclusive = OpenFlags(rawValue: O_EXCL)
  /// O_SYNC.
  public static let synchronous = OpenFlags(rawValue: O_SYNC)

  /// Whether the opener may read.
  public var canRead: Bool { rawValue & O_ACCMODE != O_WRONLY }
  /// Whether the opener may write.
  public var canWrite: Bool { rawValue & O_ACCMODE != O_RDONLY }
  /// Whether the kernel opens it to execute it (FMODE_EXEC).
  public var isForExecution: Bool { rawValue & 0x20 != 0 }
}

/// The flags of renameat2(2).
public struct RenameFlags: OptionSet, Hashable, Sendable {
  /// The bits of `RENAME_*`.
  public let rawValue: UInt32
  /// Wraps the bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// RENAME_NOREPLACE: fail with EEXIST when the new name exists.
  public static let noReplace = RenameFlags(rawValue: 1)
  /// RENAME_EXCHANGE: both names must exist and swap what they name.
  public static let exchange = RenameFlags(rawValue: 2)
}

/// The flags of setxattr(2).
public struct ExtendedAttributeFlags: OptionSet, Hashable, Sendable {
  /// The bits of `XATTR_*`.
  public let rawValue: CInt
  /// Wraps the bits.
  public init(rawValue: CInt) { self.rawValue = rawValue }

  /// XATTR_CREATE: fail with EEXIST when the attribute exists.
  public static let create = ExtendedAttributeFlags(rawValue: 1)
  /// XATTR_REPLACE: fail with ENODATA when it does not.
  public static let replace = ExtendedAttributeFlags(rawValue: 2)
}

/// What access(2) asks for.
public struct AccessMask: OptionSet, Hashable, Sendable {
  /// The bits of `R_OK`, `W_OK` and `X_OK`; none is `F_OK`.
  public let rawValue: CInt
  /// Wraps the bits.
  public init(rawValue: CInt) { self.rawValue = rawValue }

  /// R_OK.
  public static let read = AccessMask(rawValue: R_OK)
  /// W_OK.
  public static let write = AccessMask(rawValue: W_OK)
  /// X_OK; for a folder, to enter it (chdir asks this).
  public static let execute = AccessMask(rawValue: X_OK)
}

/// What lseek(2) looks for, where the file system must answer.
public enum SeekTarget: CInt, Hashable, Sendable {
  /// SEEK_DATA: the next byte of data.
  case data = 3
  /// SEEK_HOLE: the next hole, or the end.
  case hole = 4
}
