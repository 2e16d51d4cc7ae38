import Foundation
import Glibc

/// Runs the program under test as a user who is not root, in a mount namespace with a /dev/fuse of its own.
public struct OrdinaryUser {
  private static let number = 65534

  /// Whether this process can become somebody else: it is root, and may make namespaces.
  public static var isAvailable: Bool {
    guard geteuid() == 0, MountedDrive.isAvailable, access("/usr/bin/fusermount3", X_OK) == 0 else {
      return false
    }
    return (try? TestProgram.run(["unshare", "-m", "true"]).status) == 0
  }

  private let folder: WatchedFolder
  /// A folder of the user's own.
  public var home: String { folder.path + "/home" }

  /// Copies the programs to where the user may run them.
  public init(in folder: WatchedFolder) throws {
    self.folder = folder
    let script = """
      chmod 0755 "$0"; mkdir "$0/programs" "$0/home"; chown \(Self.number):\(Self.number) "$0/home"
      cp "$(dirname "$1")/fauxdrive" "$(dirname "$1")/ReopenLast" "$0/programs"
      """
    let ended = try TestProgram.run(["/bin/sh", "-ec", script, folder.path, MountedDrive.program])
    guard ended.status == 0 else { throw TestFailure("\(ended)") }
  }

  /// Runs a command line as the user.
  ///
  /// - Parameter device: the mode of /dev/fuse; nil when there is none.
  public func run(_ line: String, device: String?) throws -> TestProgram.Ended {
    let prepare =
      device.map { "mknod -m \($0) $0/fuse c 10 229; mount --bind $0/fuse /dev/fuse" }
      ?? "mount -t tmpfs none /dev; mknod -m 0666 /dev/null c 1 3"
    let script = """
      \(prepare)
      export HOME="$0/home" TMPDIR="$0/home" PATH="$0/programs:/usr/bin:/bin"
      cd "$HOME"
      exec setpriv --reuid \(Self.number) --regid \(Self.number) --clear-groups /bin/sh -c "$1"
      """
    defer { unlink(folder.path + "/fuse") }
    return try TestProgram.run(["unshare", "-m", "/bin/sh", "-ec", script, folder.path, line])
  }
}
