internal import CPlatform
internal import Glibc

/// A system error number, as in errno(3).
///
/// The C name of each constant is in its comment. Only the numbers that a drive answers have a name;
/// any other is still representable by its raw value.
public struct Errno: RawRepresentable, Hashable, Error, Sendable {
  /// The number itself, always positive.
  public let rawValue: CInt

  /// Wraps a number.
  public init(rawValue: CInt) { self.rawValue = rawValue }

  /// The calling thread's `errno`.
  public static var current: Errno { Errno(rawValue: errno) }

  /// EPERM: the operation is not permitted.
  public static let notPermitted = Errno(rawValue: EPERM)
  /// ENOENT: no such file or directory.
  public static let noSuchFile = Errno(rawValue: ENOENT)
  /// EINTR: the call was interrupted.
  public static let interrupted = Errno(rawValue: EINTR)
  /// EIO: input/output error.
  public static let io = Errno(rawValue: EIO)
  /// EBADF: bad file descriptor.
  public static let badDescriptor = Errno(rawValue: EBADF)
  /// EAGAIN: try again.
  public static let tryAgain = Errno(rawValue: EAGAIN)
  /// EACCES: permission denied.
  public static let accessDenied = Errno(rawValue: EACCES)
  /// EBUSY: the resource is in use.
  public static let busy = Errno(rawValue: EBUSY)
  /// EEXIST: the file exists.
  public static let exists = Errno(rawValue: EEXIST)
  /// ENOTDIR: not a directory.
  public static let notDirectory = Errno(rawValue: ENOTDIR)
  /// EISDIR: is a directory.
  public static let isDirectory = Errno(rawValue: EISDIR)
  /// EINVAL: invalid argument.
  public static let invalid = Errno(rawValue: EINVAL)
  /// ENOTTY: the device does not know this control.
  public static let noSuchControl = Errno(rawValue: ENOTTY)
  /// EFBIG: file too large.
  public static let tooLarge = Errno(rawValue: EFBIG)
  /// ENOSPC: no space left on the device.
  public static let noSpace = Errno(rawValue: ENOSPC)
  /// EROFS: the file system is read-only.
  public static let readOnly = Errno(rawValue: EROFS)
  /// EMLINK: too many links.
  public static let tooManyLinks = Errno(rawValue: EMLINK)
  /// ERANGE: the caller's buffer is too small.
  public static let rangeTooSmall = Errno(rawValue: ERANGE)
  /// EDEADLK: a deadlock was avoided (what macOS answers when materializing is refused).
  public static let deadlock = Errno(rawValue: EDEADLK)
  /// ENAMETOOLONG: the name is too long.
  public static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  /// ENOSYS: not implemented.
  public static let notImplemented = Errno(rawValue: ENOSYS)
  /// ENOTEMPTY: the directory is not empty.
  public static let notEmpty = Errno(rawValue: ENOTEMPTY)
  /// ENODATA: no such extended attribute.
  public static let noData = Errno(rawValue: ENODATA)
  /// EOPNOTSUPP: the operation is not supported here.
  public static let notSupported = Errno(rawValue: EOPNOTSUPP)
  /// ENOTCONN: the transport endpoint is not connected.
  public static let notConnected = Errno(rawValue: ENOTCONN)
  /// ETIMEDOUT: the connection timed out.
  public static let timedOut = Errno(rawValue: ETIMEDOUT)
  /// EHOSTDOWN: the host is down.
  public static let hostDown = Errno(rawValue: EHOSTDOWN)
  /// ESTALE: the version behind a handle is gone.
  public static let stale = Errno(rawValue: ESTALE)
  /// EDQUOT: the quota is exceeded.
  public static let quotaExceeded = Errno(rawValue: EDQUOT)
  /// ECANCELED: the operation was cancelled.
  public static let cancelled = Errno(rawValue: ECANCELED)

  /// The C name, such as "ENOENT"; "errno 200" for a number that has none here.
  public var name: String {
    guard let name = platform_errno_name(rawValue) else { return "errno \(rawValue)" }
    return String(cString: name)
  }

  /// The number for a C name, such as "ETIMEDOUT".
  public init?(name: String) {
    for number in CInt(1)...CInt(133) where Errno(rawValue: number).name == name {
      self.init(rawValue: number)
      return
    }
    return nil
  }
}

extension Errno: CustomStringConvertible {
  /// The system's sentence for the number, with the C name.
  public var description: String { "\(String(cString: strerror(rawValue))) (\(name))" }
}
