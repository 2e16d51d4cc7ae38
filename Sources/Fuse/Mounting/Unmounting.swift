internal import Glibc
internal import Platform

extension MountTable {
  /// Unmounts the file system that is mounted on a folder: by umount2(2) where that is allowed, else
  /// through fusermount3.
  ///
  /// - Parameters:
  ///   - lazily: detach it from the tree although programs use it; it lives on for them.
  ///   - patience: how long to try again while it is busy, in real time. Whoever merely looks at the
  ///     mount (statfs of df, a file manager, an indexer) makes it busy for a moment.
  /// - Throws: `FuseError` with `notMounted`, `busy` or `refused`.
  public static func unmount(
    _ path: String, lazily: Bool = false, patience: Duration = .zero
  ) throws(FuseError) {
    let deadline = ContinuousClock.now + patience
    while true {
      do throws(FuseError) {
        return try unmountOnce(path, lazily: lazily)
      } catch {
        guard error.code == .busy, ContinuousClock.now < deadline else { throw error }
        usleep(pauseInMicroseconds)
      }
    }
  }

  /// The kernel does not tell when a mount stops being busy.
  private static let pauseInMicroseconds: UInt32 = 20_000

  private static func unmountOnce(_ path: String, lazily: Bool) throws(FuseError) {
    if umount2(path, (lazily ? CInt(MNT_DETACH) : 0) | UMOUNT_NOFOLLOW) == 0 { return }
    switch Errno.current {
    case .notPermitted: try MountHelper.unmount(path, lazily: lazily)
    case .busy:
      throw FuseError(.busy, "\(path) is in use; close what uses it, or detach it lazily.")
    case .invalid, .noSuchFile:
      throw FuseError(.notMounted, "Nothing is mounted on \(path).")
    case let error: throw FuseError(.refused, "\(path) was not unmounted: \(error).")
    }
  }
}

extension MountTable.Entry {
  /// Ends the connection at once: every waiting call fails, and the server sees the end.
  ///
  /// This is the way out when a server hangs. The mount stays, dead, until it is unmounted. It takes
  /// the control file system where that is mounted and writable (root, or the mount's owner), else a
  /// forced unmount (root).
  public func abort() throws(FuseError) {
    guard isFuse else { throw FuseError(.refused, "\(mountpoint) is not a FUSE mount.") }
    do throws(Errno) {
      try SystemFile.write("1", to: "/sys/fs/fuse/connections/\(connection)/abort")
    } catch {
      // The forced unmount aborts first, and may then find the mount busy.
      guard umount2(mountpoint, CInt(MNT_FORCE) | UMOUNT_NOFOLLOW) != 0, errno != EBUSY else {
        return
      }
      throw FuseError(
        .refused,
        "The connection of \(mountpoint) was not aborted: \(error). As root, mount the control file"
          + " system: mount -t fusectl none /sys/fs/fuse/connections")
    }
  }
}

/// A mount of our own, which must not be confused with another on the same folder.
struct MountedPlace: Sendable {
  let path: String
  let entry: MountTable.Entry?

  /// The mount that is visible on a folder now.
  init(path: String) {
    self.path = path
    entry = MountTable.current().last { $0.mountpoint == path }
  }

  /// Unmounts, lazily when programs use it. Does nothing when it is gone or covered by another.
  func unmount() {
    guard isVisible else { return }
    if (try? MountTable.unmount(path)) != nil { return }
    try? MountTable.unmount(path, lazily: true)
  }

  /// Detaches what is left when the connection has ended some other way.
  func removeRemains() {
    guard isVisible else { return }
    try? MountTable.unmount(path, lazily: true)
  }

  private var isVisible: Bool {
    guard let entry else { return false }
    return MountTable.current().last { $0.mountpoint == path }?.identifier == entry.identifier
  }
}

private let UMOUNT_NOFOLLOW: CInt = 8
