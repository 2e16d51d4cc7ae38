internal import CFuse
internal import Glibc
internal import Platform

/// Mounts: it makes the device whose other end is the mount.
///
/// libfuse can do this too, but prints what goes wrong instead of telling it, and forks a process that
/// has threads.
enum Mounter {
  private static let device = "/dev/fuse"

  /// Mounts by mount(2) where that is allowed, else through fusermount3.
  static func mount(
    at place: Mountpoint, _ options: MountOptions
  ) throws(FuseError) -> FileDescriptor {
    guard access(device, F_OK) == 0 else {
      throw FuseError(
        .deviceMissing, "\(device) does not exist; load the kernel module with `modprobe fuse`.")
    }
    if geteuid() == 0, let device = try mountDirectly(at: place, options) { return device }
    guard access(device, R_OK | W_OK) == 0 else {
      throw FuseError(
        .deviceNotOpenable,
        "\(device) may not be opened by this user; let root run `chmod 0666 \(device)`.")
    }
    return try MountHelper.mount(at: place, options)
  }

  /// Mounts by mount(2); nil when the process lacks the capability.
  private static func mountDirectly(
    at place: Mountpoint, _ options: MountOptions
  ) throws(FuseError) -> FileDescriptor? {
    guard let device = try? FileDescriptor.open(device, O_RDWR) else {
      throw FuseError(
        .deviceNotOpenable,
        "\(device): \(Errno.current). In a container, give it the device (--device /dev/fuse).")
    }
    let parts =
      [
        "fd=\(device.rawValue)", "rootmode=\(String(place.kind, radix: 8))",
        "user_id=\(getuid())", "group_id=\(getgid())",
      ] + options.common
    let type = options.subtype.isEmpty ? "fuse" : "fuse.\(options.subtype)"
    let flags = MS_NOSUID | MS_NODEV | (options.isReadOnly ? MS_RDONLY : 0)
    let result = Glibc.mount(
      options.source, place.path, type, UInt(flags), parts.joined(separator: ","))
    if result == 0 { return device }
    if errno == EPERM { return nil }
    throw FuseError(.refused, "mounting on \(place.path): \(Errno.current).")
  }
}
