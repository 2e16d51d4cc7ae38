import Daemon
import Glibc
import Platform

/// Becomes the user for whom root mounts.
enum MountUser {
  /// Takes the user's number, groups and home, for good.
  ///
  /// - Throws: when there is no such user, or this process may not.
  static func become(_ name: String) throws {
    guard let entry = getpwnam(name)?.pointee else {
      throw WorldError(.noInput, "there is no user '\(name)' for setuid=")
    }
    let home = String(cString: entry.pw_dir)
    if geteuid() != entry.pw_uid || getuid() != entry.pw_uid {
      guard initgroups(name, entry.pw_gid) == 0, setgid(entry.pw_gid) == 0,
        setuid(entry.pw_uid) == 0
      else {
        throw WorldError(.noPermission, "setuid=\(name): only root may mount for another user")
      }
    }
    for (variable, value) in [("HOME", home), ("USER", name), ("LOGNAME", name)] {
      setenv(variable, value, 1)
    }
    unsetenv("XDG_STATE_HOME")
  }
}
