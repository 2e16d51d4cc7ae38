/// Text in the `man` macros, line by line.
struct Roff {
  private(set) var text = ""

  /// A macro with its arguments.
  mutating func request(_ name: String, _ arguments: [String] = []) {
    let quoted = arguments.map {
      "\"" + Self.escaped($0, hyphens: false).replacing("\"", with: "\\(dq") + "\""
    }
    text += ([".\(name)"] + quoted).joined(separator: " ") + "\n"
  }

  /// A line of text.
  ///
  /// - Parameter escapingHyphens: false where a hyphen is one, and no minus that somebody types.
  mutating func line(_ line: String, escapingHyphens: Bool = true) {
    let escaped = Self.escaped(line, hyphens: escapingHyphens)
    // A full stop or an apostrophe at the beginning would make it a macro.
    text += (escaped.hasPrefix(".") || escaped.hasPrefix("\\(aq") ? "\\&" : "") + escaped + "\n"
  }

  /// Text whose empty lines part paragraphs.
  mutating func paragraphs(_ paragraphs: String) {
    for paragraph in paragraphs.split(separator: "\n\n") {
      // Behind a heading the macro is not wanted.
      if !isBehindHeading { request("PP") }
      for line in paragraph.split(separator: "\n") { self.line(String(line)) }
    }
  }

  /// A command line with its variable parts.
  mutating func synopsis(_ title: String, _ operands: String) {
    text += ".B \(Self.escaped(title))\n"
    line(operands)
  }

  /// Words with their meaning, under a heading if there is one.
  mutating func rows(_ rows: [(String, String)], under heading: String? = nil) {
    guard !rows.isEmpty else { return }
    if let heading { request("SH", [heading.uppercased()]) }
    for (label, meaning) in rows { row(label, meaning) }
  }

  /// Options with their meaning.
  mutating func options(_ options: [Option]) {
    for option in options {
      row((option.short.map { "-\($0), " } ?? "") + CommandPage.long(option), option.help)
    }
  }

  private mutating func row(_ label: String, _ meaning: String) {
    request("TP")
    text += "\\fB\(Self.escaped(label))\\fR\n"
    line(meaning)
  }

  /// Lines to try, with their meaning.
  mutating func examples(_ examples: [Example], heading: String?, _ title: String) {
    guard !examples.isEmpty else { return }
    if let heading { request(heading, [title]) } else { paragraphs(title) }
    for example in examples {
      request("RS", ["4"])
      request("EX")
      line(example.line)
      request("EE")
      request("RE")
      paragraphs(example.meaning)
    }
  }

  /// Other pages, such as "mount(8)".
  mutating func references(_ pages: [String]) {
    for (index, page) in pages.enumerated() {
      let parts = page.split(separator: "(", maxSplits: 1).map(String.init)
      let comma = index + 1 < pages.count ? "," : ""
      text += ".BR \(Self.escaped(parts[0])) " + parts.dropFirst().map { "(\($0)\(comma)" }.joined()
      text += "\n"
    }
  }

  private var isBehindHeading: Bool {
    let last = text.split(separator: "\n").last ?? ""
    return last.hasPrefix(".SH ") || last.hasPrefix(".SS ")
  }

  /// Text as it is, whatever roff would make of it.
  static func escaped(_ text: String, hyphens: Bool = true) -> String {
    var escaped = ""
    for letter in text {
      switch letter {
      case "\\": escaped += "\\e"
      case "-": escaped += hyphens ? "\\-" : "-"
      case "'": escaped += "\\(aq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      default: escaped.append(letter)
      }
    }
    return escaped
  }
}
