import Control
import DriveClient
import Foundation
import Glibc
import MountKit
import Platform
import Testing

/// Every way in which a mount ends.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct UnmountTests {
  private static func makeDrive() throws -> MountedDrive {
    try MountedDrive("icloud", cloud: ["Document": Version(1, size: 5000).bytes])
  }

  /// semantics: "A drive that programs use is not unmounted, unless by force; then their later calls fail with ENOTCONN."
  @Test func `a drive in use is unmounted by force only`() throws {
    let drive = try Self.makeDrive()
    let session = try drive.session()
    #expect(try session.ask("open 1 \(drive.at("Document"))").hasPrefix("ok"))
    let refused = try drive.unmount()
    #expect(refused.status == ExitCode.failure.rawValue)
    #expect(refused.errors.contains("programs still use \(drive.mountpoint)"))
    #expect(refused.errors.contains("--force"))
    #expect(try session.ask("pread 1 0 6000") == Version(1, size: 5000).answer)
    #expect(try drive.unmount(force: true).status == 0)
    #expect(!drive.isInMountTable)
    #expect(try session.ask("pread 1 0 6000") == "error ENOTCONN")
  }

  /// semantics: "A drive whose process has died is unmounted like any other."
  @Test func `a dead mount is unmounted`() throws {
    let drive = try Self.makeDrive()
    try drive.kill()
    #expect(drive.isInMountTable)
    #expect(try drive.unmount().status == 0)
    #expect(!drive.isInMountTable)
  }

  /// semantics: "A drive whose process does not answer is unmounted by force, which ends the process; programs that wait get an error."
  @Test func `a drive that does not answer is unmounted by force`() throws {
    let drive = try Self.makeDrive()
    Glibc.kill(drive.process, SIGSTOP)
    let session = try drive.session()
    try session.send("stat \(drive.at("Document"))")
    let refused = try drive.unmount()
    #expect(refused.status == ExitCode.temporaryFailure.rawValue)
    #expect(refused.errors.contains("does not answer"))
    #expect(refused.errors.contains("--force"))
    let ended = try drive.unmount(force: true)
    #expect(ended.status == 0, "\(ended)")
    #expect(!drive.isInMountTable)
    try drive.server.awaitEnd()
    #expect(try session.line().hasPrefix("error "))
    try drive.mount()
    #expect(try session.ask("whole \(drive.at("Document"))") == Version(1, size: 5000).answer)
  }

  @Test func `what is not mounted is not unmounted`() throws {
    let drive = try Self.makeDrive()
    #expect(try drive.unmount().status == 0)
    let again = try drive.unmount()
    #expect(again.status == ExitCode.noInput.rawValue)
    #expect(again.errors.contains("'\(drive.mountpoint)' is not on a FauxDrive mount"))
    let forced = try drive.unmount(force: true)
    #expect(forced.status == ExitCode.noInput.rawValue)
  }

  @Test func `a drive is mounted once`() throws {
    let drive = try Self.makeDrive()
    let again = try drive.tryMounting()
    #expect(again.status == ExitCode.cannotCreate.rawValue)
    #expect(again.errors.contains("mounted on '\(drive.mountpoint)' already"))
    let other = drive.folder + "/Other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
    let second = try drive.fauxdrive(["mount", other, "--world", drive.worldFolder])
    #expect(second.status == ExitCode.cannotCreate.rawValue)
    #expect(
      second.errors.contains("'device' of this world is mounted on '\(drive.mountpoint)' already"))
    #expect(second.errors.split(separator: "\n").count == 1)
  }

  @Test func `a drive that does not answer is not mounted over`() throws {
    let drive = try Self.makeDrive()
    Glibc.kill(drive.process, SIGSTOP)
    let again = try drive.tryMounting()
    #expect(again.status == ExitCode.cannotCreate.rawValue)
    #expect(again.errors.contains("does not answer"))
    #expect(again.errors.contains("fauxdrive unmount --force"))
    Glibc.kill(drive.process, SIGCONT)
    #expect(try drive.unmount().status == 0)
  }

  /// semantics: "SIGTERM, SIGINT and SIGHUP end a drive properly whatever waits: programs get an error, the mount goes, and the exit status is 0."
  @Test(arguments: [SIGTERM, SIGINT, SIGHUP], Kernel.allCases)
  func `a signal ends a drive although programs wait`(signal: CInt, kernel: Kernel) throws {
    let place = try ForegroundDrive(kernel.options)
    let world = try World(directory: place.world)
    let gate = try world.closeGate(at: .requested)
    let crowd = try Crowd(3, "read", place.mountpoint + "/Document")
    let fault = try Crowd(1, "map-private", place.mountpoint + "/Document")
    try world.awaitGate(gate, holds: 1, timeout: .seconds(60))
    kill(place.process, signal)
    #expect(place.server.finish() == 0)
    #expect(try crowd.finish().keys.allSatisfy { $0.error != 0 })
    #expect(try fault.end(of: fault.members[0]) == -SIGBUS)
    #expect(!place.isInMountTable)
  }

  /// semantics: "A drive that somebody unmounts by other means (umount, fusermount3 -u) ends by itself."
  @Test(arguments: [["umount"], ["fusermount3", "-u"], ["umount", "-l"]])
  func `a drive that is unmounted from outside ends`(command: [String]) throws {
    let place = try ForegroundDrive([])
    let ended = try TestProgram.run(command + [place.mountpoint])
    #expect(ended.status == 0, "\(ended)")
    #expect(place.server.finish() == 0)
    #expect(!place.isInMountTable)
  }

  /// semantics: "A change of an item's attributes reaches programs although a read of the item waits."
  @Test(arguments: Kernel.allCases)
  func `a waiting read does not keep the kernel from learning of changes`(kernel: Kernel) throws {
    let drive = try MountedDrive(
      "icloud", cloud: ["Document": Version(1, size: 5000).bytes, "Other": [1]],
      options: ["--clock", "manual"] + kernel.options)
    let (world, session) = (try drive.world(), try drive.session())
    #expect(try session.ask("whole \(drive.at("Other"))").hasPrefix("ok 1 "))
    let gate = try world.closeGate(at: .requested, path: "/Document")
    let crowd = try drive.crowd(2, "map-shared", "Document")
    try world.awaitGate(gate, holds: 1, timeout: .seconds(60))
    chmod(drive.cloud + "/Document", 0o600)
    try drive.put([1, 2], at: "Other")
    _ = try world.cloudRefresh()
    #expect(try session.ask("stat \(drive.at("Document"))").contains(" 100600 "))
    #expect(try session.ask("stat \(drive.at("Other"))").hasPrefix("ok 2 "))
    try world.openGate()
    #expect(try crowd.finish().keys.allSatisfy { $0.error == 0 })
  }
}

