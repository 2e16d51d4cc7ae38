internal import Glibc
public import Platform

extension CloudError.Code {
  /// The kind that a system error number stands for; `.failed` for one that stands for none.
  public init(errno error: Errno) {
    switch error.rawValue {
    case ENOENT, ENOTDIR, ELOOP: self = .notFound
    // A name that the account cannot have is refused for good as well.
    case EACCES, EPERM, EROFS, ENAMETOOLONG: self = .denied
    case EEXIST: self = .nameTaken
    case ENOTEMPTY: self = .notEmpty
    case ESTALE: self = .versionGone
    case EDQUOT, ENOSPC: self = .quotaExceeded
    case ETIMEDOUT: self = .timedOut
    case ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENOTCONN, ECONNREFUSED: self = .offline
    case EAGAIN, EBUSY: self = .throttled(retryAfter: .zero)
    case EBADMSG: self = .corrupt
    case EOPNOTSUPP, ENOSYS: self = .unsupported
    case ECANCELED: self = .cancelled
    default: self = .failed
    }
  }
}

extension CloudError {
  /// The failure that a system call reported.
  public init(errno error: Errno, _ message: String) {
    self.init(Code(errno: error), "\(message): \(error)")
  }

  /// The caller's task was cancelled.
  static var cancelledByCaller: CloudError {
    CloudError(.cancelled, "The task that asked was cancelled.")
  }
}
