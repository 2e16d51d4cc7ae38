import Platform
import Testing

@testable import Options

@Suite struct OutputTests {
  static let sizes: [(Int64, String)] = [
    (0, "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"),
    (1_048_575, "1 MiB"), (1_048_576, "1 MiB"), (104_857_600, "100 MiB"), (12_897_485, "12.3 MiB"),
    (.max, "8 EiB"),
  ]

  @Test(arguments: sizes) func sizesAreReadable(count: Int64, expected: String) {
    #expect(HumanText.bytes(count) == expected)
  }

  static let durations: [(Duration, String)] = [
    (.zero, "0 ms"), (.milliseconds(250), "250 ms"), (.milliseconds(4500), "4.5 s"),
    (.seconds(30), "30 s"), (.milliseconds(59_980), "1:00"), (.seconds(65), "1:05"),
    (.seconds(7384), "2:03:04"),
  ]

  @Test(arguments: durations) func durationsAreReadable(duration: Duration, expected: String) {
    #expect(HumanText.duration(duration) == expected)
  }

  private static func terminal(
    isTerminal: Bool, color: Bool = false, columns: Int = 80
  ) -> (Terminal, Locked<String>) {
    let written = Locked("")
    let terminal = Terminal(isTerminal: isTerminal, usesColor: color, columns: columns) { text in
      written.withLock { $0 += text }
    }
    return (terminal, written)
  }

  @Test func aTableIsAlignedAndSafe() {
    var table = Table(["NAME", "SIZE"], alignments: [.left, .right])
    table.add(["a", "5 B"])
    table.add(["evil\u{1B}[2J\nname", "12 KiB"])
    let (plain, _) = Self.terminal(isTerminal: false)
    #expect(
      table.text(for: plain) == """
        NAME                      SIZE
        a                          5 B
        evil\\u{1B}[2J\\u{A}name  12 KiB

        """)
    let (color, _) = Self.terminal(isTerminal: true, color: true)
    #expect(table.text(for: color).hasPrefix("\u{1B}[1mNAME"))
  }

  @Test func colorsAreShownOnATerminalThatWantsThem() {
    let (color, _) = Self.terminal(isTerminal: true, color: true)
    let (plain, _) = Self.terminal(isTerminal: true, color: false)
    #expect(color.styled("x", .red) == "\u{1B}[31mx\u{1B}[0m")
    #expect(plain.styled("x", .red) == "x")
    #expect(!Terminal(descriptor: -1).isTerminal)
    #expect(!Terminal(descriptor: -1).usesColor)
    #expect(Terminal(descriptor: -1) { ["COLUMNS": "132"][$0] }.columns == 132)
    #expect(Terminal(descriptor: -1) { ["COLUMNS": "1"][$0] }.columns == 80)
  }

  @Test func jsonHasSortedKeys() {
    #expect(HumanText.json(["b": 1, "a": 2], indented: false) == "{\"a\":2,\"b\":1}\n")
  }

  @Test func aProgressLineTellsBytesRateAndTimeLeft() {
    let line = ProgressBar.line(
      "photo.jpg", done: 3 << 20, total: 12 << 20, elapsed: .seconds(2), columns: 100)
    #expect(
      line
        == "photo.jpg  #####-----------------   25%  3 MiB/12 MiB  1.5 MiB/s  6 s left"
        .replacing("#####-----------------", with: bar(filled: 0.25, of: line)))
    #expect(line.count < 100)
    let empty = ProgressBar.line("f", done: 0, total: 0, elapsed: .zero, columns: 60)
    #expect(empty.contains("100%  0 B/0 B") && !empty.contains("left"))
  }

  /// The bar of a line, checked to be filled as far as it should.
  private func bar(filled part: Double, of line: String) -> String {
    let bar = line.split(separator: " ").first { $0.contains("#") || $0.contains("-") } ?? ""
    #expect(bar.count { $0 == "#" } == Int(part * Double(bar.count)))
    return String(bar)
  }

  @Test(arguments: [20, 40, 60, 80, 200]) func aProgressLineNeverFillsItsLine(columns: Int) {
    let name = String(repeating: "long name ", count: 20)
    for done in [Int64(0), 1, 500_000, 999_999_999] {
      let line = ProgressBar.line(
        name, done: done, total: 1_000_000_000, elapsed: .seconds(3), columns: columns)
      #expect(line.count < columns)
    }
  }

  @Test func aProgressBarIsDrawnOnATerminalOnlyAndNotTooOften() {
    let (terminal, written) = Self.terminal(isTerminal: true)
    let (file, silent) = Self.terminal(isTerminal: false)
    var time = Duration.zero
    var bar = ProgressBar(on: terminal) { time }
    var none = ProgressBar(on: file) { time }
    for step in Int64(1)...100 {
      time = .milliseconds(step * 10)
      bar.show("a", done: step, total: 100)
      none.show("a", done: step, total: 100)
    }
    let draws = written.withLock { $0.count { $0 == "%" } }
    #expect((10...12).contains(draws))
    #expect(written.withLock { $0.contains("100%") })
    bar.clear()
    bar.clear()
    none.clear()
    #expect(written.withLock { $0.hasSuffix("\r\u{1B}[K") })
    #expect(silent.withLock { $0.isEmpty })
  }

  @Test func everyExitCodeHasAMeaning() {
    #expect(Set(ExitCode.allCases.map(\.meaning)).count == ExitCode.allCases.count)
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 64, 65, 66, 69, 73, 75, 76, 77, 78])
  }
}
