/// What is wrong with a JSON5 text, and where.
struct JSON5SyntaxError: Error, Hashable, Sendable {
  let place: TextPlace
  let problem: String
}

/// Reads JSON5 (json5.org) and keeps the place of every key and value.
///
/// Foundation reads JSON5 too, but tells no line of a key that it accepts.
struct JSON5Parser {
  /// Deeper texts are refused, so that a hostile one cannot use up the stack.
  static let maximumDepth = 32

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var lineStart = 0

  private init(_ text: some Sequence<UInt8>) { bytes = Array(text) }

  /// The value that a text holds.
  static func parse(_ text: some Sequence<UInt8>) throws(JSON5SyntaxError) -> JSON5Node {
    var parser = JSON5Parser(text)
    let node = try parser.value(depth: 0)
    try parser.skipBlanks()
    guard parser.current == nil else { throw parser.error("something follows the value") }
    return node
  }

  private var place: TextPlace {
    TextPlace(line: line, column: position - lineStart + 1)
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func error(_ problem: String) -> JSON5SyntaxError {
    JSON5SyntaxError(place: place, problem: problem)
  }

  private mutating func advance() {
    position += 1
    guard bytes[position - 1] == UInt8(ascii: "\n") else { return }
    line += 1
    lineStart = position
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: character) else { return false }
    advance()
    return true
  }

  private mutating func value(depth: Int) throws(JSON5SyntaxError) -> JSON5Node {
    guard depth <= Self.maximumDepth else {
      throw error("values are nested deeper than \(Self.maximumDepth)")
    }
    try skipBlanks()
    let start = place
    guard let byte = current else { throw error("a value is missing at the end of the file") }
    switch Unicode.Scalar(byte) {
    case "{": return JSON5Node(value: .object(try members(depth: depth)), place: start)
    case "[": return JSON5Node(value: .list(try elements(depth: depth)), place: start)
    case "\"", "'": return JSON5Node(value: .text(try quoted()), place: start)
    default: return JSON5Node(value: try word(), place: start)
    }
  }

  private mutating func members(depth: Int) throws(JSON5SyntaxError) -> [JSON5Node.Member] {
    advance()
    var members: [JSON5Node.Member] = []
    var keys: Set<String> = []
    while true {
      try skipBlanks()
      if take("}") { return members }
      let start = place
      let key = try key()
      guard keys.insert(key).inserted else { throw error("the key '\(key)' is written twice") }
      try skipBlanks()
      guard take(":") else { throw error("a colon is missing after the key '\(key)'") }
      members.append(JSON5Node.Member(key: key, place: start, node: try value(depth: depth + 1)))
      try skipBlanks()
      if take(",") { continue }
      guard current == UInt8(ascii: "}") else {
        throw error("a comma or '}' is missing after the value of '\(key)'")
      }
    }
  }

  private mutating func elements(depth: Int) throws(JSON5SyntaxError) -> [JSON5Node] {
    advance()
    var elements: [JSON5Node] = []
    while true {
      try skipBlanks()
      if take("]") { return elements }
      elements.append(try value(depth: depth + 1))
      try skipBlanks()
      if take(",") { continue }
      guard current == UInt8(ascii: "]") else {
        throw error("a comma or ']' is missing in a list")
      }
    }
  }

