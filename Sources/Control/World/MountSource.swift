/// What the kernel shows as the source of a drive's mount: which world serves it, and as which device.
///
/// The text is `fauxdrive:WORLD#DEVICE`. All but letters, digits, `/`, `.`, `-` and `_` is written as
/// `%XX`, since a mount option must not hold a comma or a backslash, and a line of
/// /proc/self/mountinfo no blank.
public struct MountSource: Hashable, Sendable {
  /// The type of the file system in /proc/self/mountinfo.
  public static let fileSystemType = "fuse.fauxdrive"
  /// The subtype to mount with; the kernel puts `fuse.` before it.
  public static let subtype = "fauxdrive"
  private static let scheme = "fauxdrive:"

  /// The world's folder, an absolute path.
  public let world: String
  /// The device's name.
  public let device: String

  /// Names a device of a world.
  public init(world: String, device: String) {
    self.world = world
    self.device = device
  }

  /// Reads a source; nil when it is not a drive's.
  public init?(_ text: String) {
    guard text.hasPrefix(Self.scheme) else { return nil }
    let parts = text.dropFirst(Self.scheme.count).split(
      separator: "#", omittingEmptySubsequences: false)
    guard parts.count == 2, let world = PercentCoding.decode(parts[0]), world.hasPrefix("/"),
      let device = PercentCoding.decode(parts[1]), !device.isEmpty
    else { return nil }
    self.init(world: world, device: device)
  }

  /// The source to mount with.
  public var text: String {
    Self.scheme + PercentCoding.encode(world) + "#" + PercentCoding.encode(device)
  }
}

/// Writes text with letters, digits, `/`, `.`, `-`, `_` and `%` only.
enum PercentCoding {
  static func encode(_ text: String, keeping kept: String = "/.-_") -> String {
    var encoded = ""
    for byte in text.utf8 {
      let scalar = Unicode.Scalar(byte)
      if byte < 0x80,
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || kept.unicodeScalars.contains(scalar)
      {
        encoded.unicodeScalars.append(scalar)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return encoded
  }

  static func decode(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, let digits = String(digits), digits.allSatisfy(\.isHexDigit),
        let value = UInt8(digits, radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
