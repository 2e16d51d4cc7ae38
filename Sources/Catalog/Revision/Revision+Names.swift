internal import Platform

extension Revision {
  /// Settles which item shows under each name that somebody took or left.
  mutating func settleNames() throws(CatalogError) {
    let contested = contestedPositions()
    try loadRivals(at: contested)
    let rivals = rowsByPosition()
    for position in contested {
      guard let inodes = rivals[position], let winner = winner(of: inodes, at: position) else {
        continue
      }
      for inode in inodes { show(inode, inode == winner) }
    }
  }

  /// The positions at which something is different, each once, in the order of the rows.
  private func contestedPositions() -> [Position] {
    var positions: [Position] = []
    var seen: Set<Position> = []
    func add(_ position: Position?) {
      if let position, seen.insert(position).inserted { positions.append(position) }
    }
    for inode in order {
      guard let row = touched[inode] else { continue }
      let isSame = row.before?.position == row.after?.position && row.before != nil
      if isSame, row.after?.isHidden != true { continue }
      add(row.before?.visiblePosition)
      add(row.after?.position)
    }
    return positions
  }

  /// Looks at the rows that this revision does not know yet and that want one of the positions.
  private mutating func loadRivals(at positions: [Position]) throws(CatalogError) {
    for position in positions where !loadedFolders.contains(position.parent) {
      for query in [Query.rowsOfName, .hiddenRowsOfName] {
        try load(query) { statement in
          statement.bind(1, position.parent)
          statement.bind(2, position.name.bytes)
        }
      }
    }
  }

  private func rowsByPosition() -> [Position: [InodeNumber]] {
    var rows: [Position: [InodeNumber]] = [:]
    for inode in order {
      guard let position = touched[inode]?.after?.position else { continue }
      rows[position, default: []].append(inode)
    }
    return rows
  }

  /// Who shows: an item that showed here before and of which the cloud has just said that it still does;
  /// then one that has just come, since the former owner must have left; then the former owner; and
  /// among equals, who came first.
  private func winner(of inodes: [InodeNumber], at position: Position) -> InodeNumber? {
    inodes.min { left, right in rank(left, at: position) < rank(right, at: position) }
  }

  private func rank(_ inode: InodeNumber, at position: Position) -> (Int, InodeNumber) {
    guard let row = touched[inode] else { return (3, inode) }
    let showedHere = row.before?.visiblePosition == position
    if showedHere { return (row.isStated ? 0 : 2, inode) }
    return (row.before?.position == position ? 3 : 1, inode)
  }

  private mutating func show(_ inode: InodeNumber, _ isWinner: Bool) {
    guard var row = touched[inode]?.after, row.isHidden == isWinner else { return }
    if isWinner {
      row.isHidden = false
    } else {
      row.hide { transaction.nextSerial() }
    }
    put(row)
  }
}
