internal import Platform

extension Revision {
  /// Settles which item shows under each name that somebody took or left.
  mutating func settleNames() throws(CatalogError) {
    var contest = Contest()
    for (index, row) in touched.enumerated() where isContested(row) {
      if let left = row.before?.visiblePosition { contest.open(left) }
      if let taken = row.after?.position { contest.enter(index, at: taken) }
    }
    guard !contest.positions.isEmpty else { return }
    let entered = touched.count
    try loadRivals(at: contest.positions)
    for (index, row) in touched.enumerated() where index >= entered || !isContested(row) {
      if let position = row.after?.position { contest.enterIfOpen(index, at: position) }
    }
    for (slot, position) in contest.positions.enumerated() {
      guard let first = contest.first[slot] else { continue }
      guard let others = contest.others[slot] else {
        show(first, true)
        continue
      }
      let winner = winner(of: [first] + others, at: position)
      for index in [first] + others { show(index, index == winner) }
    }
    try nameTheLosers(entered)
  }

  /// What is pending must be reachable, or it would stay so for ever: a hidden folder that has become a
  /// new one takes another name when the item that shows is pending as well.
  private mutating func nameTheLosers(_ count: Int) throws(CatalogError) {
    for index in 0..<count {
      guard var row = touched[index].after, row.isHidden, row.pending != nil, let name = row.name
      else { continue }
      row.name = try freeName(like: name, in: row.entry.parent)
      row.isHidden = false
      put(row)
    }
  }

  private mutating func freeName(
    like name: FileName, in parent: InodeNumber
  ) throws(CatalogError) -> FileName {
    var number = 1
    while true {
      number += 1
      let suffix = Array(" (\(number))".utf8)
      let start = name.bytes.prefix(FileName.maximumLength - suffix.count)
      guard let candidate = FileName(start + suffix) else { return name }
      let position = Position(parent: parent, name: candidate)
      try loadRivals(at: [position])
      if !touched.contains(where: { $0.after?.position == position }) { return candidate }
    }
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

  /// Who shows: an item of which something is pending; then one that showed here before and of which the cloud has just said that it still does;
  /// then one that has just come, since the former owner must have left; then the former owner; and
  /// among equals, who came first.
  private func winner(of indices: [Int], at position: Position) -> Int? {
    indices.min { left, right in rank(left, at: position) < rank(right, at: position) }
  }

  private func rank(_ index: Int, at position: Position) -> (Int, InodeNumber) {
    let row = touched[index]
    let showedHere = row.before?.visiblePosition == position
    if row.after?.pending != nil { return (showedHere ? -2 : -1, row.inode) }
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

/// The positions at which something is different, and the rows that want each.
///
/// Nearly every position has one row at most, so that one is kept without an array.
private struct Contest {
  private(set) var positions: [Position] = []
  private(set) var first: [Int?] = []
  private(set) var others: [Int: [Int]] = [:]
  private var slots: [Position: Int] = [:]

  @discardableResult
  mutating func open(_ position: Position) -> Int {
    let next = positions.count
    let slot = { (known: inout Int) in known }(&slots[position, default: next])
    if slot == next {
      positions.append(position)
      first.append(nil)
    }
    return slot
  }

  mutating func enter(_ index: Int, at position: Position) { add(index, open(position)) }

  mutating func enterIfOpen(_ index: Int, at position: Position) {
    if let slot = slots[position] { add(index, slot) }
  }

  private mutating func add(_ index: Int, _ slot: Int) {
    if first[slot] == nil {
      first[slot] = index
    } else {
      others[slot, default: []].append(index)
    }
  }
}
