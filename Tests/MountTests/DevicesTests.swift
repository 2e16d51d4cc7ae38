import Control
import DriveClient
import Foundation
import Glibc
import Ledger
import MountKit
import Platform
import Testing

/// Several devices of one world.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct DevicesTests {
  /// semantics: "The devices of a world share one account: what a program closes on one is in the cloud after its upload, and on the others after the propagation delay."
  /// semantics: "Each device has its own state: its own downloads, inode numbers, pending changes and representation."
  @Test func `what one device writes another one reads`() throws {
    let drive = try MountedDrive("icloud", cloud: ["a": Array("one".utf8)], options: [])
    let laptop = try drive.addDevice("laptop", "--profile", "onedrive")
    #expect(try drive.run("cat", laptop + "/a").output == "one")
    // Nobody has asked for it on the first device.
    #expect(try drive.run("ls", drive.mountpoint).output == "a\n")
    #expect(try drive.drive().status(["/a"]).first?.info?.status == .notDownloaded)
    try drive.run("sh", "-c", "echo -n two >\"$0\"", laptop + "/b")
    try drive.run("sh", "-c", "mv \"$0/a\" \"$0/c\"", laptop)
    try drive.awaitUploads(of: "laptop")
    _ = try drive.world().cloudRefresh()
    #expect(try drive.run("ls", drive.mountpoint).output == "b\nc\n")
    #expect(try drive.run("cat", drive.at("b"), drive.at("c")).output == "twoone")
    let devices = try drive.world().devices()
    #expect(devices.map(\.name) == ["device", "laptop"])
    #expect(devices.map(\.profile) == ["icloud", "onedrive"])
    #expect(devices.map(\.mountpoint) == [drive.mountpoint, laptop])
  }

  /// semantics: "What two devices write into one document at a time becomes the document and a conflict copy, on both."
  @Test func `two devices write one document`() throws {
    let drive = try MountedDrive("icloud", cloud: ["a": Array("old".utf8)], options: [])
    let laptop = try drive.addDevice("laptop")
    for place in [drive.mountpoint, laptop] { try drive.run("cat", place + "/a") }
    try drive.world().setNetwork(isOnline: false)
    try drive.run("sh", "-c", "echo -n phone >\"$0\"", drive.at("a"))
    try drive.run("sh", "-c", "echo -n laptop >\"$0\"", laptop + "/a")
    try drive.world().setNetwork(isOnline: true)
    try drive.awaitUploads()
    try drive.awaitUploads(of: "laptop")
    _ = try drive.world().cloudRefresh()
    for place in [drive.mountpoint, laptop, drive.cloud] {
      let all = try drive.run("sh", "-c", "cd \"$0\"; for f in *; do cat \"$f\"; echo; done", place)
      #expect(Set(all.output.split(separator: "\n")) == ["phone", "laptop"], "\(place): \(all)")
    }
  }

  /// semantics: "A world ends when the last of its devices is unmounted; one that was unmounted before can be mounted again meanwhile, and goes on where it was."
  @Test func `a world lives as long as one of its devices is mounted`() throws {
    let drive = try MountedDrive("icloud", cloud: ["a": Array("one".utf8)], options: [])
    let number = try drive.run("stat", "-c", "%i", drive.at("a")).output
    let laptop = try drive.addDevice("laptop")
    #expect(try drive.fauxdrive(["unmount", drive.mountpoint]).status == 0)
    #expect(!drive.isInMountTable)
    #expect(try drive.run("cat", laptop + "/a").output == "one")
    #expect(try drive.world().devices().map(\.mountpoint) == [nil, laptop])
    try drive.mount()
    #expect(try drive.run("stat", "-c", "%i", drive.at("a")).output == number)
    #expect(try drive.fauxdrive(["unmount", laptop]).status == 0)
    #expect(try drive.unmount().status == 0)
    #expect(!MountedDrive.isInMountTable(laptop))
    try drive.awaitDeath()
    // Each of them can begin the world again, with the representation that it had.
    let ended = try drive.fauxdrive([
      "mount", laptop, "--world", drive.worldFolder, "--device", "laptop",
    ])
    #expect(ended.status == 0, "\(ended)")
    try drive.adopt()
    #expect(try drive.run("cat", laptop + "/a").output == "one")
    #expect(try drive.fauxdrive(["unmount", laptop]).status == 0)
  }

  /// semantics: "A device that is removed takes its downloads along; not before its changes are in the cloud, unless by force."
  @Test func `a device is removed when its changes are in the cloud`() throws {
    let drive = try MountedDrive("icloud", options: [])
    let laptop = try drive.addDevice("laptop")
    try drive.run("ls", laptop)
    try drive.world().setNetwork(isOnline: false)
    try drive.run("sh", "-c", "echo -n two >\"$0\"", laptop + "/b")
    let mounted = try drive.fauxdrive(remove(drive))
    #expect(mounted.status == ExitCode.cannotCreate.rawValue, "\(mounted)")
    #expect(mounted.errors.contains("is mounted on '\(laptop)'"))
    #expect(try drive.fauxdrive(["unmount", laptop]).status == 0)
    let pending = try drive.fauxdrive(remove(drive))
    #expect(pending.status == ExitCode.failure.rawValue, "\(pending)")
    #expect(pending.errors.contains("1 changes that are not in the cloud"))
    #expect(try drive.fauxdrive(remove(drive) + ["--force"]).status == 0)
    #expect(try drive.world().devices().map(\.name) == ["device"])
    let again = try drive.fauxdrive(remove(drive))
    #expect(again.status == ExitCode.noInput.rawValue)
    #expect(again.errors.contains("there is no device 'laptop'"))
  }

  private func remove(_ drive: MountedDrive) -> [String] {
    ["device", "remove", "laptop", "--world", drive.worldFolder]
  }

  /// semantics: "A gate that is closed for a path on a mount holds that device only."
  @Test func `a gate holds one device`() throws {
    let drive = try MountedDrive("icloud", cloud: ["a": Array("one".utf8)], options: [])
    let laptop = try drive.addDevice("laptop")
    let gate = try drive.fauxdrive(["gate", "close", "--at", "first-byte", laptop])
    #expect(gate.output == "1\n")
    #expect(try drive.run("cat", drive.at("a")).output == "one")
    let reader = try drive.start("cat", laptop + "/a")
    let held = try drive.world().awaitGate(1, timeout: .seconds(60))
    #expect(held.map(\.device) == ["laptop"])
    try drive.world().openGate(1)
    #expect(reader.finish().output == "one")
  }

  @Test func `when a world dies all its mounts are dead and can be mounted again`() throws {
    let drive = try MountedDrive("icloud", cloud: ["a": Array("one".utf8)], options: [])
    let laptop = try drive.addDevice("laptop")
    try drive.kill()
    #expect(try drive.run("ls", laptop).errors.contains("not connected"))
    try drive.mount()
    #expect(try drive.addDevice("laptop") == laptop)
    for place in [drive.mountpoint, laptop] {
      #expect(try drive.run("cat", place + "/a").output == "one")
    }
  }

  @Test func `a wrong device is refused with what to do`() throws {
    let drive = try MountedDrive("icloud", options: [])
    let laptop = try drive.addDevice("laptop")
    let add = { (name: String, path: String, more: [String]) in
      try drive.fauxdrive(["device", "add", name, path, "--world", drive.worldFolder] + more)
    }
    let cases: [(TestProgram.Ended, ExitCode, String)] = [
      (
        try add("laptop", drive.folder + "/new", []), .cannotCreate,
        "mounted on '\(laptop)' already"
      ),
      (try add("other", laptop + "/x", []), .cannotCreate, "lies on the device 'laptop'"),
      (try add("other", drive.folder + "/none", []), .noInput, "does not exist"),
      (try add("other", drive.cloud, []), .usage, "the cloud's folder"),
      (try add("", drive.folder, []), .usage, "1 to 64 bytes"),
      (try add("other", drive.folder, ["--profile", "iclod"]), .badData, "icloud"),
      (
        try drive.fauxdrive(["unmount", "--remove-world", laptop]), .failure,
        "has another device, mounted on '\(drive.mountpoint)'"
      ),
    ]
    for (ended, status, text) in cases {
      #expect(ended.status == status.rawValue && ended.errors.contains(text), "\(ended)")
    }
    #expect(try drive.world().devices().count == 2)
  }
}
