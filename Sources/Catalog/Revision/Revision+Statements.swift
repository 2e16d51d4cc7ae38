internal import Cloud
internal import Platform

extension Revision {
  /// See `Catalog.populate`.
  mutating func populate(_ folder: InodeNumber, with items: [Item]) throws(CatalogError) {
    guard var row = try row(of: folder) else { return }
    guard row.entry.kind == .folder else {
      throw CatalogError(.misuse, "item \(folder) is no folder, so it has no children to populate")
    }
    reserve(items.count)
    let before = try children(of: folder)
    let listed = Set(items.map(\.identifier))
    for item in items where item.name != nil { try place(item, in: folder) }
    for index in before {
      let child = touched[index]
      if let item = child.before?.item, !listed.contains(item) { try remove(child.inode) }
    }
    guard !row.entry.isPopulated else { return }
    row.entry.isPopulated = true
    row.entry.residency = .materialized
    put(row)
  }

  /// See `Catalog.apply`.
  mutating func apply(_ statements: Statements) throws(CatalogError) {
    let homeless = try placeAll(statements)
    for identifier in statements.returned { try empty(identifier, keeping: statements) }
    for identifier in statements.order {
      guard case .gone = statements.last[identifier] else { continue }
      try transaction.connection.run(.deleteDeletion) { $0.bind(1, identifier.rawValue) }
      if let row = try row(of: identifier) { try remove(row.entry.inode) }
    }
    for inode in homeless { try remove(inode) }
  }

  /// Puts every present item where it belongs, and returns known ones that belong nowhere.
  private mutating func placeAll(_ statements: Statements) throws(CatalogError) -> [InodeNumber] {
    var waiting: [ItemIdentifier: [Item]] = [:]
    for identifier in statements.order {
      guard case .present(let item) = statements.last[identifier] else { continue }
      var ready = [item]
      while let item = ready.popLast() {
        if try placeIfPossible(item) {
          ready += waiting.removeValue(forKey: item.identifier) ?? []
        } else {
          waiting[item.parent, default: []].append(item)
        }
      }
    }
    let left = Set(waiting.values.joined().map(\.identifier))
    var homeless: [InodeNumber] = []
    for identifier in statements.order where left.contains(identifier) {
      if let row = try row(of: identifier) { homeless.append(row.entry.inode) }
    }
    return homeless
  }

  /// Returns false when the item's folder is not known, or not known yet.
  private mutating func placeIfPossible(_ item: Item) throws(CatalogError) -> Bool {
    if item.identifier == .root {
      if let root = try row(of: InodeNumber.root), root.pending == nil {
        update(root, with: item, in: .root)
      }
      return true
    }
    // Without a name it can be nowhere; what is known of it stays.
    guard item.name != nil else { return true }
    let known = try row(of: item.identifier)
    // Where the device has put it, it stays.
    if known?.pending != nil { return true }
    guard let parent = try row(of: item.parent), parent.entry.kind == .folder else { return false }
    guard known != nil || parent.entry.isPopulated else { return false }
    try place(item, in: parent.entry.inode)
    return true
  }

  /// Adds an item or brings it up to date, unless the device has changed or removed it.
  private mutating func place(_ item: Item, in folder: InodeNumber) throws(CatalogError) {
    guard let row = try row(of: item.identifier) else {
      guard try !isDeletionPending(of: item.identifier) else { return }
      return try insert(item, in: folder)
    }
    guard row.pending == nil else { return }
    guard row.entry.kind != item.kind else { return update(row, with: item, in: folder) }
    // An inode number never changes its type: programs and the kernel rely on that.
    guard row.name != nil else { return }
    try remove(row.entry.inode)
    try insert(item, in: folder)
  }

  /// Forgets the children of a folder that went and came back, except those that were stated.
  private mutating func empty(
    _ identifier: ItemIdentifier, keeping statements: Statements
  ) throws(CatalogError) {
    guard var row = try row(of: identifier), row.entry.kind == .folder else { return }
    for index in try children(of: row.entry.inode) {
      let child = touched[index]
      if let item = child.after?.item, statements.last[item] == nil { try remove(child.inode) }
    }
    row.entry.isPopulated = false
    row.entry.residency = .dataless
    put(row)
  }
}
