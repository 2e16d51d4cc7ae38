/// The number that `stat` shows: persistent, and never given to another item of the same device.
public struct InodeNumber: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number; below 2^40, so that a node identifier can carry it together with an epoch.
  public let rawValue: UInt64

  /// Wraps a number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The root folder of every device.
  public static let root = InodeNumber(rawValue: 1)
  /// The first number that is given to an item; smaller ones are reserved.
  public static let firstFree = InodeNumber(rawValue: 16)

  /// Orders by number, which is the order in which the device came to know the items.
  public static func < (left: InodeNumber, right: InodeNumber) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension InodeNumber: CustomStringConvertible {
  /// The number in decimal.
  public var description: String { String(rawValue) }
}
