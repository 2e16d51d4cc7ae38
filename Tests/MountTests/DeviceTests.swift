import Control
import DriveClient
import Foundation
import Glibc
import Ledger
import MountKit
import Platform
import Testing

/// What a device's disk and its process bear.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct DeviceTests {
  /// semantics: "When the device's disk is full, a program that needs the content gets ENOSPC, nothing half-written counts as content, and the next access tries again."
  @Test(.enabled(if: geteuid() == 0, "needs root to mount a small disk"))
  func `a full disk is told to the reader and nothing sticks`() throws {
    let document = Version(1, size: 6 << 20)
    let drive = try MountedDrive(
      "icloud", cloud: ["Document": document.bytes, "Small": Version(2, size: 5000).bytes],
      mounting: false)
    try FileManager.default.createDirectory(
      atPath: drive.worldFolder, withIntermediateDirectories: false)
    let disk = try TestProgram.run(
      ["mount", "-t", "tmpfs", "-o", "size=4m,mode=0700", "none", drive.worldFolder])
    try #require(disk.status == 0)
    defer {
      _ = try? drive.unmount(force: true)
      _ = try? TestProgram.run(["umount", "-l", drive.worldFolder])
    }
    try drive.mount()
    let session = try drive.session()
    #expect(try session.ask("whole \(drive.at("Document"))") == "error ENOSPC")
    #expect(try session.ask("whole \(drive.at("Document"))") == "error ENOSPC")
    #expect(try session.ask("stat \(drive.at("Document"))").hasPrefix("ok \(document.size) "))
    let bigger = try TestProgram.run(["mount", "-o", "remount,size=40m", drive.worldFolder])
    try #require(bigger.status == 0)
    #expect(try session.ask("whole \(drive.at("Document"))") == document.answer)
    #expect(try session.ask("whole \(drive.at("Small"))") == Version(2, size: 5000).answer)
  }

  /// semantics: "A thousand downloads and evictions leave the drive's process with as many threads and open files as before."
  @Test func `nothing leaks over a thousand cycles`() throws {
    let document = Version(1, size: 9000)
    let drive = try MountedDrive("icloud", cloud: ["Document": document.bytes], options: [])
    let (session, device) = (try drive.session(), try drive.drive())
    func cycle() throws {
      #expect(try session.ask("whole \(drive.at("Document"))") == document.answer)
      #expect(try session.ask("open 1 \(drive.at("Document"))").hasPrefix("ok"))
      #expect(try session.ask("map 1 1 shared") == "ok 9000")
      #expect(try session.ask("unmap 1") == "ok 0")
      #expect(try session.ask("close 1") == "ok 0")
      // RELEASE comes after close has returned; an evicted item has been released.
      while let error = try device.evict(["/Document"])[0].error {
        try #require(error.message.contains("open"), "\(error)")
      }
    }
    for _ in 0..<50 { try cycle() }
    let (threads, files) = (drive.server.threads, drive.server.openFiles)
    for _ in 0..<1000 { try cycle() }
    #expect(drive.server.threads == threads)
    // Connections to the catalog are made when several threads read at once.
    #expect(drive.server.openFiles < files + 16)
    #expect(try drive.unmount().status == 0)
  }

  /// semantics: "A document that the cloud's folder holds but its user may not read fails with EACCES; its folder goes on being listed."
  @Test(.enabled(if: UserSpace.isPossible, "needs root to become an ordinary user"))
  func `a file that may not be read fails with EACCES`() throws {
    let user = try UserSpace()
    let drive = try MountedDrive(
      "icloud", cloud: ["Closed": [1, 2, 3], "Open": Version(1, size: 100).bytes], as: user)
    // Root's alone.
    chmod(drive.cloud + "/Closed", 0o600)
    let session = try drive.session()
    #expect(try session.ask("list \(drive.mountpoint)") == "ok 2")
    #expect(try session.ask("whole \(drive.at("Closed"))") == "error EACCES")
    #expect(try session.ask("whole \(drive.at("Open"))") == Version(1, size: 100).answer)
  }
}
