import Platform
import Testing

@testable import Profiles

@Suite struct JSON5ParserTests {
  static let values: [(String, JSON5Node.Value)] = [
    ("null", .null), ("true", .boolean(true)), ("false", .boolean(false)),
    ("0x1F", .number(31)), ("-.5", .number(-0.5)), ("+1.", .number(1)), ("1e3", .number(1000)),
    ("'it\\'s'", .text("it's")), ("\"\\x41\\u00e9\\ud83d\\ude00\"", .text("A\u{e9}\u{1F600}")),
    ("'a\\\nb'", .text("ab")), ("// c\n/* d **/ 'x' // e", .text("x")), ("\u{FEFF}[]", .list([])),
  ]

  @Test(arguments: values) func aValueIsRead(text: String, expected: JSON5Node.Value) throws {
    #expect(try JSON5Parser.parse(text.utf8).value == expected)
  }

  static let wrong = [
    "NaN", "Infinity", "nan(1)", "1x", "--1", "'a", "{", "[1", "{a}", "{1: 2}", "/", "/*", "'\\",
    "'\\ud800x'", "0x", ".", "\u{1}", "{,}", "[,]",
  ]

  @Test(arguments: wrong) func whatIsNoValueIsRefused(text: String) {
    #expect(throws: JSON5SyntaxError.self) { try JSON5Parser.parse(text.utf8) }
  }

  @Test func keysAndValuesKnowTheirPlaces() throws {
    let node = try JSON5Parser.parse("{\n  a: 1, // one\n  'b': {\n    c: [\n 2 ] } }".utf8)
    guard case .object(let members) = node.value else {
      Issue.record("not an object")
      return
    }
    #expect(members.map(\.place) == [TextPlace(line: 2, column: 3), TextPlace(line: 3, column: 3)])
    #expect(members.map(\.node.place.column) == [6, 8])
    #expect(node["b"]?["c"]?.place == TextPlace(line: 4, column: 8))
  }

  /// A seeded fuzz: whatever is cut, doubled or flipped, the parser answers and never crashes.
  @Test func mutilatedTextsNeverCrashTheParser() throws {
    let random = KeyedRandom(seed: 7)
    let original = Array(try #require(Profile.builtin(named: "icloud")).json5.utf8)
    var refused = 0
    for round in UInt64(0)..<300 {
      var bytes = original
      for step in UInt64(0)..<3 {
        let place = Int(
          random.draw(below: UInt64(bytes.count), "place", "\(step)", occurrence: round))
        switch random.draw(below: 3, "kind", "\(step)", occurrence: round) {
        case 0:
          bytes[place] = UInt8(
            truncatingIfNeeded: random.draw("byte", "\(step)", occurrence: round))
        case 1: bytes.removeSubrange(place..<min(place + 40, bytes.count))
        default: bytes.insert(contentsOf: bytes[place..<min(place + 20, bytes.count)], at: place)
        }
      }
      do {
        _ = try Profile.parse(bytes, file: "fuzzed")
      } catch {
        #expect(!error.problem.isEmpty)
        refused += 1
      }
    }
    #expect(refused > 200)
  }
}
