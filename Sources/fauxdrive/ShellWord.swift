import Options

/// Texts as they can be typed again.
enum ShellWord {
  /// A word of a command line, quoted where a shell would read it otherwise.
  static func quoted(_ text: String) -> String {
    let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%="
    if !text.isEmpty, text.allSatisfy(plain.contains) { return text }
    // A control character cannot be typed as it is: $'...' is for those.
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f }) else {
      let escaped = text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
      return "$'" + escaped.unicodeScalars.map(Self.escaped).joined() + "'"
    }
    return "'" + text.replacing("'", with: "'\\''") + "'"
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    guard scalar.value < 0x20 || scalar.value == 0x7f else { return String(scalar) }
    if scalar == "\n" { return "\\n" }
    let digits = String(scalar.value, radix: 16)
    return "\\x" + (digits.count == 1 ? "0" : "") + digits
  }
}
