import Control
import DriveClient
import Foundation
import Glibc
import Ledger
import MountKit
import Testing

/// A device whose disk, a small one of its own, is full.
@Suite(
  .enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"),
  .enabled(if: geteuid() == 0, "needs root to mount a small disk"))
struct FullDiskTests {
  /// semantics: "When the device's disk is full, write, fallocate, create, mkdir, close and fsync fail with ENOSPC or succeed; what was written before is whole, and pending changes go on by themselves when there is room again."
  /// semantics: "A full disk evicts nothing: what is here stays here until somebody evicts it, which makes room."
  @Test(arguments: ["onedrive", "icloud"])
  func `a full disk is told to the writer, and all goes on when there is room`(
    profile: String
  ) throws {
    let here = Version(1, size: 1 << 20)
    let drive = try MountedDrive(
      profile, cloud: ["Here": here.bytes, "Other": Version(2, size: 1 << 20).bytes], options: [],
      mounting: false)
    let disk = try SmallDisk(drive.worldFolder, megabytes: 8)
    defer {
      _ = try? drive.unmount(force: true)
      disk.remove()
    }
    try drive.mount()
    let session = try drive.session()
    #expect(try session.ask("whole \(drive.at("Here"))") == here.answer)
    try drive.run("sh", "-c", "echo before >\(drive.at("Before"))")
    try drive.awaitUploads()
    try drive.world().setNetwork(isOnline: false)
    try drive.run("sh", "-c", "echo pending >\(drive.at("Pending"))")
    // Until nothing more goes in.
    let filled = try drive.run(
      "dd", "if=/dev/urandom", "of=\(drive.at("Big"))", "bs=64k", "conv=notrunc")
    #expect(filled.status != 0 && filled.errors.contains("No space left on device"), "\(filled)")
    try disk.fill()
    let size = try drive.run("stat", "-c", "%s", drive.at("Big")).output
    let sum = try drive.run("sha256sum", drive.at("Big")).output
    let script = """
      for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        mkdir Folder$n || echo "mkdir $?"; head -c 100000 /dev/urandom >File$n || echo "write $?"
        fallocate -l 200000 Allocated$n || echo "fallocate $?"; mv File$n Moved$n
      done
      """
    let tried = try drive.run("sh", "-c", "cd \(drive.mountpoint); \(script)")
    #expect(tried.output.contains("write"), "\(tried)")
    let refusals = tried.errors.split(separator: "\n").filter {
      !$0.contains("No space left on device") && !$0.contains("No such file")
    }
    #expect(refusals.isEmpty, "\(tried.errors)")
    // Nothing is torn or gone, and what is not here says why.
    #expect(try session.ask("whole \(drive.at("Here"))") == here.answer)
    #expect(try drive.run("stat", "-c", "%s", drive.at("Big")).output == size)
    #expect(try drive.run("sha256sum", drive.at("Big")).output == sum)
    #expect(
      try drive.run("cat", drive.at("Pending"), drive.at("Before")).output == "pending\nbefore\n")
    try drive.world().setNetwork(isOnline: true)
    #expect(try session.ask("whole \(drive.at("Other"))") == "error ENOSPC")
    #expect(try drive.world().records(LedgerFilter(kinds: [.eviction])).isEmpty)
    #expect(try drive.world().status().devices[0].notices.isEmpty)
    // Room again.
    try disk.grow(to: 64)
    #expect(try session.ask("whole \(drive.at("Other"))") == Version(2, size: 1 << 20).answer)
    try drive.awaitUploads()
    let listed =
      "cd \"$0\" && find . -type f -exec sha256sum {} + | sort -k2; find . -type d | sort"
    let (here2, there) = (
      try drive.run("sh", "-c", listed, drive.mountpoint).output,
      try drive.run("sh", "-c", listed, drive.cloud).output
    )
    #expect(here2 == there)
    #expect(there.contains(sum.prefix(64)))
    #expect(try drive.unmount().status == 0)
    let checked = try drive.run(MountedDrive.program, "doctor", "--check", drive.worldFolder)
    #expect(checked.status == 0, "\(checked)")
  }

  /// semantics: "A drive whose disk has no room at all is not mounted, and `fauxdrive mount` says so; nothing is lost by that."
  @Test func `a mount without any room says so`() throws {
    let drive = try MountedDrive("onedrive", cloud: ["a": [1]], options: [], mounting: false)
    let disk = try SmallDisk(drive.worldFolder, megabytes: 4)
    defer {
      _ = try? drive.unmount(force: true)
      disk.remove()
    }
    try drive.mount()
    try drive.run("ls", drive.mountpoint)
    try drive.world().setNetwork(isOnline: false)
    try drive.run("sh", "-c", "echo pending >\(drive.at("Pending"))")
    try drive.kill()
    try disk.fill()
    let refused = try drive.tryMounting()
    #expect(refused.status != 0, "\(refused)")
    #expect(
      refused.errors.contains("No space left") || refused.errors.contains("no room"), "\(refused)")
    #expect(refused.errors.split(separator: "\n").count <= 2, "\(refused)")
    try disk.grow(to: 16)
    try drive.mount()
    #expect(try drive.world().status().devices[0].notices.isEmpty)
    #expect(try drive.run("cat", drive.at("Pending")).output == "pending\n")
    try drive.awaitUploads()
    #expect(try drive.run("cat", drive.cloud + "/Pending").output == "pending\n")
    #expect(try drive.unmount().status == 0)
  }
}

/// A file system in memory, of a size.
struct SmallDisk {
  private let path: String

  init(_ path: String, megabytes: Int) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let made = try TestProgram.run(
      ["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=0700", "none", path])
    guard made.status == 0 else { throw TestFailure("\(made)") }
  }

  /// Takes all that is left.
  func fill() throws {
    _ = try TestProgram.run(["dd", "if=/dev/zero", "of=\(path)/ballast", "bs=4096"])
  }

  func grow(to megabytes: Int) throws {
    _ = try? FileManager.default.removeItem(atPath: path + "/ballast")
    let grown = try TestProgram.run(["mount", "-o", "remount,size=\(megabytes)m", path])
    guard grown.status == 0 else { throw TestFailure("\(grown)") }
  }

  func remove() { _ = try? TestProgram.run(["umount", "-l", path]) }
}
