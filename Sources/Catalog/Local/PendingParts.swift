/// Which parts of an item the device has and the cloud does not have yet.
public struct PendingParts: OptionSet, Hashable, Sendable {
  /// The bits, as the catalog keeps them.
  public let rawValue: UInt8
  /// Wraps the bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The cloud has no such item.
  public static let created = PendingParts(rawValue: 1)
  /// The bytes of a file.
  public static let content = PendingParts(rawValue: 2)
  /// The modification time, the permissions or the extended attributes.
  public static let metadata = PendingParts(rawValue: 4)
  /// The name or the folder.
  public static let place = PendingParts(rawValue: 8)
}
