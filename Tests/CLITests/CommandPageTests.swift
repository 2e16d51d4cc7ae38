import Foundation
import Options
import Platform
import Testing

@testable import fauxdrive

/// docs/cli.md, held to the program.
@Suite struct CommandPageTests {
  private static func page() throws -> [Substring] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "docs/cli.md"), encoding: .utf8)
      .split(separator: "\n")
  }

  private static func rows(of command: Command, _ words: [String]) -> [String] {
    command.isGroup
      ? command.subcommands.flatMap { rows(of: $0, words + [$0.name]) }
      : ["| `\(words.joined(separator: " "))` | \(command.summary) |"]
  }

  @Test func thePageListsEveryCommandAsItsHelpTellsIt() throws {
    let rows = try Self.page().filter { $0.hasPrefix("| `") }.map(String.init)
    #expect(rows == Self.rows(of: Commands.tree.root, []))
  }

  @Test func thePageListsEveryExitStatus() throws {
    let rows = try Self.page().filter { $0.contains(#/^\| \d+ \|/#) }.map(String.init)
    #expect(rows == ExitCode.allCases.map { "| \($0.rawValue) | \($0.meaning) |" })
  }
}
