internal import Glibc
internal import Platform

/// What is mounted, as this process sees it in /proc/self/mountinfo. Reading it asks no mount anything.
public enum MountTable {
  /// One mount.
  public struct Entry: Hashable, Sendable {
    /// The number of the mount, not used again while it is mounted.
    public let identifier: Int
    /// The device number's major part: 0 for FUSE.
    public let deviceMajor: UInt32
    /// The device number's minor part; of a FUSE mount the number of its connection.
    public let deviceMinor: UInt32
    /// The folder that it is mounted on.
    public let mountpoint: String
    /// The options of this mount.
    public let options: String
    /// The type, such as "fuse.fauxdrive".
    public let type: String
    /// The source, which `MountOptions.source` sets.
    public let source: String
    /// The options of the file system.
    public let superOptions: String

    /// Whether it is a FUSE file system.
    public var isFuse: Bool { type == "fuse" || type.hasPrefix("fuse.") }
    /// The number below /sys/fs/fuse/connections.
    public var connection: UInt32 { deviceMinor }
  }

  /// Every mount, in the order of mounting; of several on one folder the last is the visible one.
  public static func current() -> [Entry] {
    parse(SystemFile.read("/proc/self/mountinfo") ?? "")
  }

  /// The FUSE mounts with a subtype.
  public static func fuseMounts(subtype: String) -> [Entry] {
    current().filter { $0.type == "fuse.\(subtype)" }
  }

  /// Parses the text of mountinfo; lines that make no sense are left out.
  public static func parse(_ text: String) -> [Entry] {
    text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { Entry(line: Array($0)) }
  }
}

extension MountTable.Entry {
  /// Parses `36 35 98:0 /root /mountpoint options [tags...] - type source superoptions`.
  init?(line: [UInt8]) {
    let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      .map { Self.unescape($0) }
    guard let dash = fields.firstIndex(of: "-"), dash >= 6, fields.count > dash + 2,
      let identifier = Int(fields[0])
    else { return nil }
    let numbers = fields[2].split(separator: ":").compactMap { UInt32($0) }
    guard numbers.count == 2 else { return nil }
    self.identifier = identifier
    deviceMajor = numbers[0]
    deviceMinor = numbers[1]
    mountpoint = fields[4]
    options = fields[5]
    type = fields[dash + 1]
    source = fields[dash + 2]
    superOptions = fields.count > dash + 3 ? fields[dash + 3] : ""
  }

  /// Undoes the octal escapes of space, tab, newline, backslash and number sign.
  private static func unescape(_ field: ArraySlice<UInt8>) -> String {
    var bytes: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      let isOctal = digits.count == 3 && digits.allSatisfy { (0x30...0x37).contains($0) }
      guard byte == UInt8(ascii: "\\"), isOctal else {
        bytes.append(byte)
        continue
      }
      bytes.append(UInt8(truncatingIfNeeded: digits.reduce(0) { $0 * 8 + Int($1 - 0x30) }))
      rest = rest.dropFirst(3)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Reads and writes files of /proc and /sys.
enum SystemFile {
  static func read(_ path: String) -> String? {
    guard let file = try? FileDescriptor.open(path, O_RDONLY) else { return nil }
    var bytes: [UInt8] = []
    withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { buffer in
      while true {
        let count = Glibc.read(file.rawValue, buffer.baseAddress, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        bytes.append(contentsOf: buffer.prefix(count))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func write(_ text: String, to path: String) throws(Errno) {
    let file = try FileDescriptor.open(path, O_WRONLY)
    var text = text
    let result = text.withUTF8 { Glibc.write(file.rawValue, $0.baseAddress, $0.count) }
    guard result >= 0 else { throw Errno.current }
  }
}
