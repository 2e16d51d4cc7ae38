/// Writes JSON5, with keys without quotation marks where they need none and a comma behind every
/// member, or strict JSON; two spaces a level.
struct JSON5Printer {
  private let isStrict: Bool
  private var text = ""

  private init(isStrict: Bool) { self.isStrict = isStrict }

  /// The text of a value, ending with a line feed.
  static func print(_ node: JSON5Node, isStrict: Bool = false) -> String {
    var printer = JSON5Printer(isStrict: isStrict)
    printer.write(node, indentation: 0)
    return printer.text + "\n"
  }

  private mutating func write(_ node: JSON5Node, indentation: Int) {
    switch node.value {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .number(let value): text += Int(exactly: value).map(String.init) ?? String(value)
    case .text(let value): text += Self.quoted(value)
    case .list(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += ", " }
        write(element, indentation: indentation)
      }
      text += "]"
    case .object(let members): write(members, indentation: indentation)
    }
  }

  private mutating func write(_ members: [JSON5Node.Member], indentation: Int) {
    let margin = String(repeating: " ", count: indentation + 2)
    text += "{\n"
    for (index, member) in members.enumerated() {
      let isBare = !isStrict && Self.isIdentifier(member.key)
      text += margin + (isBare ? member.key : Self.quoted(member.key)) + ": "
      write(member.node, indentation: indentation + 2)
      text += isStrict && index == members.count - 1 ? "\n" : ",\n"
    }
    text += String(repeating: " ", count: indentation) + "}"
  }

  private static func isIdentifier(_ key: String) -> Bool {
    guard let first = key.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    else { return false }
    return key.utf8.allSatisfy { byte in
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "_", "$": true
      default: false
      }
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\u{0}"..<" ", "\u{7F}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
