internal import Cloud
internal import Glibc
internal import Platform

/// What a journal says, all lines together.
struct JournalContents: Sendable {
  /// The number of the session that wrote last.
  private(set) var session: UInt64 = 0
  /// The kernel's identity in that session.
  private(set) var boot = ""
  /// Lower numbers may have been given out.
  private(set) var inode: UInt64 = 0
  private(set) var serial: UInt64 = 0
  private(set) var anchor: SyncAnchor?
  /// Items with something pending, and folders above them.
  private(set) var rows: [InodeNumber: JournalRow] = [:]
  /// Changes of which nobody knows whether the cloud has taken them.
  private(set) var sendings: [InodeNumber: Sending] = [:]
  /// Whether that session was closed as it should be.
  private(set) var hasEnded = false
  /// How many lines were damaged; the first one counts as well, of which a journal that is known to be
  /// incomplete has lost a byte.
  private(set) var damagedLines = 0

  /// The rows of which something is pending, in the order of the changes.
  var pending: [JournalRow] {
    rows.values.filter { $0.row.pending != nil }.sorted { $0.sequence < $1.sequence }
  }

  /// Reads a journal; nil when there is none.
  init?(at path: String) {
    guard let bytes = Self.read(path) else { return nil }
    for line in bytes.split(separator: JournalText.lineFeed) {
      guard let line = JournalLine(line) else {
        damagedLines += 1
        continue
      }
      take(line)
    }
    // A last line without its end was being written.
    if bytes.last != JournalText.lineFeed { damagedLines += bytes.isEmpty ? 0 : 1 }
    if session == 0 { damagedLines += 1 }
  }

  private mutating func take(_ line: JournalLine) {
    switch line {
    case .begin(let session, let boot): (self.session, self.boot, hasEnded) = (session, boot, false)
    case .end: hasEnded = true
    case .numbers(let inode, let serial):
      (self.inode, self.serial) = (max(inode, self.inode), max(serial, self.serial))
    case .anchor(let anchor): self.anchor = anchor
    case .row(let row): rows[row.row.inode] = row
    case .gone(let inode): rows[inode] = nil
    case .sending(let sending): sendings[sending.inode] = sending
    case .answered(let inode): sendings[inode] = nil
    }
  }

  /// The number of the session that wrote last, by a look at the first line.
  static func session(at path: String) -> UInt64? {
    guard let head = read(path, limit: 512)?.split(separator: JournalText.lineFeed).first,
      case .begin(let session, _)? = JournalLine(head)
    else { return nil }
    return session
  }

  private static func read(_ path: String, limit: Int = .max) -> [UInt8]? {
    guard let file = try? FileDescriptor.open(path, O_RDONLY),
      let status = try? file.status()
    else { return nil }
    let size = min(Int(status.st_size), limit)
    return try? [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
    }
  }
}
