import Foundation
import MountKit
import Testing

/// `fauxdrive demo`, which must show what it says and leave nothing behind.
@Suite(
  .enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"), .timeLimit(.minutes(15)))
struct DemoTests {
  private struct Step: Decodable {
    let profile: String
    let line: String
    let surprise: String?
  }

  private static func start(
    in folder: WatchedFolder, _ options: String..., path: String? = nil
  ) throws -> TestProgram {
    var environment = ["TMPDIR": folder.path]
    if let path { environment["PATH"] = path }
    return try TestProgram([MountedDrive.program, "demo"] + options, environment: environment)
  }

  private static func expectNothingLeft(
    in folder: WatchedFolder, besides kept: [String] = []
  ) throws {
    #expect(folder.mounts.isEmpty)
    #expect(folder.entries == kept)
    #expect(folder.processes.isEmpty)
  }

  @Test func `the demo holds what it promises and leaves nothing behind`() throws {
    let folder = try WatchedFolder()
    let ended = try Self.start(in: folder, "--json").finish()
    #expect(ended.status == 0, "\(ended)")
    let steps = try JSONDecoder().decode([Step].self, from: Data(ended.output.utf8))
    #expect(Set(steps.map(\.profile)) == ["synology", "icloud"])
    #expect(steps.count { $0.line.hasPrefix("ReopenLast launch") } >= 6)
    #expect(steps.allSatisfy { $0.surprise == nil })
    try Self.expectNothingLeft(in: folder)
  }

  @Test func `one profile can be shown, and its folder kept`() throws {
    let folder = try WatchedFolder()
    let ended = try Self.start(in: folder, "--profile", "synology", "--keep").finish()
    #expect(ended.status == 0, "\(ended)")
    #expect(ended.output.contains("$ ReopenLast launch --exists-first\n"))
    #expect(!ended.output.contains("icloud"))
    #expect(ended.errors == "Everything is kept in \(folder.path)/\(folder.entries.joined())\n")
    let kept = folder.path + "/" + folder.entries.joined()
    #expect(FileManager.default.fileExists(atPath: kept + "/Documents/Photo.bmp"))
    #expect(folder.mounts.isEmpty)
    #expect(folder.processes.isEmpty)
  }

  /// semantics: "`fauxdrive demo` leaves no mount, process or file behind, also when it is interrupted."
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `an interrupted demo leaves nothing behind and ends by the signal`(signal: CInt) throws {
    let folder = try WatchedFolder()
    let demo = try Self.start(in: folder)
    folder.awaitMount(by: demo)
    demo.signal(signal)
    let ended = demo.finish()
    #expect(ended.status == -signal, "\(ended)")
    #expect(ended.errors.contains("Interrupted; nothing is left behind."))
    try Self.expectNothingLeft(in: folder)
  }

  @Test func `a program that hangs on the drive is ended when the demo is interrupted`() throws {
    let folder = try WatchedFolder()
    // The demo's cmp writes to a named pipe that this test reads, and then hangs.
    let pipe = folder.path + "/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    try Self.fake("cmp", "echo started >'\(pipe)'; exec tail -f /dev/null", in: folder)
    let demo = try Self.start(in: folder, path: "\(folder.path)/bin:/usr/bin:/bin")
    #expect(try TestProgram.run(["cat", pipe]).output == "started\n")
    demo.signal(SIGINT)
    #expect(demo.finish().status == -SIGINT)
    try Self.expectNothingLeft(in: folder, besides: ["bin", "pipe"])
  }

  @Test func `a program that behaves otherwise is told, and the demo fails`() throws {
    let folder = try WatchedFolder()
    try Self.fake("cmp", "echo they differ; exit 1", in: folder)
    let demo = try Self.start(in: folder, path: "\(folder.path)/bin:/usr/bin:/bin")
    let ended = demo.finish()
    #expect(ended.status == 1)
    #expect(
      ended.output.hasSuffix("they differ\n   NOT AS EXPECTED: it failed with the status 1\n"))
    try Self.expectNothingLeft(in: folder, besides: ["bin"])
  }

  /// Puts a program of that name into the folder's `bin`.
  private static func fake(_ name: String, _ script: String, in folder: WatchedFolder) throws {
    let bin = folder.path + "/bin"
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    try "#!/bin/sh\n\(script)\n".write(toFile: bin + "/" + name, atomically: true, encoding: .utf8)
    chmod(bin + "/" + name, 0o755)
  }
}
