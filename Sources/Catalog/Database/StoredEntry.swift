internal import Cloud
internal import Platform

extension ItemKind {
  /// How the database spells it.
  var stored: Int64 {
    switch self {
    case .file: 0
    case .folder: 1
    case .symlink: 2
    }
  }

  /// Reads the database's spelling; nil when it is none.
  init?(stored: Int64) {
    switch stored {
    case 0: self = .file
    case 1: self = .folder
    case 2: self = .symlink
    default: return nil
    }
  }

  /// The permission bits of an item whose cloud keeps none.
  var defaultPermissions: UInt16 {
    switch self {
    case .file: 0o644
    case .folder: 0o755
    case .symlink: 0o777
    }
  }
}

extension Entry {
  /// Reads the columns of an entry, which are the first of a row.
  @inline(__always)
  init(_ row: Statement, _ connection: Connection) throws(CatalogError) {
    let inode = row.inode(0)
    guard let kind = ItemKind(stored: row.integer(2)),
      let residency = Residency(rawValue: UInt8(truncatingIfNeeded: row.integer(11)))
    else { throw .corrupt(connection.path, "item \(inode) has no kind or residency") }
    let parent = row.unsigned(1)
    let isPopulated = row.integer(12) != 0
    let permissions =
      row.isNull(10) ? kind.defaultPermissions : UInt16(truncatingIfNeeded: row.integer(10))
    self.init(
      inode: inode, parent: parent == 0 ? .root : InodeNumber(rawValue: parent), kind: kind,
      size: row.integer(3), modified: row.timestamp(4), created: row.timestamp(6),
      changed: row.timestamp(8), permissions: permissions,
      residency: kind == .file ? residency : Self.residency(of: kind, isPopulated: isPopulated),
      isPopulated: isPopulated, contentSerial: row.unsigned(13),
      epoch: UInt16(truncatingIfNeeded: row.integer(14)))
  }

  /// What is shown of an item that has no content of its own.
  static func residency(of kind: ItemKind, isPopulated: Bool) -> Residency {
    switch kind {
    case .file: .dataless
    case .folder: isPopulated ? .materialized : .dataless
    case .symlink: .materialized
    }
  }
}

/// Everything that the database holds of one item.
struct Row: Hashable, Sendable {
  var entry: Entry
  /// Nil only for the root.
  var name: FileName?
  var item: ItemIdentifier
  var version: ItemVersion
  var checksum: Checksum?
  var target: [UInt8]?
  /// What the cloud or a program on the device has set; nil when neither has.
  var permissions: UInt16?
  /// Whether another item shows under the same name of the same folder.
  var isHidden: Bool
  /// What of it is not in the cloud yet; nil when everything is.
  var pending: PendingParts?

  var inode: InodeNumber { entry.inode }
  /// Where the item lies; nil for the root.
  var position: Position? { name.map { Position(parent: entry.parent, name: $0) } }
  /// Where it shows; nil for the root and when it is hidden.
  var visiblePosition: Position? { isHidden ? nil : position }
}

/// A name in a folder.
struct Position: Hashable, Sendable {
  let parent: InodeNumber
  let name: FileName

  // All bytes at once: much faster than the default, which takes them one by one.
  func hash(into hasher: inout Hasher) {
    hasher.combine(parent)
    name.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension Row {
  /// Reads the columns of a row.
  init(_ row: Statement, _ connection: Connection) throws(CatalogError) {
    entry = try Entry(row, connection)
    name = row.isNull(15) ? nil : FileName(row.bytes(15))
    item = ItemIdentifier(rawValue: row.text(16))
    version = ItemVersion(content: row.text(17), metadata: row.text(18))
    checksum = row.blob(19).map(Checksum.init(sha256:))
    target = row.blob(20)
    permissions = row.isNull(10) ? nil : entry.permissions
    isHidden = row.integer(21) != 0
    pending = row.isNull(22) ? nil : PendingParts(stored: row.integer(22))
  }

  /// Binds the columns of a whole row.
  func bind(to statement: Statement) {
    bindFacts(to: statement)
    statement.bind(2, name == nil ? 0 : entry.parent.rawValue)
    statement.bind(3, entry.kind.stored)
    statement.bind(12, entry.kind == .file ? Int64(entry.residency.rawValue) : 0)
    statement.bind(16, name?.bytes)
    statement.bind(17, item.rawValue)
    statement.bind(22, isHidden)
  }

  /// Binds the columns of which there is no index.
  func bindFacts(to statement: Statement) {
    statement.bind(1, entry.inode)
    statement.bind(4, entry.size)
    statement.bind(5, entry.modified, nanoseconds: 6)
    statement.bind(7, entry.created, nanoseconds: 8)
    statement.bind(9, entry.changed, nanoseconds: 10)
    if let permissions {
      statement.bind(11, Int64(permissions))
    } else {
      statement.bindNull(11)
    }
    statement.bind(13, entry.isPopulated)
    statement.bind(14, entry.contentSerial)
    statement.bind(15, Int64(entry.epoch))
    statement.bind(18, version.content)
    statement.bind(19, version.metadata)
    statement.bind(20, checksum?.sha256)
    statement.bind(21, target)
  }
}
