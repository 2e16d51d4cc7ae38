/// One version of a document, recognizable in every byte: no part of another version can pass for it.
public struct Version: Hashable, Sendable {
  /// Which one.
  public let number: Int
  /// How long it is, in bytes; at least 16.
  public let size: Int

  /// Describes a version.
  public init(_ number: Int, size: Int) {
    self.number = number
    self.size = size
  }

  /// The content: number and size in its first 16 bytes, then one letter.
  public var bytes: [UInt8] {
    let head = "\(Self.digits(number, 6)).\(Self.digits(size, 8))\n"
    let letter = UInt8(ascii: "a") + UInt8(number % 26)
    return Array(head.utf8) + [UInt8](repeating: letter, count: size - 16)
  }

  /// What a session answers that has read all of it.
  public var answer: String { "ok \(size) \(number)" }

  /// The hash of the content, as `MountHands` has it.
  public var hash: String { fnv1a(bytes) }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: count - text.count) + text
  }
}

/// The hash that `MountHands` tells of bytes: FNV-1a of 64 bits, in 16 digits.
public func fnv1a(_ bytes: [UInt8]) -> String {
  let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  let text = String(hash, radix: 16)
  return String(repeating: "0", count: 16 - text.count) + text
}
