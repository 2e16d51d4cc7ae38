internal import Glibc
internal import Platform

/// What a write fails with.
enum WritingFailure {
  /// The failure of a system call that a write made.
  static func error(_ error: Errno, _ message: String) -> CloudError {
    switch error.rawValue {
    case EINVAL, ENOSYS, EOPNOTSUPP:
      CloudError(
        .unsupported,
        "\(message): its file system cannot do this in one step (renameat2 with flags); keep the "
          + "cloud's folder on ext4, XFS, Btrfs or tmpfs.")
    case EXDEV:
      CloudError(
        .unsupported,
        "\(message): it is on another file system than the cloud's folder itself; keep both on one."
      )
    case EBUSY: CloudError(.denied, "\(message): \(error)")
    default: CloudError(errno: error, message)
    }
  }

  static func versionGone(_ name: FileName) -> CloudError {
    CloudError(.versionGone, "\(name) has changed since the base version; look at it again.")
  }

  static func nameTaken(_ name: FileName) -> CloudError {
    CloudError(.nameTaken, "The name \(name) is taken in that folder.")
  }

  static func notFolder(_ row: IndexRow) -> CloudError {
    CloudError(.failed, "\(row.name?.text ?? "/") is not a folder.")
  }
}