/// A drive that is served by a child of the test, so that its exit status can be seen.
private final class ForegroundDrive {
  let folder: String
  let server: Hands
  var mountpoint: String { folder + "/Drive" }
  var world: String { folder + "/world" }
  var process: pid_t { server.process }

  init(_ options: [String]) throws {
    folder = try TestProgram.run(["mktemp", "-d", "/tmp/fauxdrive-test-XXXXXX"]).output
      .trimmingCharacters(in: .newlines)
    for name in ["Drive", "cloud"] {
      try FileManager.default.createDirectory(
        atPath: folder + "/" + name, withIntermediateDirectories: false)
    }
    try Data(Version(1, size: 40_000).bytes).write(to: URL(filePath: folder + "/cloud/Document"))
    server = try Hands(
      command: [
        MountedDrive.program, "mount", "--foreground", folder + "/Drive", "--cloud",
        folder + "/cloud", "--world", folder + "/world", "--profile", "icloud",
      ] + options)
    guard try server.line().hasSuffix("is mounted.") else { throw TestFailure("not mounted") }
  }

  deinit {
    server.end()
    _ = try? TestProgram.run(["umount", "-l", mountpoint])
    _ = try? TestProgram.run(["rm", "-rf", folder])
  }

  var isInMountTable: Bool { MountedDrive.isInMountTable(mountpoint) }
}
