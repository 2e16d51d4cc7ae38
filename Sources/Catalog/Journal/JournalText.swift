internal import Cloud
internal import Platform

/// How the journal spells values: fields with tabs between them, readable for people in need.
enum JournalText {
  enum Field {
    case tag(Unicode.Scalar)
    case number(UInt64)
    case text(String)
    case bytes([UInt8])
    /// A value that may be missing, which an empty one is not.
    case optional([UInt8]?)
    case time(Timestamp)
  }

  static let lineFeed = UInt8(ascii: "\n")
  /// 16 digits and a space.
  static let checksumLength = 17
  static let tab = UInt8(ascii: "\t")
  fileprivate static let missing = UInt8(ascii: "-")
  private static let percent = UInt8(ascii: "%")
  private static let digits = Array("0123456789abcdef".utf8)

  static func append(_ fields: [Field], to bytes: inout [UInt8]) {
    for (index, field) in fields.enumerated() {
      if index > 0 { bytes.append(tab) }
      append(field, to: &bytes)
    }
  }

  private static func append(_ field: Field, to bytes: inout [UInt8]) {
    switch field {
    case .tag(let letter): bytes.append(UInt8(truncatingIfNeeded: letter.value))
    case .number(let number): append(number, to: &bytes)
    case .text(let text): for byte in text.utf8 { append(byte, to: &bytes) }
    case .bytes(let value): for byte in value { append(byte, to: &bytes) }
    case .optional(nil): bytes.append(missing)
    case .optional(let value?):
      bytes.append(UInt8(ascii: "="))
      for byte in value { append(byte, to: &bytes) }
    case .time(let time):
      append(UInt64(bitPattern: time.seconds), to: &bytes)
      bytes.append(UInt8(ascii: "."))
      append(UInt64(UInt32(bitPattern: time.nanoseconds)), to: &bytes)
    }
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var divisor: UInt64 = 1
    while number / divisor > 9 { divisor *= 10 }
    while divisor > 0 {
      bytes.append(digits[Int(number / divisor % 10)])
      divisor /= 10
    }
  }

  /// Everything that is no plain character of a word is written with percent signs.
  private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
    guard byte <= 0x20 || byte == percent || byte == 0x7f else { return bytes.append(byte) }
    bytes += [percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  /// Undoes the percent signs; nil when one of them is wrong.
  static func decode(_ field: ArraySlice<UInt8>) -> [UInt8]? {
    guard field.contains(percent) else { return Array(field) }
    var bytes: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      guard byte == percent else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digits.firstIndex(of:)),
        let low = rest.popFirst().flatMap(digits.firstIndex(of:))
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }

  /// FNV-1a, 64 bits, as 16 digits and a space: against accidents, not against malice.
  static func checksum(_ bytes: borrowing Span<UInt8>) -> [UInt8] {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3 }
    return (0..<16).map { digits[Int(hash >> (60 - 4 * UInt64($0)) & 15)] } + [0x20]
  }

  /// Appends a line: a checksum of what `write` appends, that, and a line feed.
  static func appendLine(to bytes: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: checksumLength))
    write(&bytes)
    let sum = checksum(bytes.span.extracting((start + checksumLength)..<bytes.count))
    for (index, digit) in sum.enumerated() { bytes[start + index] = digit }
    bytes.append(lineFeed)
  }

  /// What a line says, if its checksum is right.
  static func checked(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard line.count > checksumLength else { return nil }
    let content = line.dropFirst(checksumLength)
    return Array(line.prefix(checksumLength)) == checksum(content.span) ? content : nil
  }
}

/// The fields of a line, one after the other; nil for one that is missing or wrong.
struct JournalFields {
  private var rest: ArraySlice<UInt8>?

  init(_ line: ArraySlice<UInt8>) { rest = line }

  private mutating func raw() -> ArraySlice<UInt8>? {
    guard let line = rest else { return nil }
    guard let end = line.firstIndex(of: JournalText.tab) else {
      rest = nil
      return line
    }
    rest = line[(end + 1)...]
    return line[..<end]
  }

  mutating func next() -> String? { raw().map { String(decoding: $0, as: UTF8.self) } }

  mutating func number() -> UInt64? { raw().flatMap(Self.number) }

  mutating func bytes() -> [UInt8]? { raw().flatMap(JournalText.decode) }

  mutating func text() -> String? { bytes().map { String(decoding: $0, as: UTF8.self) } }

  /// The outer optional tells whether the field is right, the inner one whether it has a value.
  mutating func optional() -> [UInt8]?? {
    guard let field = raw() else { return .none }
    if field.elementsEqual([JournalText.missing]) { return .some(nil) }
    guard field.first == UInt8(ascii: "="), let value = JournalText.decode(field.dropFirst())
    else { return .none }
    return .some(value)
  }

  mutating func time() -> Timestamp? {
    guard let field = raw(), let dot = field.firstIndex(of: UInt8(ascii: ".")),
      let seconds = Self.number(field[..<dot]), let rest = Self.number(field[(dot + 1)...]),
      rest < 1_000_000_000
    else { return nil }
    return Timestamp(seconds: Int64(bitPattern: seconds), nanoseconds: Int32(rest))
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    guard !digits.isEmpty else { return nil }
    var number: UInt64 = 0
    for byte in digits {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      let (product, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(byte - 0x30))
      guard !overflow, !carry else { return nil }
      number = sum
    }
    return number
  }
}
