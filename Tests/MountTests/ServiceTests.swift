import Foundation
import MountKit
import Testing

/// Drives of a service manager, and of whoever may mount only for himself.
@Suite(
  .enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"), .timeLimit(.minutes(15)))
struct ServiceTests {
  /// Waits for the message at a socket, then ends what it has started.
  private static let manager = #"""
    import socket, subprocess, sys
    name, program, mountpoint, world = sys.argv[1:]
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(name.replace("@", "\0", 1))
    listener.settimeout(60)
    service = subprocess.Popen(
        [program, "mount", "--foreground", mountpoint, "--cloud", "memory:", "--world", world],
        env={"NOTIFY_SOCKET": name, "PATH": "/usr/bin:/bin"}, stdout=subprocess.DEVNULL)
    try:
        print(listener.recv(100).decode(), open("/proc/mounts").read().count(mountpoint))
    finally:
        service.terminate()
        print(service.wait())
    """#

  /// semantics: "A service manager that wants to know (`NOTIFY_SOCKET`) is told when `fauxdrive mount --foreground` has mounted; SIGTERM unmounts."
  @Test(arguments: ["path", "abstract"])
  func `a service manager learns when the drive is mounted`(kind: String) throws {
    let drive = try MountedDrive("icloud", mounting: false)
    let name = kind == "path" ? drive.folder + "/notify" : "@" + drive.folder
    let ended = try drive.run(
      "python3", "-c", Self.manager, name, MountedDrive.program, drive.mountpoint, drive.worldFolder
    )
    #expect(ended.output == "READY=1 1\n0\n", "\(ended)")
    #expect(!drive.isInMountTable)
  }

  /// Whether systemd can check units here.
  private static let hasAnalyzer =
    (try? TestProgram.run(["systemd-analyze", "--version"]))?.status == 0

  @Test(.enabled(if: hasAnalyzer, "systemd-analyze is not installed"))
  func `systemd finds nothing wrong with the unit`() throws {
    let drive = try MountedDrive("icloud", mounting: false)
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let unit = try String(
      contentsOf: root.appending(path: "packaging/systemd/fauxdrive@.service"), encoding: .utf8)
    let command = "ExecStart=fauxdrive mount"
    try #require(unit.contains("\n\(command)"))
    // systemd looks for the program where it is installed, which it need not be here.
    try unit.replacing(command, with: "ExecStart=\(MountedDrive.program) mount").write(
      toFile: drive.folder + "/fauxdrive@.service", atomically: true, encoding: .utf8)
    func verify() throws -> TestProgram.Ended {
      try TestProgram.run(
        [
          "systemd-analyze", "verify", "--user", "--man=no",
          drive.folder + "/fauxdrive@home-ann-Drive.service",
        ],
        environment: ["XDG_RUNTIME_DIR": drive.folder, "HOME": drive.folder])
    }
    let ended = try verify()
    #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended)")
    // It does look.
    try unit.replacing("Type=notify", with: "Type=notified").write(
      toFile: drive.folder + "/fauxdrive@.service", atomically: true, encoding: .utf8)
    #expect(try verify().errors.contains("notified"))
  }

  /// Whether the kernel lets ordinary users make user and mount namespaces.
  private static let hasNamespaces =
    (try? TestProgram.run(UserSpace.become(UserSpace.number) + ["unshare", "-Urm", "true"]))?
    .status == 0

  /// semantics: "In a user and mount namespace of their own (`unshare -Urm`) ordinary users mount without fusermount3, where the kernel lets them make one."
  @Test(
    .enabled(if: UserSpace.isPossible, "needs root to become an ordinary user, and fusermount3"),
    .enabled(if: hasNamespaces, "ordinary users may not make namespaces here"))
  func `an ordinary user mounts in namespaces of their own`() throws {
    let user = try UserSpace(prepare: "mount --bind /dev/null /usr/bin/fusermount3")
    let drive = try MountedDrive(
      "icloud", cloud: ["a": Array("hello".utf8)], as: user, mounting: false)
    let script = """
      cd "$0" && "$1" mount Drive --cloud copy:cloud --world world >mounted || exit
      cat Drive/a && grep -c "$0/Drive fuse.fauxdrive" /proc/mounts
      "$1" unmount Drive
      """
    let ended = try TestProgram.run(
      user.prefix + [
        "unshare", "-Urm", "--pid", "--fork", "--kill-child", "--mount-proc", "/bin/sh", "-c",
        script, drive.folder, user.program,
      ])
    #expect(ended.status == 0 && ended.output == "hello1\n" && ended.errors.isEmpty, "\(ended)")
    #expect(!drive.isInMountTable)
  }
}
