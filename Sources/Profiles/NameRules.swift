internal import Foundation
public import Platform

/// In which Unicode form an account keeps names.
public enum NormalizationForm: String, CaseIterable, Hashable, Sendable {
  /// As they were written.
  case asWritten
  /// NFC: one code point for a letter with its accent.
  case composed
  /// NFD: the accent is a code point of its own.
  case decomposed
}

/// Which names an account takes, and which of them it takes for the same.
public struct NameRules: Hashable, Sendable {
  /// Steers whether `a` and `A` can lie in one folder.
  public var caseSensitive: Bool
  /// Steers whether two Unicode forms of one text can lie in one folder.
  public var normalizationSensitive: Bool
  /// Steers in which Unicode form a new name is kept, and so listed by other devices.
  public var storedAs: NormalizationForm
  /// Steers which characters a name must not hold.
  public var reservedCharacters: String
  /// Steers which whole names are refused, in any case; a name with an extension is not meant.
  public var reservedNames: [String]
  /// Steers which beginnings are refused.
  public var reservedBeginnings: [String]
  /// Steers which endings are refused.
  public var reservedEndings: [String]
  /// Steers how long a name may be, in bytes of UTF-8; at most 255.
  public var maximumBytes: Int
  /// Steers what the creation of a refused name answers.
  public var whenRefused: Errno

  /// Describes rules.
  public init(
    caseSensitive: Bool, normalizationSensitive: Bool, storedAs: NormalizationForm,
    reservedCharacters: String, reservedNames: [String], reservedBeginnings: [String],
    reservedEndings: [String], maximumBytes: Int, whenRefused: Errno
  ) {
    self.caseSensitive = caseSensitive
    self.normalizationSensitive = normalizationSensitive
    self.storedAs = storedAs
    self.reservedCharacters = reservedCharacters
    self.reservedNames = reservedNames
    self.reservedBeginnings = reservedBeginnings
    self.reservedEndings = reservedEndings
    self.maximumBytes = maximumBytes
    self.whenRefused = whenRefused
  }

  /// What creating a name answers when the account does not take it; nil when it does.
  public func refusal(of name: FileName) -> Errno? {
    guard name.bytes.count <= maximumBytes else { return .nameTooLong }
    let text = name.text
    let isRefused =
      text.contains(where: reservedCharacters.contains)
      || reservedNames.contains { $0.lowercased() == text.lowercased() }
      || reservedBeginnings.contains(where: text.hasPrefix)
      || reservedEndings.contains(where: text.hasSuffix)
    return isRefused ? whenRefused : nil
  }

  /// Whether there are two names that the account takes for the same.
  public var takesSomeForTheSame: Bool { !caseSensitive || !normalizationSensitive }

  /// The name as the account keeps it; a name that is not UTF-8 stays as it is.
  public func stored(_ name: FileName) -> FileName {
    guard storedAs != .asWritten, let text = Self.unicode(name) else { return name }
    let form =
      storedAs == .composed
      ? text.precomposedStringWithCanonicalMapping : text.decomposedStringWithCanonicalMapping
    return FileName(form) ?? name
  }

  /// What two names have in common when, and only when, the account takes them for the same.
  public func collisionKey(of name: FileName) -> [UInt8] {
    if !takesSomeForTheSame { return name.bytes }
    if name.bytes.allSatisfy({ $0 < 0x80 }) {
      return caseSensitive ? name.bytes : name.bytes.map(Self.lowercase)
    }
    guard var text = Self.unicode(name) else { return name.bytes }
    if !caseSensitive { text = text.lowercased() }
    if !normalizationSensitive { text = text.precomposedStringWithCanonicalMapping }
    return Array(text.utf8)
  }

  private static func unicode(_ name: FileName) -> String? {
    String(validating: name.bytes, as: UTF8.self)
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
