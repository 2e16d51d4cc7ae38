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
///
/// What the device has changed and the cloud does not have yet is stronger than what the cloud says:
/// `place` and `remove` leave an item alone of which something is pending.
struct Revision {
  var transaction: Transaction
  /// Every row that was looked at, in the order in which they came.
  private(set) var touched: [Touched] = []
  /// Rows that are gone, as indices, the deepest before its folder.
  private(set) var removals: [Int] = []
  /// Folders all of whose children are in `touched`.
  private(set) var loadedFolders: Set<InodeNumber> = []

  private var indexOfInode: [InodeNumber: Int] = [:]
  private var indexOfItem: [ItemIdentifier: Int] = [:]
  /// Identifiers that a row has in the database and gives up.
  private var released: Set<ItemIdentifier> = []
  /// Rows that came into a folder, by folder.
  private var arrivals: [InodeNumber: [Int]] = [:]

  struct Touched {
    let inode: InodeNumber
    /// As it is in the database; nil when it is not there.
    let before: Row?
    /// As it shall be; nil when it goes.
    var after: Row?
    /// Whether the cloud has said something about the item in this revision.
    var isStated = false
  }

  init(_ transaction: Transaction) { self.transaction = transaction }

  private var connection: Connection { transaction.connection }

  /// Makes room for so many rows more.
  mutating func reserve(_ count: Int) {
    touched.reserveCapacity(touched.count + count)
    indexOfInode.reserveCapacity(indexOfInode.count + count)
    indexOfItem.reserveCapacity(indexOfItem.count + count)
  }

  // MARK: Looking

  /// The row of an item as it shall be; nil when it is unknown or gone.
  mutating func row(of item: ItemIdentifier) throws(CatalogError) -> Row? {
    if let index = indexOfItem[item] { return touched[index].after }
    if released.contains(item) { return nil }
    let connection = connection
    let stored = try connection.first(.rowOfItem) {
      $0.bind(1, item.rawValue)
    } _: { row throws(CatalogError) in
      try Row(row, connection)
    }
    guard let stored else { return nil }
    return touched[note(stored)].after
  }

  /// The row of an inode number as it shall be; nil when there is none.
  mutating func row(of inode: InodeNumber) throws(CatalogError) -> Row? {
    if let index = indexOfInode[inode] { return touched[index].after }
    let connection = connection
    let stored = try connection.first(.rowOfInode) {
      $0.bind(1, inode)
    } _: { row throws(CatalogError) in
      try Row(row, connection)
    }
    guard let stored else { return nil }
    return touched[note(stored)].after
  }

  /// The children of a folder as they shall be, as indices.
  mutating func children(of folder: InodeNumber) throws(CatalogError) -> [Int] {
    if loadedFolders.insert(folder).inserted {
      let stored = try load(.childRows) { $0.bind(1, folder) }
      arrivals[folder, default: []] += stored
    }
    // A row may have come, gone and come again: hence the set.
    var seen: Set<Int> = []
    return (arrivals[folder] ?? []).filter { index in
      guard let row = touched[index].after, row.name != nil, row.entry.parent == folder else {
        return false
      }
      return seen.insert(index).inserted
    }
  }

  /// Looks at the rows that a query finds, and returns their indices.
  @discardableResult
  mutating func load(
    _ query: Query, _ bind: (Statement) -> Void
  ) throws(CatalogError) -> [Int] {
    let connection = connection
    var rows: [Row] = []
    try connection.forEach(query, bind) { row throws(CatalogError) in
      rows.append(try Row(row, connection))
      return true
    }
    return rows.map { note($0) }
  }

  private mutating func note(_ stored: Row) -> Int {
    if let index = indexOfInode[stored.entry.inode] { return index }
    return append(Touched(inode: stored.entry.inode, before: stored, after: stored), stored.item)
  }

  private mutating func append(_ row: Touched, _ item: ItemIdentifier) -> Int {
    touched.append(row)
    indexOfInode[row.inode] = touched.count - 1
    indexOfItem[item] = touched.count - 1
    return touched.count - 1
  }

  // MARK: Changing

  /// Adds an item that is not known.
  mutating func insert(_ item: Item, in parent: InodeNumber) throws(CatalogError) {
    let inode = try transaction.nextInode()
    let serial = transaction.nextSerial()
    let row = Row(item, inode: inode, parent: parent, serial: serial, now: transaction.now)
    let index = append(
      Touched(inode: inode, before: nil, after: row, isStated: true), item.identifier)
    arrivals[parent, default: []].append(index)
    loadedFolders.insert(inode)
  }

  /// Brings a known item up to date, and into a folder.
  mutating func update(_ row: Row, with item: Item, in parent: InodeNumber) {
    guard let index = indexOfInode[row.entry.inode] else { return }
    if row.entry.parent != parent { arrivals[parent, default: []].append(index) }
    var row = row
    row.update(with: item, parent: parent, now: transaction.now) { transaction.nextSerial() }
    touched[index].after = row
    touched[index].isStated = true
  }

  /// Sets a row that was looked at before.
  mutating func put(_ row: Row) {
    guard let index = indexOfInode[row.entry.inode] else { return }
    touched[index].after = row
  }

  /// Sets a row that was looked at before and that may be in another folder now.
  mutating func move(_ row: Row) {
    guard let index = indexOfInode[row.inode] else { return }
    arrivals[row.entry.parent, default: []].append(index)
    touched[index].after = row
  }

  /// Gives a row that was looked at before another identifier.
  mutating func rename(_ row: inout Row, to item: ItemIdentifier) {
    guard let index = indexOfInode[row.entry.inode], row.item != item else { return }
    indexOfItem[row.item] = nil
    released.insert(row.item)
    indexOfItem[item] = index
    row.item = item
    touched[index].after = row
  }

  /// Removes an item with everything below it, except what is pending, and the folders that lead there:
  /// the cloud has those no more, so they become new ones.
  mutating func remove(_ inode: InodeNumber) throws(CatalogError) {
    // An explicit stack: a cloud decides how deep its folders are. The second visit comes after the
    // children's.
    guard try row(of: inode) != nil, let start = indexOfInode[inode] else { return }
    var stack = [(index: start, childrenDone: false)]
    var entered: Set<Int> = []
    var needed: Set<InodeNumber> = []
    while let (index, childrenDone) = stack.popLast() {
      guard let row = touched[index].after, row.name != nil else { continue }
      if childrenDone || row.entry.kind != .folder {
        let isNeeded = needed.contains(row.inode)
        if row.pending == nil, !isNeeded {
          touched[index].after = nil
          removals.append(index)
          continue
        }
        needed.insert(row.entry.parent)
        if row.pending == nil { becomeNew(row) }
        continue
      }
      guard entered.insert(index).inserted else { continue }
      stack.append((index, true))
      for child in try children(of: row.inode) { stack.append((child, false)) }
    }
  }

  /// Makes an item one that the cloud does not have.
  mutating func becomeNew(_ row: Row) {
    var row = row
    rename(&row, to: .local(row.inode))
    row.version = .none
    row.checksum = nil
    row.pending = .everything(of: row.entry.kind)
    put(row)
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

  /// Whether anything at all is pending.
  func hasPending() throws(CatalogError) -> Bool {
    try connection.holds(.hasPending) { _ in }
  }

  /// Whether the device has removed an item that the cloud still has.
  func isDeletionPending(of item: ItemIdentifier) throws(CatalogError) -> Bool {
    try connection.holds(.hasDeletion) { $0.bind(1, item.rawValue) }
  }
}
