internal import Cloud
internal import Platform

/// One change of the tree in the making: rows as they were and as they shall be.
///
/// Statements about items are taken in any order and come into effect together, so that nothing in
/// between can clash: two items that exchange their names, a name that is given away before its owner's
/// deletion is told, a folder that moves into its own child. `finish()` settles who shows under which
/// name, writes what is different, and tells it.
///
/// Two items may want one name in one folder: because the cloud has not yet told what became of the
/// first, or because it allows it. Then one of them shows and the other is *hidden*: it keeps its row
/// and inode number, but has no content and no name to the kernel, until the name is free.
struct Revision {
  var transaction: Transaction
  /// Every row that was looked at: as it is in the database (nil: not there), and as it shall be
  /// (nil: gone).
  private(set) var touched: [InodeNumber: Touched] = [:]
  /// The keys of `touched` in the order in which they came, which makes the outcome the same each time.
  private(set) var order: [InodeNumber] = []
  /// Rows that are gone, the deepest before its folder.
  private(set) var removals: [InodeNumber] = []
  /// Folders all of whose children are in `touched`.
  private(set) var loadedFolders: Set<InodeNumber> = []

  private var inodes: [ItemIdentifier: InodeNumber] = [:]
  /// Rows that came into a folder, by folder.
  private var arrivals: [InodeNumber: [InodeNumber]] = [:]

  struct Touched {
    let before: Row?
    var after: Row?
    /// Whether the cloud has said something about the item in this revision.
    var isStated = false
  }

  init(_ transaction: Transaction) { self.transaction = transaction }

  private var connection: Connection { transaction.connection }

  // MARK: Looking

  /// The row of an item as it shall be; nil when it is unknown or gone.
  mutating func row(of item: ItemIdentifier) throws(CatalogError) -> Row? {
    if let inode = inodes[item] { return touched[inode]?.after }
    let connection = connection
    let stored = try connection.first(.rowOfItem) {
      $0.bind(1, item.rawValue)
    } _: { row throws(CatalogError) in
      try Row(row, connection)
    }
    return stored.flatMap { note($0) }
  }

  /// The row of an inode number as it shall be; nil when there is none.
  mutating func row(of inode: InodeNumber) throws(CatalogError) -> Row? {
    if let known = touched[inode] { return known.after }
    let connection = connection
    let stored = try connection.first(.rowOfInode) {
      $0.bind(1, inode)
    } _: { row throws(CatalogError) in
      try Row(row, connection)
    }
    return stored.flatMap { note($0) }
  }

  /// The children of a folder as they shall be.
  mutating func children(of folder: InodeNumber) throws(CatalogError) -> [Row] {
    if !loadedFolders.contains(folder) {
      let stored = try load(.childRows) { $0.bind(1, folder) }
      arrivals[folder, default: []] += stored
      loadedFolders.insert(folder)
    }
    // A row may have come, gone and come again: hence the set.
    var seen: Set<InodeNumber> = []
    return (arrivals[folder] ?? []).compactMap { inode in
      guard let row = touched[inode]?.after, row.name != nil, row.entry.parent == folder,
        seen.insert(inode).inserted
      else { return nil }
      return row
    }
  }

  /// Looks at the rows that a query finds.
  @discardableResult
  mutating func load(
    _ query: Query, _ bind: (Statement) -> Void
  ) throws(CatalogError) -> [InodeNumber] {
    let connection = connection
    var rows: [Row] = []
    try connection.forEach(query, bind) { row throws(CatalogError) in
      rows.append(try Row(row, connection))
      return true
    }
    for row in rows { note(row) }
    return rows.map(\.entry.inode)
  }

  @discardableResult
  private mutating func note(_ stored: Row) -> Row? {
    let inode = stored.entry.inode
    if let known = touched[inode] { return known.after }
    touched[inode] = Touched(before: stored, after: stored)
    order.append(inode)
    inodes[stored.item] = inode
    return stored
  }

  // MARK: Changing

  /// Adds an item that is not known.
  mutating func insert(_ item: Item, in parent: InodeNumber) throws(CatalogError) {
    let inode = try transaction.nextInode()
    let serial = transaction.nextSerial()
    let row = Row(item, inode: inode, parent: parent, serial: serial, now: transaction.now)
    touched[inode] = Touched(before: nil, after: row, isStated: true)
    order.append(inode)
    inodes[item.identifier] = inode
    arrivals[parent, default: []].append(inode)
    loadedFolders.insert(inode)
  }

  /// Brings a known item up to date, and into a folder.
  mutating func update(_ row: Row, with item: Item, in parent: InodeNumber) {
    var row = row
    if row.entry.parent != parent { arrivals[parent, default: []].append(row.entry.inode) }
    row.update(with: item, parent: parent, now: transaction.now) { transaction.nextSerial() }
    put(row)
    touched[row.entry.inode]?.isStated = true
  }

  /// Sets a row that was looked at before.
  mutating func put(_ row: Row) { touched[row.entry.inode]?.after = row }

  /// Removes an item with everything below it.
  mutating func remove(_ inode: InodeNumber) throws(CatalogError) {
    // An explicit stack: a cloud decides how deep its folders are. The second visit comes after the
    // children's.
    var stack = [(inode: inode, childrenDone: false)]
    var entered: Set<InodeNumber> = []
    while let (inode, childrenDone) = stack.popLast() {
      guard let row = try row(of: inode), row.name != nil else { continue }
      if childrenDone || row.entry.kind != .folder {
        touched[inode]?.after = nil
        inodes[row.item] = nil
        removals.append(inode)
        continue
      }
      guard entered.insert(inode).inserted else { continue }
      stack.append((inode, true))
      for child in try children(of: inode) { stack.append((child.entry.inode, false)) }
    }
  }

  /// Whether the way up from a folder ends at the root.
  mutating func reachesRoot(_ inode: InodeNumber) throws(CatalogError) -> Bool {
    var seen: Set<InodeNumber> = []
    var next = inode
    while next != .root {
      guard seen.insert(next).inserted, let row = try row(of: next) else { return false }
      next = row.entry.parent
    }
    return true
  }
}
