import Foundation
import Glibc
import MountKit
import Platform
import Testing

/// Mistakes: one sentence that says what to do, the documented exit status, and nothing left behind.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct BadInputTests {
  /// A mistake at `fauxdrive mount`. `F` stands for the test's folder in all texts.
  struct Mistake: CustomStringConvertible, Sendable {
    let description: String
    /// A shell command that prepares it.
    var prepare = "true"
    /// The arguments behind `mount`.
    var arguments = "F/Drive --cloud F/cloud --world F/world"
    let status: ExitCode
    /// What the message contains.
    let says: [String]
    /// Whether there is a world before, which then must stay as it is.
    var hasWorld = false

    init(
      _ description: String, prepare: String = "true",
      arguments: String = "F/Drive --cloud F/cloud --world F/world", _ status: ExitCode,
      says: [String], hasWorld: Bool = false
    ) {
      self.description = description
      self.prepare = prepare
      self.arguments = arguments
      self.status = status
      self.says = says
      self.hasWorld = hasWorld
    }
  }

  static let places: [Mistake] = [
    Mistake(
      "the cloud does not exist", arguments: "F/Drive --cloud F/none --world F/world", .noInput,
      says: ["F/none", "does not exist"]),
    Mistake(
      "the original of a copy does not exist",
      arguments: "F/Drive --cloud copy:F/none --world F/world", .noInput,
      says: ["F/none", "does not exist"]),
    Mistake(
      "the cloud is a file", prepare: "touch F/file",
      arguments: "F/Drive --cloud F/file --world F/world", .noInput,
      says: ["F/file", "not a folder"]),
    Mistake(
      "a new world without a cloud", arguments: "F/Drive --world F/world", .usage,
      says: ["--cloud"]),
    Mistake(
      "the mountpoint does not exist", arguments: "F/none --cloud F/cloud --world F/world",
      .noInput, says: ["F/none", "does not exist", "mkdir"]),
    Mistake(
      "the mountpoint is a file", prepare: "touch F/file",
      arguments: "F/file --cloud F/cloud --world F/world", .cannotCreate,
      says: ["F/file", "not a folder"]),
    Mistake(
      "the mountpoint is not empty", prepare: "touch F/Drive/here", .cannotCreate,
      says: ["F/Drive", "not empty"]),
    Mistake(
      "something else is mounted there", prepare: "mount -t tmpfs none F/Drive", .cannotCreate,
      says: ["F/Drive", "already a mount", "tmpfs"]),
    Mistake(
      "the cloud lies in the mountpoint", prepare: "mkdir F/Drive/cloud",
      arguments: "F/Drive --cloud F/Drive/cloud --world F/world", .usage,
      says: ["F/Drive/cloud", "lies in the mountpoint"]),
    Mistake(
      "the cloud lies in the mountpoint, by a symbolic link",
      prepare: "mkdir F/Drive/cloud; ln -s F/Drive/cloud F/link",
      arguments: "F/Drive --cloud F/link --world F/world", .usage,
      says: ["F/Drive/cloud", "lies in the mountpoint"]),
    Mistake(
      "the mountpoint lies in the cloud", prepare: "mkdir F/cloud/Drive",
      arguments: "F/cloud/Drive --cloud F/cloud --world F/world", .usage,
      says: ["F/cloud/Drive", "lies in the cloud"]),
    Mistake(
      "the mountpoint lies in the cloud, by a symbolic link",
      prepare: "mkdir F/cloud/Drive; ln -s F/cloud F/link",
      arguments: "F/link/Drive --cloud copy:F/cloud --world F/world", .usage,
      says: ["F/cloud/Drive", "lies in the cloud"]),
    Mistake(
      "the world lies in the cloud", arguments: "F/Drive --cloud F/cloud --world F/cloud/world",
      .usage, says: ["F/cloud/world", "lies in the cloud"]),
    Mistake(
      "the world lies in the mountpoint", arguments: "F/Drive --cloud F/cloud --world F/Drive/w",
      .usage, says: ["F/Drive/w", "lies in the mountpoint"]),
    Mistake(
      "the world's place is a file", prepare: "touch F/world", .cannotCreate, says: ["F/world"]),
    Mistake(
      "the world's place cannot be written", prepare: "mount -t tmpfs -o ro none F/read-only",
      arguments: "F/Drive --cloud F/cloud --world F/read-only/world", .cannotCreate,
      says: ["F/read-only/world", "Read-only file system"]),
    Mistake(
      "a cloud of another kind", arguments: "F/Drive --cloud gopher://x --world F/world", .usage,
      says: ["gopher://x", "copy:DIR"]),
  ]

  static let options: [Mistake] = [
    Mistake(
      "an unknown profile",
      arguments: "F/Drive --cloud F/cloud --world F/world --profile synolgy", .badData,
      says: ["synolgy", "did you mean", "synology"]),
    Mistake(
      "a profile file that does not exist",
      arguments: "F/Drive --cloud F/cloud --world F/world --profile F/none.json5", .badData,
      says: ["F/none.json5", "No such file"]),
    Mistake(
      "a profile file with an unknown key",
      prepare: "P profile show icloud | sed 's/materialization:/materialisation:/' >F/p.json5",
      arguments: "F/Drive --cloud F/cloud --world F/world --profile F/p.json5", .badData,
      says: ["F/p.json5", "p.json5:33:5: ", "materialisation", "allowed"]),
    Mistake(
      "a profile file with a wrong value",
      prepare:
        "P profile show icloud | sed 's/materialization: \"full\"/materialization: \"some\"/' >F/p.json5",
      arguments: "F/Drive --cloud F/cloud --world F/world --profile F/p.json5", .badData,
      says: ["F/p.json5", "materialization", "alwaysFull"]),
    Mistake(
      "a profile file that is no JSON5", prepare: "echo '{ a: ' >F/p.json5",
      arguments: "F/Drive --cloud F/cloud --world F/world --profile F/p.json5", .badData,
      says: ["F/p.json5"]),
    Mistake(
      "an unknown option", arguments: "F/Drive --clod F/cloud", .usage, says: ["--clod", "--help"]),
    Mistake(
      "an unknown clock",
      arguments: "F/Drive --cloud F/cloud --world F/world --clock slow", .usage,
      says: ["slow", "manual"]),
    Mistake(
      "a seed that is no number",
      arguments: "F/Drive --cloud F/cloud --world F/world --seed x", .usage, says: ["x", "--seed"]),
    Mistake("no mountpoint", arguments: "--cloud F/cloud", .usage, says: ["MOUNTPOINT"]),
  ]

  /// SQLite keeps the user's version in bytes 60 to 63 of the file.
  private static let newerCatalog = #"""
    printf '\0\0\0\143' |
      dd of=F/world/devices/device/catalog.sqlite bs=1 seek=60 conv=notrunc status=none
    """#

  /// Worlds that were made and unmounted properly, and then damaged.
  static let worlds: [Mistake] = [
    Mistake(
      "a world of a newer format",
      prepare: #"sed -i 's/"format" : [0-9]*/"format" : 99/' F/world/settings.json"#,
      .badConfiguration, says: ["F/world", "format 99", "newer fauxdrive"], hasWorld: true),
    Mistake(
      "settings that are no JSON", prepare: "echo x >F/world/settings.json", .badConfiguration,
      says: ["settings.json", "damaged"], hasWorld: true),
    Mistake(
      "settings that are cut off", prepare: "truncate -s 20 F/world/settings.json",
      .badConfiguration, says: ["settings.json", "damaged"], hasWorld: true),
    Mistake(
      "another cloud than before", prepare: "mkdir F/other",
      arguments: "F/Drive --cloud F/other --world F/world", .cannotCreate,
      says: ["F/cloud", "--cloud"], hasWorld: true),
    Mistake(
      "a catalog of a newer format",
      prepare: newerCatalog,
      .badConfiguration, says: ["catalog.sqlite", "99"], hasWorld: true),
    Mistake(
      "an index of the cloud of garbage",
      prepare: "head -c 20000 /dev/urandom >F/world/cloud.index/cloud.sqlite",
      .badConfiguration, says: ["cloud.sqlite"], hasWorld: true),
    Mistake(
      "an index of the cloud that is cut off",
      prepare: "truncate -s 100 F/world/cloud.index/cloud.sqlite",
      .badConfiguration, says: ["cloud.sqlite"], hasWorld: true),
    Mistake(
      "a cloud that is gone", prepare: "mv F/cloud F/moved", arguments: "F/Drive --world F/world",
      .noInput, says: ["F/cloud"], hasWorld: true),
  ]

  /// semantics: "A mount that fails says why and what to do in one sentence, ends with the documented exit status, and leaves nothing: no mount, no process, and no world that was not there before."
  @Test(arguments: places + options + worlds)
  func `a mistake is told and leaves nothing`(_ mistake: Mistake) throws {
    let place = try Place()
    if mistake.hasWorld { try place.makeWorld() }
    try place.shell(mistake.prepare)
    defer { _ = try? place.shell("umount F/Drive F/read-only 2>/dev/null || true") }
    let (before, kept) = (place.contents, place.state(mistake.prepare))
    let ended = try place.fauxdrive("mount " + mistake.arguments)
    #expect(ended.status == mistake.status.rawValue, "\(ended)")
    #expect(ended.output.isEmpty)
    for text in mistake.says {
      #expect(ended.errors.contains(place.expand(text)), "\(text) in: \(ended.errors)")
    }
    #expect(mistake.status == .usage || ended.errors.split(separator: "\n").count <= 2)
    #expect(place.contents.subtracting(before).filter { !$0.hasPrefix("world/") }.isEmpty)
    #expect(before.subtracting(place.contents).isEmpty)
    #expect(mistake.hasWorld || !place.contents.contains { $0.hasPrefix("world/") })
    // What is damaged may be wanted for a repair.
    #expect(place.state(mistake.prepare) == kept)
    #expect(!(try place.isMounted))
  }
}

/// A folder with a cloud and a mountpoint, for mounts that fail.
final class Place {
  let folder: String

  init() throws {
    folder = try TestProgram.run(["mktemp", "-d", "/tmp/fauxdrive-test-XXXXXX"]).output
      .trimmingCharacters(in: .newlines)
    try shell("mkdir F/Drive F/cloud F/read-only; echo hello >F/cloud/Document")
  }

  deinit {
    if (try? isMounted) == true { _ = try? fauxdrive("unmount --force F/Drive") }
    _ = try? TestProgram.run(["rm", "-rf", folder])
  }

  func expand(_ text: String) -> String {
    text.replacing("P ", with: "'\(MountedDrive.program)' ").replacing("F/", with: folder + "/")
  }

  @discardableResult
  func shell(_ command: String) throws -> TestProgram.Ended {
    let ended = try TestProgram.run(["sh", "-c", "set -e; " + expand(command)])
    guard ended.status == 0 else { throw TestFailure("\(command): \(ended)") }
    return ended
  }

  func fauxdrive(_ arguments: String) throws -> TestProgram.Ended {
    try TestProgram.run(
      [MountedDrive.program] + arguments.split(separator: " ").map { expand(String($0)) })
  }

  func makeWorld() throws {
    for arguments in ["mount F/Drive --cloud F/cloud --world F/world", "unmount F/Drive"] {
      let ended = try fauxdrive(arguments)
      guard ended.status == 0 else { throw TestFailure("\(ended)") }
    }
  }

  /// Every name below the folder.
  var contents: Set<String> {
    Set((try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [])
  }

  /// The files of the world that a command names.
  func state(_ command: String) -> [Data?] {
    ["settings.json", "devices/device/catalog.sqlite", "cloud.index/cloud.sqlite"]
      .filter { command.contains($0) }
      .map { FileManager.default.contents(atPath: folder + "/world/" + $0) }
  }

  var isMounted: Bool {
    get throws {
      try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
        .split(separator: "\n")
        .contains { $0.contains("\(folder)/") && $0.contains(" fuse.fauxdrive ") }
    }
  }
}
