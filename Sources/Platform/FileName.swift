/// One component of a path: bytes, as Linux has them, not text.
///
/// A name is never empty, `.` or `..`, holds neither `/` nor NUL, and has at most 255 bytes, so one
/// that came from a cloud can be handed to the kernel or joined to a local path.
public struct FileName: Hashable, Sendable {
  /// The longest name that Linux takes, in bytes (NAME_MAX).
  public static let maximumLength = 255

  /// The bytes, without a terminator.
  public let bytes: [UInt8]

  /// Checks the bytes; nil when they cannot be a name.
  public init?(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    guard (1...Self.maximumLength).contains(bytes.count) else { return nil }
    guard !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")) else { return nil }
    let dot = UInt8(ascii: ".")
    guard bytes != [dot], bytes != [dot, dot] else { return nil }
    self.bytes = bytes
  }

  /// Takes bytes that are known to be a name.
  init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// Checks borrowed bytes; nil when they cannot be a name.
  public init?(_ bytes: borrowing Span<UInt8>) {
    self.init(bytes.withUnsafeBufferPointer { Array($0) })
  }

  /// Checks the text; nil when it cannot be a name.
  public init?(_ text: some StringProtocol) { self.init(text.utf8) }

  /// The name as text; bytes that are not UTF-8 become U+FFFD.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension FileName: CustomStringConvertible {
  /// The name as text.
  public var description: String { text }
}

extension FileName: Comparable {
  /// Orders by bytes, so that a listing has one order on every machine.
  public static func < (left: FileName, right: FileName) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
