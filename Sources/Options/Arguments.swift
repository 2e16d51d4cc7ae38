internal import Platform

/// What is wrong with a command line, as a sentence without its full stop.
public struct UsageError: Error, Hashable, Sendable {
  /// What is wrong.
  public let message: String

  /// Describes a mistake.
  public init(_ message: String) { self.message = message }
}

/// The options and operands of a command line.
public struct Arguments: Hashable, Sendable {
  private var values: [String: [String]] = [:]
  /// The operands, in their order.
  public private(set) var operands: [String] = []

  /// None.
  public init() {}

  mutating func add(_ value: String, to option: String) {
    values[option, default: []].append(value)
  }
  mutating func add(operand: String) { operands.append(operand) }

  /// Whether an option was given.
  public func has(_ option: Option) -> Bool { values[option.name] != nil }
  /// The argument of an option; the last one, if it was given more than once.
  public func value(_ option: Option) -> String? { values[option.name]?.last }
  /// All arguments of an option that may be repeated.
  public func values(_ option: Option) -> [String] { values[option.name] ?? [] }

  /// A whole number in a range; nil when the option was not given.
  public func number<Number: FixedWidthInteger>(
    _ option: Option, in range: ClosedRange<Number> = Number.min...Number.max
  ) throws(UsageError) -> Number? {
    guard let text = value(option) else { return nil }
    guard let number = Number(text), range.contains(number) else {
      let limits =
        range == Number.min...Number.max ? "" : " from \(range.lowerBound) to \(range.upperBound)"
      throw UsageError("--\(option.name): '\(text)' is not a whole number\(limits)")
    }
    return number
  }

  /// One of the cases of a type; nil when the option was not given.
  public func choice<Choice: RawRepresentable & CaseIterable>(
    _ option: Option, as type: Choice.Type
  ) throws(UsageError) -> Choice? where Choice.RawValue == String {
    guard let text = value(option) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let names = Choice.allCases.map(\.rawValue)
      let hint = Suggestion.nearest(to: text, in: names).map { "; did you mean '\($0)'?" } ?? ""
      throw UsageError(
        "--\(option.name): '\(text)' is not one of \(names.joined(separator: ", "))\(hint)")
    }
    return choice
  }

  /// A duration such as `250ms`, `30s`, `1.5m` or `2h`; nil when the option was not given.
  public func duration(_ option: Option) throws(UsageError) -> Duration? {
    guard let text = value(option) else { return nil }
    do {
      return try Self.duration(text)
    } catch {
      throw UsageError("--\(option.name): \(error.message)")
    }
  }

  /// The duration that a text means: a number with ms, s, m or h.
  public static func duration(_ text: String) throws(UsageError) -> Duration {
    let units: [(String, Double)] = [("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9)]
    if let unit = units.first(where: { text.hasSuffix($0.0) }) {
      let digits = text.dropLast(unit.0.count)
      if digits.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let number = Double(digits) {
        let nanoseconds = (number * unit.1).rounded()
        if nanoseconds <= 8760 * 3600e9 { return .nanoseconds(Int64(nanoseconds)) }
      }
    }
    throw UsageError("'\(text)' is not a duration such as 250ms, 30s, 1.5m or 2h, up to 8760h")
  }

  /// The number of bytes that a text means: a number, with k, M, G (1000) or Ki, Mi, Gi (1024).
  public static func bytes(_ text: String) throws(UsageError) -> Int64 {
    let units: [(String, Double)] = [
      ("Ki", 0x1p10), ("Mi", 0x1p20), ("Gi", 0x1p30), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("", 1),
    ]
    let plain = text.hasSuffix("B") ? String(text.dropLast()) : text
    for unit in units where plain.hasSuffix(unit.0) {
      let digits = plain.dropLast(unit.0.count)
      guard digits.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }),
        let number = Double(digits), number * unit.1 < 0x1p62
      else { break }
      return Int64((number * unit.1).rounded())
    }
    throw UsageError("'\(text)' is not a number of bytes such as 4096, 10k, 1.5M or 2Gi")
  }
}
