import Platform
import Testing

@Suite struct FileNameTests {
  static let impossible: [[UInt8]] = [
    [], Array(".".utf8), Array("..".utf8), Array("a/b".utf8), [0x61, 0, 0x62],
    Array(String(repeating: "\u{4e00}", count: 100).utf8),
    Array((String(repeating: "\u{e9}", count: 130) + ".txt").utf8),
    [UInt8](repeating: 0xFF, count: 300),
    Array(repeating: UInt8(ascii: "/"), count: 400),
  ]

  @Test(arguments: impossible) func aNameThatLinuxCannotHaveIsShownUnderAnother(_ bytes: [UInt8]) {
    let name = FileName(showing: bytes)
    #expect(FileName(name.bytes) == name, "it is none itself")
    #expect(name.isMarked)
    #expect(FileName(showing: bytes) == name)
    if let text = String(validating: bytes, as: UTF8.self) {
      #expect(
        String(validating: name.bytes, as: UTF8.self) != nil, "cut inside a character of \(text)")
    }
  }

  @Test func differentNamesAreShownUnderDifferentOnes() {
    #expect(Set(Self.impossible.map(FileName.init(showing:))).count == Self.impossible.count)
    let long = String(repeating: "x", count: 300)
    #expect(FileName(showing: (long + "a").utf8) != FileName(showing: (long + "b").utf8))
    #expect(FileName(showing: (long + ".txt").utf8).text.hasSuffix(".txt"))
  }

  @Test func aPossibleNameStaysAsItIs() {
    for text in ["a", ".hidden", "a~b", String(repeating: "x", count: 255)] {
      #expect(FileName(showing: text.utf8).text == text)
    }
    #expect(FileName("a~1234567")?.isMarked == false)
    #expect(FileName("a~12345678x")?.isMarked == false)
    #expect(FileName("a~1234567g")?.isMarked == false)
  }
}
