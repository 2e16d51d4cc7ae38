import Foundation
import Options
import Testing

@testable import fauxdrive

/// The manual pages.
@Suite(.timeLimit(.minutes(15))) struct ManualTests {
  static let pages = ["fauxdrive", "mount.fauxdrive"]

  /// Saves a page and runs a command on it, whose `$0` it is.
  private static func check(_ page: String, _ command: String) throws -> String {
    let folder = "/tmp/fauxdrive-manual-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try ShellSession.run(
      "SOURCE_DATE_EPOCH=86400 fauxdrive manual \(page) >page && \(command)", in: folder)
  }

  @Test(.enabled(if: ShellSession.isInstalled("man"), "man is not installed"), arguments: pages)
  func manHasNoWarningAboutAPage(page: String) throws {
    #expect(try Self.check(page, "MANWIDTH=80 man --warnings -l page 2>&1 >/dev/null") == "")
  }

  @Test(
    .enabled(if: ShellSession.isInstalled("mandoc"), "mandoc is not installed"), arguments: pages)
  func mandocHasNoWarningAboutAPage(page: String) throws {
    #expect(try Self.check(page, "mandoc -T lint -W warning page") == "")
  }

  @Test(.enabled(if: ShellSession.isInstalled("man"), "man is not installed"))
  func thePageOfAllCommandsTellsWhatTheirHelpTells() throws {
    let text = try Self.check("fauxdrive", "MANWIDTH=200 man -l page | cat")
      .replacing(#/\s+/#, with: " ")
    for (words, command) in Self.verbs(of: Commands.tree.root, ["fauxdrive"]) {
      var texts = [
        words, command.summary.prefix(1).uppercased() + command.summary.dropFirst() + ".",
      ]
      texts += command.options.map { "--\($0.name)" }
      texts += command.options.map(\.help)
      texts += command.operands.map(\.help)
      texts += command.examples.map(\.line)
      texts += command.examples.map(\.meaning)
      for part in texts {
        #expect(
          text.contains(part.replacing(#/\s+/#, with: " ")), "\(words) is not told to be: \(part)")
      }
    }
    #expect(text.contains("1970-01-02"))
    #expect(text.contains("fauxdrive - a cloud drive that you control"))
  }

  private static func verbs(
    of command: Options.Command, _ words: [String]
  ) -> [(words: String, command: Options.Command)] {
    command.isGroup
      ? command.subcommands.flatMap { verbs(of: $0, words + [$0.name]) }
      : [(words.joined(separator: " "), command)]
  }

  @Test func anUnknownPageIsAMistake() throws {
    let run = try ProgramRun(["manual", "fuse"])
    #expect(run.status == 64 && run.output.isEmpty)
    #expect(run.errors.contains("'fuse' is not one of fauxdrive, mount.fauxdrive\n"))
  }
}
