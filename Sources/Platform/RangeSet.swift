/// A set of bytes of one file, kept as ordered ranges that neither touch nor overlap.
public struct RangeSet: Hashable, Sendable {
  /// The ranges, ascending.
  public private(set) var ranges: [ByteRange] = []

  /// No byte.
  public init() {}

  /// The bytes of the given ranges.
  public init(_ ranges: some Sequence<ByteRange>) { for range in ranges { insert(range) } }

  /// How many bytes are in the set.
  public var byteCount: Int64 { ranges.reduce(0) { $0 + $1.count } }
  /// Whether no byte is in it.
  public var isEmpty: Bool { ranges.isEmpty }

  /// Adds a range, joining it with what it touches.
  public mutating func insert(_ range: ByteRange) {
    guard !range.isEmpty else { return }
    // Almost every insertion continues the last range: a transfer in order.
    if let last = ranges.last, last.offset <= range.offset, range.offset <= last.end {
      ranges[ranges.count - 1] = ByteRange(from: last.offset, to: max(last.end, range.end))
      return
    }
    let first = ranges.firstIndex { $0.end >= range.offset } ?? ranges.count
    var behind = first
    var joined = range
    while behind < ranges.count, ranges[behind].offset <= joined.end {
      joined = ByteRange(
        from: min(joined.offset, ranges[behind].offset), to: max(joined.end, ranges[behind].end))
      behind += 1
    }
    ranges.replaceSubrange(first..<behind, with: [joined])
  }

  /// Whether every byte of `range` is in the set.
  public func contains(_ range: ByteRange) -> Bool {
    range.isEmpty || ranges.contains { $0.contains(range) }
  }

  /// The parts of `range` that are not in the set, ascending.
  public func missing(in range: ByteRange) -> [ByteRange] {
    var gaps: [ByteRange] = []
    var position = range.offset
    for present in ranges where present.end > position && present.offset < range.end {
      if present.offset > position { gaps.append(ByteRange(from: position, to: present.offset)) }
      position = max(position, present.end)
    }
    if position < range.end { gaps.append(ByteRange(from: position, to: range.end)) }
    return gaps
  }
}
