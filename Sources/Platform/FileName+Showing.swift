extension FileName {
  /// A name for something whose real name Linux cannot have: it holds `/` or NUL, is empty, `.` or `..`, or
  /// is longer than 255 bytes. Any other name is taken as it is.
  ///
  /// The same real name always gives the same name, and two real names practically never do: a mark of 8
  /// digits, made of the real name, stands before the extension.
  public init(showing bytes: some Collection<UInt8>) {
    self = FileName(bytes) ?? Self.marked(Array(bytes), maximum: Self.maximumLength)
  }

  /// The name with its mark, in at most so many bytes.
  ///
  /// - Parameter maximum: at least 64.
  public func marked(maximum: Int = FileName.maximumLength) -> FileName {
    Self.marked(bytes, maximum: maximum)
  }

  /// Whether the name looks as if it had a mark: `~` and 8 digits at its end or before an extension.
  public var isMarked: Bool {
    bytes.indices.contains { place in
      guard bytes[place] == UInt8(ascii: "~"), place + 9 <= bytes.count else { return false }
      let digits = bytes[(place + 1)..<(place + 9)]
      let follows = place + 9 == bytes.count || bytes[place + 9] == UInt8(ascii: ".")
      return follows && digits.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
  }

  private static func marked(_ bytes: [UInt8], maximum: Int) -> FileName {
    let mark = Array("~\(hexadecimal(hash(bytes)))".utf8)
    let safe = bytes.map { $0 == 0 || $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
    var stem = safe[...]
    var ending: ArraySlice<UInt8> = []
    if let dot = safe.lastIndex(of: UInt8(ascii: ".")), dot > 0, safe.count - dot <= 16 {
      (stem, ending) = (safe[..<dot], safe[dot...])
    }
    stem = cut(stem, to: maximum - mark.count - ending.count)
    return FileName(stem + mark + ending) ?? FileName(unchecked: mark)
  }

  /// The beginning of a text, without a part of a character at its end.
  private static func cut(_ bytes: ArraySlice<UInt8>, to count: Int) -> ArraySlice<UInt8> {
    var cut = bytes.prefix(max(0, count))
    guard cut.count < bytes.count else { return cut }
    while bytes[cut.endIndex] & 0xC0 == 0x80, let last = cut.popLast(), last & 0xC0 == 0x80 {}
    return cut
  }

  /// FNV-1a, 32 bits.
  private static func hash(_ bytes: [UInt8]) -> UInt32 {
    bytes.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }

  private static func hexadecimal(_ number: UInt32) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
