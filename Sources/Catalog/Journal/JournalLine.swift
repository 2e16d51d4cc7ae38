internal import Cloud
internal import Platform

/// One line of a catalog's journal.
enum JournalLine: Hashable, Sendable {
  /// A process has opened the catalog, for the so many-th time, under a kernel of this identity.
  case begin(session: UInt64, boot: String)
  /// It has closed it, and nothing is missing above.
  case end
  /// Lower numbers than these may have been given out.
  case numbers(inode: UInt64, serial: UInt64)
  /// Up to where the cloud's changes are known.
  case anchor(SyncAnchor)
  /// An item as it is now: one of which something is pending, or a folder above one.
  case row(JournalRow)
  /// The cloud has all of an item, or the item is gone.
  case gone(InodeNumber)
  /// The cloud may take a change of an item from now on.
  case sending(Sending)
  /// It is known whether it has.
  case answered(InodeNumber)
}

/// A row of the catalog with what is pending of it.
struct JournalRow: Hashable, Sendable {
  var row: Row
  /// As in `PendingItem`; 0 when nothing is pending.
  var sequence: UInt64
  /// Whether a program was writing it.
  var isWriting: Bool
}

extension JournalLine {
  /// The version of the lines' format, which a reader must know.
  static let format: UInt64 = 1

  /// Appends the line: a checksum of the rest, the rest, and a line feed.
  func append(to bytes: inout [UInt8]) { JournalText.appendLine(to: &bytes, write) }

  private func write(to bytes: inout [UInt8]) {
    func put(_ fields: JournalText.Field...) { JournalText.append(fields, to: &bytes) }
    switch self {
    case .begin(let session, let boot):
      put(.tag("B"), .number(Self.format), .number(session), .text(boot))
    case .end: put(.tag("E"))
    case .numbers(let inode, let serial): put(.tag("N"), .number(inode), .number(serial))
    case .anchor(let anchor): put(.tag("A"), .text(anchor.rawValue))
    case .row(let row): row.write(to: &bytes)
    case .gone(let inode): put(.tag("G"), .number(inode.rawValue))
    case .sending(let sending): sending.write(to: &bytes)
    case .answered(let inode): put(.tag("D"), .number(inode.rawValue))
    }
  }

  /// Reads a line without its line feed; nil when it is damaged or of another format.
  init?(_ line: ArraySlice<UInt8>) {
    guard let content = JournalText.checked(line) else { return nil }
    var fields = JournalFields(content)
    switch fields.next() {
    case "B":
      guard fields.number() == Self.format, let session = fields.number(), let boot = fields.text()
      else { return nil }
      self = .begin(session: session, boot: boot)
    case "E": self = .end
    case "N":
      guard let inode = fields.number(), let serial = fields.number() else { return nil }
      self = .numbers(inode: inode, serial: serial)
    case "A":
      guard let anchor = fields.text() else { return nil }
      self = .anchor(SyncAnchor(rawValue: anchor))
    case "R":
      guard let row = JournalRow(&fields) else { return nil }
      self = .row(row)
    case "G":
      guard let inode = fields.number() else { return nil }
      self = .gone(InodeNumber(rawValue: inode))
    case "S":
      guard let sending = Sending(&fields) else { return nil }
      self = .sending(sending)
    case "D":
      guard let inode = fields.number() else { return nil }
      self = .answered(InodeNumber(rawValue: inode))
    default: return nil
    }
  }
}

extension JournalRow {
  fileprivate func write(to bytes: inout [UInt8]) {
    let entry = row.entry
    JournalText.append(
      [
        .tag("R"), .number(entry.inode.rawValue), .number(sequence),
        .number(UInt64(row.pending?.rawValue ?? 0)), .number(isWriting ? 1 : 0),
        .number(entry.parent.rawValue), .bytes(row.name?.bytes ?? []),
        .number(UInt64(bitPattern: entry.kind.stored)), .number(UInt64(bitPattern: entry.size)),
        .time(entry.modified), .time(entry.created), .time(entry.changed),
        .optional(row.permissions.map { [UInt8](String($0).utf8) }), .number(entry.contentSerial),
        .text(row.item.rawValue), .text(row.version.content), .text(row.version.metadata),
        .optional(row.checksum?.sha256), .optional(row.target),
      ], to: &bytes)
  }

  fileprivate init?(_ fields: inout JournalFields) {
    guard let inode = fields.number(), let sequence = fields.number(), let parts = fields.number(),
      let isWriting = fields.number(), let parent = fields.number(),
      let name = fields.bytes().flatMap({ FileName($0) }),
      let kind = fields.number().flatMap({ ItemKind(stored: Int64(bitPattern: $0)) }),
      let size = fields.number(), let modified = fields.time(), let created = fields.time(),
      let changed = fields.time(), let permissions = fields.optional(),
      let serial = fields.number(), let item = fields.text(), let content = fields.text(),
      let metadata = fields.text(), let checksum = fields.optional(),
      let target = fields.optional()
    else { return nil }
    let bits = permissions.flatMap { UInt16(String(decoding: $0, as: UTF8.self)) }
    let pending = PendingParts(rawValue: UInt8(truncatingIfNeeded: parts))
    let entry = Entry(
      inode: InodeNumber(rawValue: inode), parent: InodeNumber(rawValue: parent), kind: kind,
      size: max(0, Int64(bitPattern: size)), modified: modified, created: created, changed: changed,
      permissions: bits ?? kind.defaultPermissions, residency: .dataless, isPopulated: false,
      contentSerial: serial, epoch: 0)
    self.init(
      row: Row(
        entry: entry, name: name, item: ItemIdentifier(rawValue: item),
        version: ItemVersion(content: content, metadata: metadata),
        checksum: checksum.map(Checksum.init(sha256:)), target: target, permissions: bits,
        isHidden: false, pending: pending.isEmpty ? nil : pending),
      sequence: sequence, isWriting: isWriting != 0)
  }
}
