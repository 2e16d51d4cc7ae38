import Foundation
import Glibc
import MountKit
import Testing

/// `fauxdrive doctor` on real machines, as they are found.
@Suite(
  .enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"), .timeLimit(.minutes(15)))
struct DoctorTests {
  private struct Finding: Decodable {
    let topic: String
    let level: String
    let message: String
    let deadMount: String?
  }

  private static func findings(_ ended: TestProgram.Ended) throws -> [Finding] {
    try JSONDecoder().decode([Finding].self, from: Data(ended.output.utf8))
  }

  @Test func `a drive that is served is found, and one whose world was killed can be removed`()
    throws
  {
    let drive = try MountedDrive("icloud", cloud: ["a": [1]])
    let served = try drive.run(MountedDrive.program, "doctor")
    #expect(served.status == 0, "\(served)")
    #expect(served.output.contains("ok    mount: \(drive.mountpoint) is served\n"))
    try drive.kill()
    let findings = try Self.findings(try drive.run(MountedDrive.program, "doctor", "--json"))
    let dead = try #require(findings.first { $0.deadMount == drive.mountpoint })
    #expect(dead.level == "problem")
    let fixed = try drive.run(MountedDrive.program, "doctor", "--fix")
    #expect(fixed.status == 0)
    #expect(fixed.output.hasPrefix("\(drive.mountpoint) was dead, and is unmounted.\n"))
    #expect(!fixed.output.contains("mount: \(drive.mountpoint)"))
  }

  @Test func `a world that does not answer is found, and nobody hangs`() throws {
    let drive = try MountedDrive("icloud")
    kill(drive.process, SIGSTOP)
    defer { kill(drive.process, SIGCONT) }
    let ended = try drive.run(MountedDrive.program, "doctor")
    #expect(ended.status == 0)
    #expect(ended.output.contains("BAD   mount: \(drive.mountpoint) does not answer\n"))
    #expect(ended.output.contains("fauxdrive unmount --force '\(drive.mountpoint)'"))
  }

  @Test func `a world that is not mounted any more is named`() throws {
    let folder = try WatchedFolder()
    let script = """
      mkdir "$0/cloud" "$0/Drive"; fauxdrive mount "$0/Drive" --cloud "$0/cloud" >"$0/log"
      fauxdrive unmount "$0/Drive"; exec fauxdrive doctor
      """
    let programs = (MountedDrive.program as NSString).deletingLastPathComponent
    let ended = try TestProgram.run(
      ["/bin/sh", "-ec", script, folder.path],
      environment: ["XDG_STATE_HOME": folder.path, "PATH": programs + ":/usr/bin:/bin"])
    #expect(ended.status == 0, "\(ended)")
    #expect(ended.output.contains(#/note  world: .*-Drive does not run; /#), "\(ended)")
  }
}

/// What an ordinary user is told, and can do.
@Suite(
  .enabled(if: OrdinaryUser.isAvailable, "needs root to become an ordinary user, and fusermount3"),
  .timeLimit(.minutes(15)))
struct OrdinaryUserTests {
  @Test(arguments: [
    ("0600", 77 as Int32, "/dev/fuse has the mode 0600 and may not be opened by this user"),
    (nil, 69, "/dev/fuse does not exist; load the kernel module with `modprobe fuse`"),
  ])
  func `is told what is wrong with the device, and what to do`(
    device: String?, status: Int32, message: String
  ) throws {
    let user = try OrdinaryUser(in: try WatchedFolder())
    for line in [
      "fauxdrive doctor", "fauxdrive demo", "mkdir -p d; fauxdrive mount d --cloud memory:",
    ] {
      let ended = try user.run(line, device: device)
      #expect(ended.status == status, "\(line): \(ended)")
      #expect((ended.output + ended.errors).contains(message), "\(line): \(ended)")
    }
    let lines = try user.run("fauxdrive doctor", device: device).output
    #expect(lines.hasSuffix("Nothing can be mounted here.\n"))
  }

  @Test func `can be shown the demo`() throws {
    let folder = try WatchedFolder()
    let user = try OrdinaryUser(in: folder)
    let ended = try user.run("fauxdrive doctor && exec fauxdrive demo", device: "0666")
    #expect(ended.status == 0, "\(ended)")
    #expect(ended.output.contains("ok    fusermount3: /usr/bin/fusermount3 mounts for this user\n"))
    #expect(ended.output.contains("Opened 'Harbour Lights'"))
    let left = try FileManager.default.contentsOfDirectory(atPath: user.home)
    #expect(left.isEmpty)
    #expect(folder.processes.isEmpty)
  }
}
