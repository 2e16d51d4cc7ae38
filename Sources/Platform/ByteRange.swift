/// A half-open range of bytes of a file: `offset ..< end`.
public struct ByteRange: Hashable, Sendable {
  /// The first byte.
  public let offset: Int64
  /// How many bytes; never negative.
  public let count: Int64

  /// A range of `count` bytes from `offset`; both must not be negative.
  public init(offset: Int64, count: Int64) {
    precondition(offset >= 0 && count >= 0, "a byte range has no negative part")
    self.offset = offset
    self.count = count
  }

  /// A range between two positions; `end` must not lie before `offset`.
  public init(from offset: Int64, to end: Int64) { self.init(offset: offset, count: end - offset) }

  /// The whole of a file of `size` bytes.
  public static func whole(_ size: Int64) -> ByteRange { ByteRange(offset: 0, count: size) }

  /// The first byte behind the range.
  public var end: Int64 { offset + count }
  /// Whether there is no byte in it.
  public var isEmpty: Bool { count == 0 }

  /// Whether every byte of `other` is in this range; an empty one always is.
  public func contains(_ other: ByteRange) -> Bool {
    other.isEmpty || (offset <= other.offset && other.end <= end)
  }

  /// The part that lies below `size`.
  public func clamped(to size: Int64) -> ByteRange {
    let start = min(offset, size)
    return ByteRange(from: start, to: max(start, min(end, size)))
  }
}

extension ByteRange: CustomStringConvertible {
  /// `offset..<end`.
  public var description: String { "\(offset)..<\(end)" }
}
