extension Record {
  /// The record as one line for people.
  ///
  /// As in `#17 12.345 phone stat /Game.plist: missing, starts content (python3 4711)`.
  public var line: String {
    var text = "#\(id) \(Self.seconds(worldTime, digits: 3)) \(device) "
    text += kind == .request ? callClass : kind.rawValue
    text += " \(path.printable): " + outcome
    if kind == .eviction, !callClass.isEmpty { text += ", \(callClass)" }
    if started != "nothing", kind == .request { text += ", starts \(started)" }
    if bytes > 0 { text += ", \(bytes) bytes" }
    if waited >= 1_000_000 { text += ", \(Self.seconds(waited, digits: 3)) s" }
    if !fault.isEmpty { text += ", met \(fault.printable)" }
    if cause != 0 { text += ", caused by #\(cause)" }
    if process != 0 { text += " (\(programName.printable) \(process))" }
    return text
  }

  private var outcome: String { answer ?? (kind == .request ? "held" : "running") }

  private var programName: String {
    executable.split(separator: "/").last.map(String.init) ?? executable
  }

  private static func seconds(_ nanoseconds: Int64, digits: Int) -> String {
    let milliseconds = nanoseconds.magnitude / 1_000_000
    let fraction = String(milliseconds % 1000)
    let sign = nanoseconds < 0 ? "-" : ""
    return sign + "\(milliseconds / 1000)."
      + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}

extension String {
  /// The text with control characters written as in C, so that it stays on one line and does nothing to
  /// a terminal.
  fileprivate var printable: String {
    guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      return self
    }
    var text = ""
    for scalar in unicodeScalars {
      if scalar == "\n" {
        text += "\\n"
      } else if scalar.properties.generalCategory == .control {
        text += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
