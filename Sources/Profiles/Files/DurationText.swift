internal import Platform

/// How a profile writes a duration: "30s", "250ms", "1.5m", "never".
enum DurationText {
  static let never = "never"
  static let explanation = "a number with ms, s, m or h, such as 250ms or 30s, up to 8760h"

  private static let units: [(suffix: String, nanoseconds: Double)] = [
    ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9),
  ]
  private static let longest = 8760 * 3600e9

  /// The duration that a text means; nil when it is none, negative, or longer than a year.
  static func parse(_ text: String) -> Duration? {
    guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
    let digits = text.dropLast(unit.suffix.count)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }),
      let number = Double(digits)
    else { return nil }
    let nanoseconds = (number * unit.nanoseconds).rounded()
    guard nanoseconds <= longest else { return nil }
    return .nanoseconds(Int64(nanoseconds))
  }

  /// The text of a duration, in the largest unit that says it in whole numbers.
  static func text(_ duration: Duration?) -> String {
    guard let duration else { return never }
    let nanoseconds = duration.nanoseconds
    if nanoseconds == 0 { return "0s" }
    for unit in units.reversed() where nanoseconds % Int64(unit.nanoseconds) == 0 {
      return "\(nanoseconds / Int64(unit.nanoseconds))\(unit.suffix)"
    }
    return "\(Double(nanoseconds) / 1e6)ms"
  }
}
