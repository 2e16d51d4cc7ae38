internal import CFuse
internal import Glibc
internal import Platform

/// Runs fusermount3, the set-user-ID program through which ordinary users mount and unmount.
enum MountHelper {
  private static let name = "fusermount3"
  private static let folders = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin"]

  /// Mounts and receives the device.
  static func mount(
    at place: Mountpoint, _ options: MountOptions
  ) throws(FuseError) -> FileDescriptor {
    let program = try path()
    var sockets: [CInt] = [-1, -1]
    guard cfuse_socket_pair(false, &sockets) == 0 else {
      throw FuseError(.refused, "no socket for \(name): \(Errno.current).")
    }
    let ours = FileDescriptor(owning: sockets[0])
    let theirs = FileDescriptor(owning: sockets[1])
    let child = try start(
      program, ["-o", options.forHelper, "--", place.path], passing: theirs)
    let device = cfuse_receive_descriptor(ours.rawValue)
    let (_, output) = child.finish()
    if device >= 0 { return FileDescriptor(owning: device) }
    throw failure(output, place.path)
  }

  /// Unmounts.
  static func unmount(_ path: String, lazily: Bool) throws(FuseError) {
    let program = try Self.path()
    let child = try start(program, (lazily ? ["-u", "-z"] : ["-u"]) + ["--", path], passing: nil)
    let (status, output) = child.finish()
    guard status != 0 else { return }
    if output.contains("busy") {
      throw FuseError(.busy, "\(path) is in use; close what uses it, or detach it lazily.")
    }
    throw FuseError(.refused, "\(path) was not unmounted: \(output)")
  }

  private static func start(
    _ program: String, _ arguments: [String], passing socket: consuming FileDescriptor?
  ) throws(FuseError) -> ChildProcess {
    do throws(Errno) {
      return try ChildProcess(
        program, arguments, descriptor: socket?.rawValue,
        environment: socket == nil ? [] : ["_FUSE_COMMFD=\(ChildProcess.passedDescriptor)"])
    } catch {
      throw FuseError(.helperMissing, "\(program) could not be started: \(error).")
    }
  }

  /// Its path, where it is fit to mount for this user.
  static func path() throws(FuseError) -> String {
    for folder in folders {
      let candidate = "\(folder)/\(name)"
      var status = stat()
      guard stat(candidate, &status) == 0 else { continue }
      guard geteuid() == 0 || (status.st_uid == 0 && status.st_mode & S_ISUID != 0) else {
        throw FuseError(
          .helperNotPrivileged,
          "\(candidate) is not set-user-ID root, so it cannot mount for you;"
            + " let root run `chmod u+s \(candidate)`.")
      }
      return candidate
    }
    throw FuseError(.helperMissing, "\(name) is not installed; install the package fuse3.")
  }

  private static func failure(_ output: String, _ path: String) -> FuseError {
    if output.contains("user_allow_other") {
      return FuseError(
        .refused,
        "Other users may be let in only if root puts the line user_allow_other into /etc/fuse.conf."
      )
    }
    if output.contains("no write access") || output.contains("not owned by user") {
      return FuseError(
        .mountpointNotPermitted, "You may not mount on \(path); use a folder of your own.")
    }
    if output.contains("Operation not permitted") {
      return FuseError(
        .refused,
        "\(path): mounting is not permitted here (\(output)); a container needs CAP_SYS_ADMIN.")
    }
    return FuseError(.refused, "\(path) was not mounted: \(output)")
  }
}
