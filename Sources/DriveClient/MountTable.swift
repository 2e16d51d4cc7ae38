internal import Foundation
public import Control

/// One line of /proc/self/mountinfo, as far as it matters here.
public struct MountEntry: Hashable, Sendable {
  /// Where it is mounted, an absolute path.
  public let mountpoint: String
  /// The folder of the file system that is seen there; "/" unless it is a bind mount of a part.
  public let root: String
  /// The world and device behind it; nil when it is not a drive.
  public let source: MountSource?
}

/// The mounts that this process sees, read without touching any of them.
public struct MountTable: Sendable {
  /// The mounts, in the order in which they were made: a later one covers an earlier one.
  public let entries: [MountEntry]

  /// Reads lines in the format of /proc/self/mountinfo; lines that are no mounts are left out.
  public init(parsing text: String) {
    entries = text.split(separator: "\n").compactMap(Self.entry)
  }

  /// The present mounts, from /proc/self/mountinfo.
  public static func current() -> MountTable {
    let data = FileManager.default.contents(atPath: "/proc/self/mountinfo") ?? Data()
    return MountTable(parsing: String(decoding: data, as: UTF8.self))
  }

  /// The mounts of drives that are not covered by another mount at the same place.
  public var drives: [MountEntry] {
    let mountpoints = Set(entries.map(\.mountpoint))
    return mountpoints.sorted().compactMap { top(at: $0) }.filter { $0.source != nil }
  }

  /// The mount that is seen at exactly this path.
  func top(at path: String) -> MountEntry? { entries.last { $0.mountpoint == path } }

  private static func entry(_ line: Substring) -> MountEntry? {
    // ID parent major:minor root mountpoint options [optional ...] - type source options
    let fields = line.split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count >= 10, let dash = fields[6...].firstIndex(of: "-"),
      fields.count > dash + 2
    else { return nil }
    let isDrive = fields[dash + 1] == MountSource.fileSystemType
    return MountEntry(
      mountpoint: unescape(fields[4]), root: unescape(fields[3]),
      source: isDrive ? MountSource(unescape(fields[dash + 2])) : nil)
  }

  /// The kernel writes blanks, tabs, line feeds and backslashes as three octal digits.
  private static func unescape(_ field: Substring) -> String {
    guard field.contains("\\") else { return String(field) }
    var bytes: [UInt8] = []
    var rest = field.utf8
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let digits = String(rest.prefix(3)),
        digits.utf8.count == 3, let value = UInt8(digits, radix: 8)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