  private mutating func key() throws(JSON5SyntaxError) -> String {
    guard let byte = current else { throw error("'}' is missing at the end of the file") }
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return try quoted() }
    let name = bareWord()
    let isIdentifier = name.unicodeScalars.first.map { !"0123456789+-.".contains(Character($0)) }
    guard isIdentifier == true else { throw error("a key is missing") }
    return name
  }

  /// The letters, digits and signs at this place, as text.
  private mutating func bareWord() -> String {
    let start = position
    while let byte = current, Self.isWordByte(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "$", "+", "-", ".": true
    default: byte >= 0x80
    }
  }

  private mutating func word() throws(JSON5SyntaxError) -> JSON5Node.Value {
    let word = bareWord()
    switch word {
    case "null": return .null
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "": throw error("a value is missing")
    default:
      guard let number = Self.number(word) else {
        throw error("'\(word)' is no value; a text needs quotation marks")
      }
      return .number(number)
    }
  }

  private static func number(_ word: String) -> Double? {
    let isNegative = word.hasPrefix("-")
    let digits = isNegative || word.hasPrefix("+") ? word.dropFirst() : word[...]
    // Double also reads "nan(...)", "inf" and hexadecimal fractions, which JSON5 does not know.
    guard digits.first?.isNumber == true || digits.first == ".", digits != "." else { return nil }
    let magnitude: Double?
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
      magnitude = UInt64(digits.dropFirst(2), radix: 16).map { Double($0) }
    } else {
      magnitude = digits.hasSuffix(".") ? Double(digits + "0") : Double(digits)
    }
    return magnitude.map { isNegative ? -$0 : $0 }
  }
}

extension JSON5Parser {
  private mutating func skipBlanks() throws(JSON5SyntaxError) {
    while let byte = current {
      switch Unicode.Scalar(byte) {
      case " ", "\t", "\n", "\r", "\u{0B}", "\u{0C}": advance()
      case "/": try skipComment()
      default:
        // U+FEFF, which some editors put at the beginning, and U+00A0.
        if bytes[position...].starts(with: [0xEF, 0xBB, 0xBF]) {
          position += 3
        } else if bytes[position...].starts(with: [0xC2, 0xA0]) {
          position += 2
        } else {
          return
        }
      }
    }
  }

  private mutating func skipComment() throws(JSON5SyntaxError) {
    advance()
    if take("/") {
      while let byte = current, byte != UInt8(ascii: "\n") { position += 1 }
      return
    }
    guard take("*") else { throw error("'/' begins neither a comment nor a value") }
    let start = place
    while current != nil {
      if take("*") {
        if take("/") { return }
      } else {
        advance()
      }
    }
    throw JSON5SyntaxError(place: start, problem: "a comment is not closed")
  }

  private mutating func quoted() throws(JSON5SyntaxError) -> String {
    let start = place
    let quote = bytes[position]
    advance()
    var content: [UInt8] = []
    while let byte = current {
      switch byte {
      case quote:
        advance()
        guard let text = String(validating: content, as: UTF8.self) else {
          throw error("a text is not UTF-8")
        }
        return text
      case UInt8(ascii: "\\"):
        advance()
        content += try escape()
      case UInt8(ascii: "\n"):
        throw error("a text ends with its line; its closing quotation mark is missing")
      default:
        content.append(byte)
        advance()
      }
    }
    throw JSON5SyntaxError(place: start, problem: "a text is not closed")
  }

  private mutating func escape() throws(JSON5SyntaxError) -> [UInt8] {
    guard let byte = current else { throw error("a text is not closed") }
    advance()
    switch Unicode.Scalar(byte) {
    case "\n": return []
    case "n": return [0x0A]
    case "t": return [0x09]
    case "r": return [0x0D]
    case "b": return [0x08]
    case "f": return [0x0C]
    case "v": return [0x0B]
    case "0": return [0]
    case "x": return Array(String(Unicode.Scalar(UInt8(try hexadecimal(2)))).utf8)
    case "u": return Array(String(try unicodeEscape()).utf8)
    default: return [byte]
    }
  }

  private mutating func unicodeEscape() throws(JSON5SyntaxError) -> Unicode.Scalar {
    var code = try hexadecimal(4)
    if (0xD800..<0xDC00).contains(code), take("\\"), take("u") {
      let low = try hexadecimal(4)
      guard (0xDC00..<0xE000).contains(low) else { throw error("'\\u' does not name a character") }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else {
      throw error("'\\u' does not name a character")
    }
    return scalar
  }

  private mutating func hexadecimal(_ count: Int) throws(JSON5SyntaxError) -> UInt32 {
    let end = min(position + count, bytes.count)
    let digits = bytes[position..<end]
    guard digits.count == count, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw error("an escape needs \(count) hexadecimal digits") }
    position = end
    return number
  }
}
