internal import Cloud
internal import Platform

/// What a transaction has touched that the journal may have to tell.
struct JournalChanges: Sendable {
  /// Items of which something is or was pending, or that are folders.
  private(set) var items: [InodeNumber] = []
  /// Items of which something was sent to the cloud, or the answer has come.
  private(set) var sendings: [InodeNumber] = []
  /// The cloud's changes are known up to here now.
  var anchor: SyncAnchor?

  var isEmpty: Bool { items.isEmpty && sendings.isEmpty && anchor == nil }

  mutating func touchSending(of inode: InodeNumber) { sendings.append(inode) }

  /// Each item once, in the order in which they were touched last: a folder is there before what was made
  /// in it later.
  var distinctItems: [InodeNumber] {
    guard items.count > 8 else { return items }
    var seen: Set<InodeNumber> = []
    return items.reversed().filter { seen.insert($0).inserted }.reversed()
  }

  /// Adds what a later change has touched.
  mutating func add(_ other: JournalChanges) {
    items += other.items
    sendings += other.sendings
    anchor = other.anchor ?? anchor
  }

  /// Nearly every transaction touches one or two items.
  mutating func touch(_ inode: InodeNumber) {
    if items.count < 8, items.contains(inode) { return }
    items.append(inode)
  }
}

extension Connection {
  func journalRow(of inode: InodeNumber) throws(CatalogError) -> JournalRow? {
    guard inode != .root else { return nil }
    return try first(.journalRow) {
      $0.bind(1, inode)
    } _: { row throws(CatalogError) in
      JournalRow(
        row: try Row(row, self), sequence: row.unsigned(23), isWriting: row.integer(24) != 0)
    }
  }

  func pendingInodes() throws(CatalogError) -> [InodeNumber] {
    var inodes: [InodeNumber] = []
    try forEach(.pendingInodes) { _ in
    } _: { row throws(CatalogError) in
      inodes.append(row.inode(0))
      return true
    }
    return inodes
  }

  func anchor() throws(CatalogError) -> SyncAnchor? {
    try first(.state) {
      $0.bind(1, Transaction.anchorKey)
    } _: {
      SyncAnchor(rawValue: $0.text(0))
    }
  }
}
