import Foundation
import Glibc
import MountKit
import Options
import Testing

@testable import fauxdrive

/// Every line that a command's help tells a user to try.
@Suite(
  .enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"), .timeLimit(.minutes(15)))
struct HelpExamplesTests {
  /// An example and the words of its command.
  struct Sample: Sendable, CustomTestStringConvertible {
    let words: String
    let line: String
    let hasJSON: Bool
    var testDescription: String { line }
  }

  /// The demo's are tried by its own tests.
  static let samples = samples(of: Commands.tree.root, []).filter { $0.words != "demo" }

  private static func samples(of command: Command, _ words: [String]) -> [Sample] {
    let below = command.subcommands.flatMap { samples(of: $0, words + [$0.name]) }
    return below
      + command.examples.map {
        Sample(
          words: words.joined(separator: " "), line: $0.line,
          hasJSON: command.options.contains(.json))
      }
  }

  /// What must be there before an example of a command makes sense.
  private static let preparations = [
    "device add": "mkdir ~/Laptop",
    "device remove": "mkdir ~/Laptop; fauxdrive device add laptop ~/Laptop --world ~/Drive; "
      + "fauxdrive unmount ~/Laptop",
    "doctor": "fauxdrive unmount ~/Drive",
    "evict": "fauxdrive download ~/Drive/Game.plist",
    "gate await": "fauxdrive gate close ~/Drive; fauxdrive download --no-wait ~/Drive/Game.plist",
    "gate cancel": "fauxdrive gate close ~/Drive",
    "gate fail": "fauxdrive gate close ~/Drive",
    "gate open": "fauxdrive gate close ~/Drive",
    "grant remove": "fauxdrive grant add --process $$ ~/Drive/Game.plist",
    "mount": "fauxdrive unmount ~/Drive; mkdir ~/docs",
    "profile check": "fauxdrive profile show synology >slow-nas.json5",
    "profile show": "fauxdrive profile show synology >slow-nas.json5",
    "status": "ls ~/Drive",
  ]

  @Test func `every command has an example`() {
    let words = Set(Self.samples.map(\.words))
    let verbs = Self.verbs(of: Commands.tree.root, [])
    #expect(verbs.filter { !words.contains($0) } == ["demo"])
    #expect(Self.preparations.keys.filter { !words.contains($0) }.isEmpty)
  }

  private static func verbs(of command: Command, _ words: [String]) -> [String] {
    command.isGroup
      ? command.subcommands.flatMap { verbs(of: $0, words + [$0.name]) }
      : [words.joined(separator: " ")]
  }

  @Test(arguments: samples) func `an example of the help works as it is`(_ sample: Sample) throws {
    let ended = try Self.run(sample, "")
    #expect(ended.status == 0, "\(ended)")
  }

  @Test(arguments: samples.filter(\.hasJSON))
  func `what a command prints as JSON can be read`(_ sample: Sample) throws {
    let ended = try Self.run(sample, " --json")
    #expect(ended.status == 0, "\(ended)")
    // The ledger prints a value on each line.
    let texts =
      sample.words == "ledger"
      ? ended.output.split(separator: "\n").map(String.init) : [ended.output]
    for text in texts {
      #expect(throws: Never.self, "\(ended)") {
        try JSONSerialization.jsonObject(with: Data(text.utf8))
      }
    }
    #expect(ended.errors.isEmpty, "\(ended)")
  }

  /// Runs an example where ~/Drive is a drive and the process 4711 is the shell.
  private static func run(_ sample: Sample, _ option: String) throws -> TestProgram.Ended {
    let drive = try MountedDrive(
      "synology", cloud: ["Game.plist": Array("game".utf8), "notes.txt": Array("notes".utf8)],
      options: ["--clock", "manual"] + (sample.words.hasPrefix("grant") ? ["--scoped"] : []))
    let line = sample.line.replacing("4711", with: "$$") + option
    let script = """
      cd; { \(preparations[sample.words] ?? ":"); } >prepared 2>&1 </dev/null || cat prepared
      \(line)
      code=$?
      case '\(sample.words)' in
      mount) fauxdrive unmount ~/Drive --remove-world ;;
      'device add') fauxdrive unmount ~/Laptop ;;
      esac
      exit $code
      """
    let programs = (MountedDrive.program as NSString).deletingLastPathComponent
    return try TestProgram.run(
      ["/bin/sh", "-c", script],
      environment: [
        "HOME": drive.folder, "TMPDIR": drive.folder, "XDG_STATE_HOME": drive.folder + "/state",
        "PATH": programs + ":/usr/bin:/bin",
      ])
  }
}
