import Daemon
import Glibc
import Platform

/// Who a drive is mounted for.
enum MountUser {
  /// Gives this process the home of its user, which mount(8) has taken from its environment where that
  /// user is not root.
  static func findHome() {
    guard getenv("HOME") == nil, let entry = getpwuid(geteuid())?.pointee else { return }
    setenv("HOME", String(cString: entry.pw_dir), 1)
  }

  /// Becomes the user for whom root mounts: takes the number, groups and home, for good.
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
