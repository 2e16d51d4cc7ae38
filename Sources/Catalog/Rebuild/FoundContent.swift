public import Platform

/// A content file that was found on the disk when a catalog is rebuilt.
public struct FoundContent: Hashable, Sendable {
  /// The item whose content it was.
  public let inode: InodeNumber
  /// Which content of the item.
  public let serial: UInt64
  /// Its length in bytes.
  public let size: Int64
  /// When it was written last.
  public let modified: Timestamp
  /// Whether the cloud may not have it: a program on this device has written it.
  public let isOnlyCopy: Bool

  /// Describes a file.
  public init(
    inode: InodeNumber, serial: UInt64, size: Int64, modified: Timestamp, isOnlyCopy: Bool
  ) {
    self.inode = inode
    self.serial = serial
    self.size = size
    self.modified = modified
    self.isOnlyCopy = isOnlyCopy
  }
}

/// What became of a device whose catalog was damaged.
public struct CatalogRebuild: Hashable, Sendable {
  /// What was wrong with the catalog.
  public let reason: String
  /// The folder in which it is kept.
  public let setAside: String
  /// How many items with changes that are not in the cloud yet are what they were.
  public let kept: Int
  /// Documents of which only the content was found, as paths on the device.
  public let recovered: [String]
  /// Documents with changes whose content is missing or too short, as paths on the device.
  public let damaged: [String]
  /// How many content files that belong to nothing are kept beside the catalog.
  public let leftOver: Int

  /// Describes a rebuild.
  public init(
    reason: String, setAside: String, kept: Int, recovered: [String], damaged: [String],
    leftOver: Int
  ) {
    self.reason = reason
    self.setAside = setAside
    self.kept = kept
    self.recovered = recovered
    self.damaged = damaged
    self.leftOver = leftOver
  }

  /// All of it in one sentence.
  public var summary: String {
    var parts = ["\(Self.count(kept, "pending change")) kept"]
    if !recovered.isEmpty { parts.append("\(Self.count(recovered.count, "document")) recovered") }
    if !damaged.isEmpty {
      parts.append(
        "the content of \(damaged.prefix(3).joined(separator: ", "))"
          + (damaged.count > 3 ? " and \(damaged.count - 3) more" : "") + " damaged")
    }
    return "the device's catalog was damaged (\(reason)) and is rebuilt from the cloud, with "
      + parts.joined(separator: ", ") + "; the old one is kept in \(setAside)"
  }

  private static func count(_ number: Int, _ what: String) -> String {
    "\(number) \(what)\(number == 1 ? "" : "s")"
  }
}
