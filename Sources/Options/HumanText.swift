internal import Foundation
internal import Platform

/// Numbers as people read them, and values as programs do.
public enum HumanText {
  /// A number of bytes: "0 B", "999 B", "1.5 KiB", "12 MiB".
  public static func bytes(_ count: Int64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    var value = Double(count)
    var unit = 0
    // 1023.95 would be written as 1024.0.
    while abs(value) >= (unit == 0 ? 1024 : 1023.95), unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    return unit == 0 || abs(value) >= 99.95
      ? "\(Int64(value.rounded())) \(units[unit])" : "\(decimal(value)) \(units[unit])"
  }

  /// A duration: "250 ms", "4.5 s", "1:05", "2:03:04".
  public static func duration(_ duration: Duration) -> String {
    let seconds = duration.seconds
    if seconds < 1 { return "\(Int((seconds * 1000).rounded())) ms" }
    if seconds < 59.95 { return "\(decimal(seconds)) s" }
    let whole = Int(seconds.rounded())
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    let tail = (rest < 10 ? ":0" : ":") + String(rest)
    return hours == 0
      ? "\(minutes)\(tail)" : "\(hours):\(minutes < 10 ? "0" : "")\(minutes)\(tail)"
  }

  private static func decimal(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
  }

  /// JSON with sorted keys, on one line or indented, ending with a line feed.
  public static func json(_ value: some Encodable, indented: Bool = true) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if indented { encoder.outputFormatting.insert(.prettyPrinted) }
    guard let data = try? encoder.encode(value) else {
      preconditionFailure("what is printed as JSON can be written as JSON")
    }
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}
