internal import Platform

extension Revision {
  /// Settles which item shows under each name that somebody took or left.
  mutating func settleNames() throws(CatalogError) {
    let contested = contestedPositions()
    guard !contested.isEmpty else { return }
    try loadRivals(at: contested)
    let rivals = rowsByPosition()
    for position in contested {
      guard let indices = rivals[position], let winner = winner(of: indices, at: position) else {
        continue
      }
      for index in indices { show(index, index == winner) }
    }
  }

  /// The positions at which something is different, each once, in the order of the rows.
  private func contestedPositions() -> [Position] {
    var positions: [Position] = []
    var seen: Set<Position> = []
    func add(_ position: Position?) {
      if let position, seen.insert(position).inserted { positions.append(position) }
    }
    for row in touched where isContested(row) {
      add(row.before?.visiblePosition)
      add(row.after?.position)
    }
    return positions
  }

  private func isContested(_ row: Touched) -> Bool {
    guard let before = row.before, let after = row.after else { return true }
    return after.isHidden || before.entry.parent != after.entry.parent || before.name != after.name
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

  private func rowsByPosition() -> [Position: [Int]] {
    var rows: [Position: [Int]] = [:]
    for (index, row) in touched.enumerated() {
      guard let position = row.after?.position else { continue }
      rows[position, default: []].append(index)
    }
    return rows
  }

  /// Who shows: an item that showed here before and of which the cloud has just said that it still does;
  /// then one that has just come, since the former owner must have left; then the former owner; and
  /// among equals, who came first.
  private func winner(of indices: [Int], at position: Position) -> Int? {
    guard indices.count > 1 else { return indices.first }
    return indices.min { left, right in rank(left, at: position) < rank(right, at: position) }
  }

  private func rank(_ index: Int, at position: Position) -> (Int, InodeNumber) {
    let row = touched[index]
    let showedHere = row.before?.visiblePosition == position
    if showedHere { return (row.isStated ? 0 : 2, row.inode) }
    return (row.before?.position == position ? 3 : 1, row.inode)
  }

  private mutating func show(_ index: Int, _ isWinner: Bool) {
    guard var row = touched[index].after, row.isHidden == isWinner else { return }
    if isWinner {
      row.isHidden = false
    } else {
      row.hide { transaction.nextSerial() }
    }
    put(row)
  }
}
