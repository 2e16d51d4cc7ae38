import Platform
import Testing

@testable import Options

@Suite struct OptionTests {
  private enum Color: String, CaseIterable { case red, green }

  private static let size = Option("size", short: "s", argument: "BYTES", help: "how large")
  private static let sort = Option("sort", argument: "KEY", help: "the order")
  private static let force = Option("force", short: "f", help: "even if it is there")

  private static let tree = CommandTree(
    root: Command(
      group: "prog", summary: "does things",
      commands: [
        Command(
          "make", summary: "make things", options: [size, sort, force, .json],
          operands: [
            Operand("KIND", help: "what"),
            Operand("PATH", help: "where", minimum: 0, maximum: nil),
          ],
          examples: [Example("prog make x", meaning: "Makes x.")], exitCodes: [.noInput])
      ]),
    version: "1")

  private static let silent = Terminal(isTerminal: false, usesColor: false, columns: 80) { _ in }

  private static func parse(_ line: String) -> Arguments? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard case .run(let invocation) = tree.parse(words, output: silent, errors: silent) else {
      return nil
    }
    return invocation.arguments
  }

  @Test func optionsAreUnderstoodAsGNUProgramsDo() throws {
    for line in [
      "make -f -s 10 kind a b", "make --force --size=10 kind a b",
      "make --force --size 10 kind a b",
      "make kind a b -fs10", "make kind --fo a --si=10 b", "make -fs 10 -- kind a b",
    ] {
      let arguments = try #require(Self.parse(line), "\(line)")
      #expect(arguments.has(Self.force), "\(line)")
      #expect(arguments.value(Self.size) == "10", "\(line)")
      #expect(arguments.operands == ["kind", "a", "b"], "\(line)")
      #expect(!arguments.has(.json), "\(line)")
    }
  }

  @Test func whatFollowsTwoHyphensIsNoOption() throws {
    let arguments = try #require(Self.parse("make -- -f --size"))
    #expect(arguments.operands == ["-f", "--size"])
    #expect(!arguments.has(Self.force))
  }

  @Test func anEmptyWordAndALoneHyphenAreOperands() throws {
    #expect(try #require(Self.parse("make  -")).operands == ["", "-"])
  }

  @Test func theLastOfARepeatedOptionCountsAndAllAreKept() throws {
    let arguments = try #require(Self.parse("make k --size=1 -s 2 --size 3"))
    #expect(arguments.value(Self.size) == "3")
    #expect(arguments.values(Self.size) == ["1", "2", "3"])
    #expect(arguments.values(Self.sort).isEmpty)
  }

  @Test(arguments: ["make k --s=1", "make k --size", "make k -x", "make k --force=1", "make"])
  func whatIsAmbiguousMissingOrUnknownIsAMistake(line: String) {
    #expect(Self.parse(line) == nil)
  }

  @Test func valuesAreCheckedWithWordsThatSayWhatIsAllowed() throws {
    let arguments = try #require(Self.parse("make k --size=70 --sort=gren"))
    #expect(try arguments.number(Self.size, in: 1...100) == 70)
    #expect(try arguments.number(Self.force, in: 1...100) == nil)
    let range = try #require(throws: UsageError.self) {
      try arguments.number(Self.size, in: 1...50)
    }
    #expect(range.message == "--size: '70' is not a whole number from 1 to 50")
    let choice = try #require(throws: UsageError.self) {
      try arguments.choice(Self.sort, as: Color.self)
    }
    #expect(choice.message == "--sort: 'gren' is not one of red, green; did you mean 'green'?")
    #expect(throws: UsageError.self) { try arguments.duration(Self.size) }
  }

  static let bytes: [(String, Int64?)] = [
    ("0", 0), ("4096", 4096), ("10k", 10_000), ("1.5M", 1_500_000), ("2Gi", 2 << 30),
    ("2GiB", 2 << 30), ("1KiB", 1024), ("", nil), ("k", nil), ("-1", nil), ("1e3", nil),
    ("99999999999G", nil), ("1..2", nil),
  ]

  @Test(arguments: bytes) func aNumberOfBytesIsRead(text: String, expected: Int64?) {
    #expect((try? Arguments.bytes(text)) == expected)
  }

  static let durations: [(String, Duration?)] = [
    ("30s", .seconds(30)), ("250ms", .milliseconds(250)), ("1.5m", .seconds(90)),
    ("2h", .seconds(7200)), ("0s", .zero), ("", nil), ("5", nil), ("s", nil), ("-1s", nil),
    ("9000h", nil),
  ]

  @Test(arguments: durations) func aDurationIsRead(text: String, expected: Duration?) {
    #expect((try? Arguments.duration(text)) == expected)
  }

  @Test func theNearestWordIsSuggestedAndNoFarOne() {
    let words = ["download", "evict", "status", "ls", "cloud", "clock"]
    #expect(Suggestion.nearest(to: "dwonload", in: words) == "download")
    #expect(Suggestion.nearest(to: "stats", in: words) == "status")
    #expect(Suggestion.nearest(to: "sl", in: words) == "ls")
    #expect(Suggestion.nearest(to: "down", in: words) == "download")
    #expect(Suggestion.nearest(to: "clo", in: words) == nil)
    #expect(Suggestion.nearest(to: "frobnicate", in: words) == nil)
    #expect(Suggestion.nearest(to: "", in: words) == nil)
  }

  @Test func theHelpIsMadeFromTheDescription() throws {
    let make = try #require(Self.tree.root.subcommands.first)
    let text = Help.text([Self.tree.root, make], version: "1", columns: 80)
    #expect(
      text == """
        Usage: prog make [OPTION...] KIND [PATH...]
        Make things.

        Arguments:
          KIND  what
          PATH  where

        Options:
          -s, --size=BYTES  how large
              --sort=KEY    the order
          -f, --force       even if it is there
              --json        print JSON
          -h, --help        show this help
              --usage       show a short usage message

        Example:
          prog make x
              Makes x.

        Exit status:
          0   success
          64  wrong command line
          66  what was named does not exist

        """)
  }

  @Test func longTextsAreBrokenBetweenWords() {
    #expect(Help.fill("one two three four five", width: 20) == "one two three four\nfive")
    #expect(
      Help.fill("one two three", width: 30, margin: 24) == "                        one two three")
    #expect(Help.fill("a\n\nb", width: 10, margin: 2) == "  a\n\n  b")
  }
}
