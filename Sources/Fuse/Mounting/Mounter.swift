internal import CFuse
internal import Glibc
internal import Platform

/// Mounts: it makes the device whose other end is the mount.
///
/// libfuse can do this too, but prints what goes wrong instead of telling it, and forks a process that
/// has threads.
enum Mounter {
  /// Mounts by mount(2) where that is allowed, else through fusermount3.
  static func mount(
    at place: Mountpoint, _ options: MountOptions
  ) throws(FuseError) -> FileDescriptor {
    try MountCapability.checkDevice()
    if geteuid() == 0, let device = try mountDirectly(at: place, options) { return device }
    return try MountHelper.mount(at: place, options)
  }

  /// Mounts by mount(2); nil when the process lacks the capability.
  private static func mountDirectly(
    at place: Mountpoint, _ options: MountOptions
  ) throws(FuseError) -> FileDescriptor? {
    let device = try MountCapability.openDevice()
    let parts =
      [
        "fd=\(device.rawValue)", "rootmode=\(String(place.kind, radix: 8))",
        "user_id=\(getuid())", "group_id=\(getgid())",
      ] + options.common
    let type = options.subtype.isEmpty ? "fuse" : "fuse.\(options.subtype)"
    let flags =
      MS_NOSUID | MS_NODEV | (options.isReadOnly ? MS_RDONLY : 0)
      | (options.forbidsExecution ? MS_NOEXEC : 0)
    let result = Glibc.mount(
      options.source, place.path, type, UInt(flags), parts.joined(separator: ","))
    if result == 0 { return device }
    if errno == EPERM { return nil }
    throw FuseError(.refused, "mounting on \(place.path): \(Errno.current).")
  }
}
