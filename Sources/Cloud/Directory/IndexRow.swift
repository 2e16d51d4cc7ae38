internal import Platform

/// One item as the index knows it.
struct IndexRow: Sendable {
  var id: Int64
  var parent: Int64
  var name: FileName?
  var status: EntryStatus
  var isEnumerated = false
  var isGone = false

  static let root: Int64 = 1

  /// The columns that `init` reads and `values` writes, in order.
  static let columns =
    "id, parent, name, kind, device, inode, birth_seconds, birth_nanoseconds, size, seconds, "
    + "nanoseconds, permissions, links, target"
  static let columnCount: Int32 = 14

  init(id: Int64, parent: Int64, name: FileName?, status: EntryStatus) {
    self.id = id
    self.parent = parent
    self.name = name
    self.status = status
  }

  init(_ row: SQLRow, from first: Int32 = 0) {
    id = row.integer(first)
    parent = row.integer(first + 1)
    name = FileName(row.bytes(first + 2))
    status = EntryStatus(
      identity: FileIdentity(
        device: row.integer(first + 4), inode: row.integer(first + 5),
        birth: Timestamp(
          seconds: row.integer(first + 6), nanoseconds: Int32(row.integer(first + 7))),
        kind: Self.kinds[Int(row.integer(first + 3))]),
      size: row.integer(first + 8),
      modified: Timestamp(
        seconds: row.integer(first + 9), nanoseconds: Int32(row.integer(first + 10))),
      permissions: UInt16(row.integer(first + 11)), links: UInt32(row.integer(first + 12)),
      target: row.isNull(first + 13) ? nil : row.bytes(first + 13))
  }

  /// The values of all columns but the identifier.
  var values: [SQLValue] {
    let identity = status.identity
    return [
      .integer(parent), name.map { .blob($0.bytes) } ?? .null,
      .integer(Int64(Self.kinds.firstIndex(of: identity.kind) ?? 0)), .integer(identity.device),
      .integer(identity.inode), .integer(identity.birth.seconds),
      .integer(Int64(identity.birth.nanoseconds)), .integer(status.size),
      .integer(status.modified.seconds), .integer(Int64(status.modified.nanoseconds)),
      .integer(Int64(status.permissions)), .integer(Int64(status.links)),
      status.target.map { .blob($0) } ?? .null,
    ]
  }

  // The order is that of the numbers in the index; do not change it.
  private static let kinds: [ItemKind] = [.file, .folder, .symlink]

  /// Whether what is there now differs from the row in anything that the cloud tells.
  func differs(from now: EntryStatus) -> Bool { status.differs(from: now) }

  /// The item, with identifiers of a generation of the index.
  func item(_ generation: String) -> Item {
    Item(
      identifier: Self.identifier(id, generation), parent: Self.identifier(parent, generation),
      name: name, kind: status.kind, size: status.size, modified: status.modified,
      created: status.identity.hasBirth ? status.identity.birth : status.modified,
      permissions: status.kind == .symlink ? nil : status.permissions,
      version: ItemVersion(content: status.contentVersion, metadata: metadataVersion),
      target: status.target)
  }

  static func identifier(_ id: Int64, _ generation: String) -> ItemIdentifier {
    id == root ? .root : ItemIdentifier(rawValue: "\(generation)-\(id)")
  }

  static func id(of identifier: ItemIdentifier, _ generation: String) -> Int64? {
    if identifier == .root { return root }
    guard identifier.rawValue.hasPrefix("\(generation)-") else { return nil }
    return Int64(identifier.rawValue.dropFirst(generation.utf8.count + 1))
  }

  /// FNV-1a over name, folder, permissions and date (a folder's date does not count).
  private var metadataVersion: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    func mix(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { $0.forEach(mix) } }
    name?.bytes.forEach(mix)
    mix(parent)
    mix(Int64(status.permissions))
    if status.kind != .folder {
      mix(status.modified.seconds)
      mix(Int64(status.modified.nanoseconds))
    }
    return "m" + String(hash, radix: 16)
  }
}
