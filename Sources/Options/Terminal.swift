internal import Glibc

/// Where a command writes: standard output or standard error, which may be a terminal.
public struct Terminal: Sendable {
  /// How a text stands out, on a terminal that shows it.
  public enum Style: String, Sendable {
    /// For headings.
    case bold = "1"
    /// For what does not matter much.
    case faint = "2"
    /// For failures.
    case red = "31"
    /// For what is as wished.
    case green = "32"
    /// For what needs attention.
    case yellow = "33"
  }

  /// Whether a person reads along.
  public let isTerminal: Bool
  /// Whether styles are shown: on a terminal, unless NO_COLOR is set or TERM is "dumb".
  public let usesColor: Bool
  /// How many letters a line has.
  public let columns: Int
  private let sink: @Sendable (String) -> Void

  /// A place to write, described by hand.
  public init(
    isTerminal: Bool, usesColor: Bool, columns: Int, sink: @escaping @Sendable (String) -> Void
  ) {
    self.isTerminal = isTerminal
    self.usesColor = usesColor
    self.columns = columns
    self.sink = sink
  }

  /// A file descriptor, 1 or 2.
  public init(descriptor: CInt, environment: (String) -> String? = Self.variable) {
    isTerminal = isatty(descriptor) == 1
    let refusesColor = environment("NO_COLOR")?.isEmpty == false || environment("TERM") == "dumb"
    usesColor = isTerminal && !refusesColor
    columns = Self.columns(of: descriptor, environment)
    sink = { text in
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        // Nobody is there to be told when the reader has gone.
        if count < 0 && errno != EINTR { return }
        rest = rest.dropFirst(max(count, 0))
      }
    }
  }

  /// Writes a text as it is.
  public func write(_ text: String) { sink(text) }

  /// The text so that it stands out, if this place shows that.
  public func styled(_ text: String, _ style: Style) -> String {
    usesColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// A name or message from elsewhere, with every control character made visible, so that a file's
  /// name cannot steer the terminal.
  ///
  /// - Parameter keepingLines: whether line feeds and tabs stay, as in a program's output.
  public static func printable(_ text: String, keepingLines: Bool = false) -> String {
    var safe = ""
    for scalar in text.unicodeScalars {
      if keepingLines, scalar == "\n" || scalar == "\t" {
        safe.unicodeScalars.append(scalar)
        continue
      }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
        safe += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }

  /// A variable of this process.
  public static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static func columns(of descriptor: CInt, _ environment: (String) -> String?) -> Int {
    if let text = environment("COLUMNS"), let count = Int(text), count >= 20 { return count }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return 80 }
    return Int(size.ws_col)
  }
}
