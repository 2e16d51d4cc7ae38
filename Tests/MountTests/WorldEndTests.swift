import Foundation
import MountKit
import Testing

/// What is left of a world when its mount ends, or does not come about.
@Suite(
  .enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"), .timeLimit(.minutes(15)))
struct WorldEndTests {
  /// semantics: "`unmount --remove-world` removes what the world has made, and nothing else from its folder."
  @Test func `removing a world leaves alone what is not the world's`() throws {
    let drive = try MountedDrive("icloud", cloud: ["a": [1]])
    try drive.run("cat", drive.at("a"))
    let mine = drive.worldFolder + "/my notes"
    try "keep".write(toFile: mine, atomically: true, encoding: .utf8)
    let ended = try drive.run(
      MountedDrive.program, "unmount", "--remove-world", drive.mountpoint)
    #expect(ended.status == 0, "\(ended)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: drive.worldFolder) == ["my notes"])
    #expect(FileManager.default.fileExists(atPath: drive.cloud + "/a"))
  }

  /// semantics: "A mount whose command was interrupted before it was made does not stay."
  @Test func `a world that nobody waits for any more ends`() throws {
    let folder = try WatchedFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/Drive", withIntermediateDirectories: false)
    // The serving process reports to a pipe that nobody reads.
    let script = """
      import json, os, subprocess, sys
      program, folder = sys.argv[1:]
      request = {"mountpoint": folder + "/Drive", "cloud": "memory:", "world": folder + "/world",
                 "isAudited": False, "allowsOthers": False, "isReadOnly": False,
                 "forbidsExecution": False}
      reader, writer = os.pipe()
      os.close(reader)
      ended = subprocess.run([program, "serve-world"], input=json.dumps(request).encode(), stdout=writer)
      sys.exit(ended.returncode)
      """
    let ended = try TestProgram.run(["python3", "-c", script, MountedDrive.program, folder.path])
    #expect(ended.status == 0, "\(ended)")
    #expect(folder.mounts.isEmpty)
    #expect(folder.entries == ["Drive", "world"])
  }
}
