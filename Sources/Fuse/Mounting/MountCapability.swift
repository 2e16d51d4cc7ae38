internal import Glibc
internal import Platform

/// Whether this process can mount, as far as that can be told without mounting.
public enum MountCapability {
  /// The device whose other end a mount is.
  public static let device = "/dev/fuse"

  /// Checks that the device is there and can be opened.
  ///
  /// - Throws: `deviceMissing` or `deviceNotOpenable`.
  public static func checkDevice() throws(FuseError) { _ = try openDevice() }

  /// Finds fusermount3, fit to mount for this user.
  ///
  /// - Returns: its path.
  /// - Throws: `helperMissing` or `helperNotPrivileged`.
  public static func findHelper() throws(FuseError) -> String { try MountHelper.path() }

  /// Whether mount(2) itself is allowed, so that no helper is needed: CAP_SYS_ADMIN.
  public static var mountsDirectly: Bool {
    guard geteuid() == 0, let text = SystemFile.read("/proc/self/status"),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
      let effective = UInt64(line.dropFirst(7).drop { $0 == "\t" || $0 == " " }, radix: 16)
    else { return false }
    return effective & (1 << 21) != 0
  }

  static func openDevice() throws(FuseError) -> FileDescriptor {
    do throws(Errno) {
      return try FileDescriptor.open(device, O_RDWR)
    } catch .noSuchFile {
      throw FuseError(
        .deviceMissing,
        "\(device) does not exist; load the kernel module with `modprobe fuse`, or give a container the"
          + " device (--device \(device)).")
    } catch {
      throw FuseError(.deviceNotOpenable, "\(device) \(remedy(error))")
    }
  }

  private static func remedy(_ error: Errno) -> String {
    guard error == .accessDenied, geteuid() != 0 else {
      return "cannot be opened: \(error). In a container, give it the device (--device /dev/fuse)."
    }
    var status = stat()
    stat(device, &status)
    let mode = String(status.st_mode & 0o7777, radix: 8)
    return "has the mode 0\(mode) and may not be opened by this user; let root run"
      + " `chmod 0666 \(device)`."
  }
}
