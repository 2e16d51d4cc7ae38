import Fuse
import Glibc
import Platform
import Testing

@Suite(
  "A mount of an ordinary user", .serialized, .timeLimit(.minutes(15)),
  .enabled(if: UserMount.isPossible, "needs root to become an ordinary user, and fusermount3"))
struct UserMountTests {
  @Test("is made by fusermount3, serves, and ends at a signal")
  func serves() throws {
    let user = try UserMount(device: 0o666)
    #expect(try user.shell.line() == "ready")
    #expect(try user.run("cat $M/hello") == "hello, world")
    #expect(try user.run("stat -c %F $M/folder") == "directory")
    #expect(try user.run("kill -TERM $S") == "ended stopped")
    #expect(try user.run("wait $S; echo $?") == "0")
    #expect(try user.run("cat $M/hello 2>&1").contains("No such file"))
  }

  @Test("ends when the user unmounts it")
  func unmounted() throws {
    let user = try UserMount(device: 0o666)
    #expect(try user.shell.line() == "ready")
    #expect(try user.run("fusermount3 -u $M") == "ended unmounted")
    #expect(try user.run("wait $S; echo $?") == "0")
  }

  @Test("ends at a signal although a file is open")
  func busy() throws {
    let user = try UserMount(device: 0o666)
    #expect(try user.shell.line() == "ready")
    #expect(try user.run("exec 5<$M/hello; kill -TERM $S") == "ended stopped")
    #expect(try user.run("wait $S; echo $?") == "0")
    #expect(try user.run("cat <&5 2>&1").contains("not connected"))
  }

  @Test("has no passthrough, and says so by opening none")
  func passthrough() throws {
    let user = try UserMount(device: 0o666, settings: "passthrough /etc/passwd")
    #expect(try user.shell.line() == "ready")
    #expect(try user.run("cat $M/backed 2>&1").contains("not permitted"))
  }

  @Test("is refused with what to do where the device may not be opened")
  func deviceClosed() throws {
    let user = try UserMount(device: 0o600)
    let line = try #require(try user.shell.line())
    #expect(line.hasPrefix("error deviceNotOpenable"))
    #expect(line.contains("chmod 0666 /dev/fuse"))
  }

  @Test("is refused with what to do where fusermount3 has lost its privilege")
  func helperNotPrivileged() throws {
    let user = try UserMount(device: 0o666, prepare: Self.coverHelper(mode: "0755"))
    let line = try #require(try user.shell.line())
    #expect(line.hasPrefix("error helperNotPrivileged"))
    #expect(line.contains("chmod u+s"))
  }

  @Test("is refused with what to do where the folder is not the user's")
  func notPermitted() throws {
    let user = try UserMount(device: 0o666, owner: 0)
    let line = try #require(try user.shell.line())
    #expect(line.hasPrefix("error mountpointNotPermitted"))
  }

  /// Mounts a copy with other permissions over fusermount3, in the namespace of the test only.
  private static func coverHelper(mode: String) -> String {
    "cp $H $D/helper; chmod \(mode) $D/helper; mount --bind $D/helper $H;"
  }
}

/// A shell of an ordinary user, in a mount namespace with its own /dev/fuse, that starts the server.
///
/// `M` is the mountpoint and `S` the server's process.
final class UserMount {
  let shell: TestProcess
  private let folder: String

  static var isPossible: Bool {
    guard ServedMount.isPossible, access("/usr/bin/fusermount3", X_OK) == 0 else { return false }
    return (try? TestProcess.shell("unshare -m true"))?.status == 0
  }

  init(
    device mode: mode_t, settings: String = "", owner: uid_t = 65534, prepare: String = ""
  ) throws {
    folder = try ServedMount.makeFolder()
    let mountpoint = folder + "/mount"
    mkdir(mountpoint, 0o755)
    chown(mountpoint, owner, owner)
    // The build folder may be closed to the user, so the server is copied.
    let script = """
      set -e; D=\(folder); M=\(mountpoint); H=$(readlink -f /usr/bin/fusermount3)
      export M
      cp \(try ServedMount.serverPath()) $D/server; chmod 0755 $D/server
      mknod -m \(String(mode, radix: 8)) $D/fuse c 10 229; mount --bind $D/fuse /dev/fuse
      \(prepare)
      exec setpriv --reuid 65534 --regid 65534 --clear-groups /bin/sh -c '
        exec 9<&0; tail --pid=$$ -f /dev/null | \(folder)/server $M \(settings) & S=$!
        while read line <&9; do eval "$line"; done'
      """
    shell = try TestProcess("/usr/bin/unshare", ["-m", "/bin/sh", "-c", script])
  }

  deinit {
    kill(shell.process, SIGKILL)
    _ = try? TestProcess.shell("rm -rf \(folder)")
  }

  /// Runs a command in the user's shell and returns the first line that it prints.
  func run(_ command: String) throws -> String {
    shell.send(command)
    return try shell.line() ?? ""
  }
}
