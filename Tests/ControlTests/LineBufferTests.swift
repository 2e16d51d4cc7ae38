import Testing

@testable import Control

@Suite struct LineBufferTests {
  private static func feed(_ pieces: [String], limit: Int = 5) -> [LineBuffer.Piece] {
    var buffer = LineBuffer(limit: limit)
    return pieces.flatMap { buffer.append(Array($0.utf8)) }
  }

  private static func line(_ text: String) -> LineBuffer.Piece { .line(Array(text.utf8)) }

  @Test func linesAreCutWhereverTheBytesAreCut() {
    let expected = [Self.line("ab"), Self.line(""), Self.line("c")]
    #expect(Self.feed(["ab\n\nc\nd"]) == expected)
    #expect(Self.feed(["a", "b", "\n", "\nc", "\nd"]) == expected)
  }

  @Test func theLimitCountsWithoutTheLineFeed() {
    #expect(Self.feed(["12345\n"]) == [Self.line("12345")])
    #expect(Self.feed(["123456\nx\n"]) == [.tooLong, Self.line("x")])
  }

  @Test func aLineThatIsTooLongIsToldOnceHoweverLongItGets() {
    #expect(Self.feed(["1234", "56", "7890", "12\nx", "y\n"]) == [.tooLong, Self.line("xy")])
  }
}
