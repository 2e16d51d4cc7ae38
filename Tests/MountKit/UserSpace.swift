import Foundation
public import Glibc

/// An ordinary user, whom a test that runs as root becomes for the programs that it starts.
///
/// They live in a mount namespace of their own, in which /dev/fuse may be opened by everybody, as it is
/// on most machines.
public final class UserSpace: @unchecked Sendable {
  /// The user's number (and group's).
  public static let number: uid_t = 65534

  /// Whether this process can become one.
  public static let isPossible: Bool = {
    guard geteuid() == 0, MountedDrive.isAvailable, access("/usr/bin/fusermount3", X_OK) == 0
    else { return false }
    return (try? TestProgram.run(["unshare", "-m", "true"]))?.status == 0
  }()

  /// The program under test, where the user can run it.
  public let program: String
  /// The helper that touches mounts, where the user can run it.
  public let hands: String
  /// What comes before a command so that the user runs it.
  public var prefix: [String] { rootPrefix + Self.become(Self.number) }
  /// What comes before a command so that root runs it in the user's namespace.
  public var rootPrefix: [String] { ["nsenter", "-t", String(holder.process), "-m", "--"] }

  private let folder: String
  private let holder: Hands

  /// Makes the namespace.
  ///
  /// - Parameters:
  ///   - device: the permission bits of /dev/fuse in it.
  ///   - prepare: a shell command that root runs in it first.
  public init(device: String = "0666", prepare: String = "true") throws {
    folder = try MountedDrive.makeFolder()
    chmod(folder, 0o755)
    program = folder + "/fauxdrive"
    hands = folder + "/MountHands"
    for (from, to) in [(MountedDrive.program, program), (Hands.program, hands)] {
      // By another process: a file that is open for writing here, if only in a program that is being
      // started meanwhile, cannot be run.
      let ended = try TestProgram.run(["cp", from, to])
      guard ended.status == 0 else { throw TestFailure("\(ended)") }
    }
    let script = """
      set -e; D=\(folder)
      mknod -m \(device) $D/fuse c 10 229; mount --bind $D/fuse /dev/fuse
      \(prepare)
      echo ready; exec cat
      """
    holder = try Hands(command: ["unshare", "-m", "/bin/sh", "-c", script])
    guard try holder.line() == "ready" else { throw TestFailure("the namespace was not made") }
  }

  deinit {
    holder.end()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// What comes before a command so that another user runs it, with these supplementary groups.
  public func prefix(user: uid_t, group: gid_t, groups: [gid_t] = []) -> [String] {
    rootPrefix + Self.become(user, group, groups)
  }

  /// What comes before a command so that another user runs it, who sees the mounts that this process sees.
  public static func become(
    _ user: uid_t, _ group: gid_t? = nil, _ groups: [gid_t] = []
  ) -> [String] {
    let list = groups.map(String.init).joined(separator: ",")
    return ["setpriv", "--reuid", "\(user)", "--regid", "\(group ?? user)"]
      + (groups.isEmpty ? ["--clear-groups"] : ["--groups", list])
  }
}
