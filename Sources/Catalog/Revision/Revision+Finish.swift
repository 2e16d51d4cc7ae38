internal import Cloud
internal import Platform

extension Revision {
  /// Settles the names, writes what is different, and tells it.
  mutating func finish() throws(CatalogError) -> [CatalogChange] {
    try removeCircles()
    try settleNames()
    advanceEpochs()
    try clearTheWay()
    try writeRows()
    return changes()
  }

  // A feed can tell that A is in B before it tells that B left A. Nobody can reach either until then,
  // so both go; what remains of them in the cloud is found when their folder is enumerated.
  private mutating func removeCircles() throws(CatalogError) {
    for row in touched {
      guard let before = row.before, let after = row.after, after.entry.kind == .folder,
        after.entry.parent != before.entry.parent
      else { continue }
      guard try !reachesRoot(row.inode) else { continue }
      guard try !hasPending() else { return try undoCircles() }
      try remove(row.inode)
    }
  }

  // The device may have moved B into A while the cloud moved A into B, and what is pending in them must
  // not be lost: the cloud's moves that make circles are not followed. Each pass takes at least one
  // back, and when all are, the tree is what it was.
  private mutating func undoCircles() throws(CatalogError) {
    var isDone = false
    while !isDone {
      isDone = true
      for row in touched {
        guard let before = row.before, var after = row.after, after.entry.kind == .folder,
          after.entry.parent != before.entry.parent, try !reachesRoot(row.inode)
        else { continue }
        let canReturn = try self.row(of: before.entry.parent) != nil
        after.entry.parent = canReturn ? before.entry.parent : .root
        if canReturn { after.name = before.name }
        move(after)
        isDone = false
      }
    }
  }

  /// A version that the kernel may know is never changed in place: the new one gets a node of its own. So
  /// does an item that shows again, since the kernel may still know the node that went.
  private mutating func advanceEpochs() {
    for row in touched {
      guard let before = row.before, var after = row.after else { continue }
      let isOther = before.entry.contentSerial != after.entry.contentSerial
      let isBack = before.visiblePosition == nil && after.visiblePosition != nil
      guard isOther || isBack, after.entry.kind != .folder || isBack, before.name != nil else {
        continue
      }
      after.entry.epoch = before.entry.epoch &+ 1
      put(after)
    }
  }

  /// Deletes rows and gives up names, so that no row that is written next finds its name taken.
  private func clearTheWay() throws(CatalogError) {
    let connection = transaction.connection
    for row in touched {
      guard let before = row.before else { continue }
      if before.entry.residency == .partial, row.after?.entry.residency != .partial {
        try connection.run(.deleteRanges) { $0.bind(1, row.inode) }
      }
      if row.after == nil {
        try connection.run(.delete) { $0.bind(1, row.inode) }
      } else if before.visiblePosition != row.after?.visiblePosition {
        try connection.run(.hide) { $0.bind(1, row.inode) }
      }
      // An identifier that is given up may be another row's now.
      if let after = row.after, after.item != before.item {
        try connection.run(.setItem) { statement in
          statement.bind(1, row.inode)
          statement.bind(2, ItemIdentifier.local(row.inode).rawValue)
        }
      }
    }
  }

  private mutating func writeRows() throws(CatalogError) {
    let connection = transaction.connection
    for row in touched {
      if row.concernsJournal { transaction.changes.touch(row.inode) }
      guard let after = row.after else { continue }
      guard let before = row.before else {
        try connection.run(.insert) { after.bind(to: $0) }
        continue
      }
      guard before != after else { continue }
      try write(before, after, connection)
      if before.pending != after.pending { try writePending(before, after) }
    }
  }

  private mutating func writePending(_ before: Row, _ after: Row) throws(CatalogError) {
    let connection = transaction.connection
    guard let parts = after.pending else {
      return try connection.run(.deletePending) { $0.bind(1, after.inode) }
    }
    guard before.pending != nil else {
      return try transaction.replacePending(of: after.inode, with: parts)
    }
    try connection.run(.setParts) { statement in
      statement.bind(1, after.inode)
      statement.bind(2, Int64(parts.rawValue))
    }
  }

  private func write(
    _ before: Row, _ after: Row, _ connection: Connection
  ) throws(CatalogError) {
    try connection.run(.update) { after.bindFacts(to: $0) }
    if before.item != after.item {
      try connection.run(.setItem) { statement in
        statement.bind(1, after.inode)
        statement.bind(2, after.item.rawValue)
      }
    }
    // When only the visible position differs, the row was hidden a moment ago.
    if before.position != after.position || before.isHidden != after.isHidden {
      try connection.run(.place) { statement in
        statement.bind(1, after.entry.inode)
        statement.bind(2, after.entry.parent)
        statement.bind(3, after.name?.bytes)
        statement.bind(4, after.isHidden)
      }
    }
    if after.entry.kind == .file, before.entry.residency != after.entry.residency {
      try connection.run(.setContent) { statement in
        statement.bind(1, after.entry.inode)
        statement.bind(2, Int64(after.entry.residency.rawValue))
      }
    }
  }

  /// The net effect: removals, then changes, then additions.
  private func changes() -> [CatalogChange] {
    var gone = removals.compactMap { removal(of: touched[$0].before) }
    var changes: [CatalogChange] = []
    var additions: [CatalogChange] = []
    for row in touched {
      guard let after = row.after else { continue }
      guard let before = row.before, before != after else {
        guard row.before == nil, let new = after.visiblePosition else { continue }
        additions.append(.added(row.inode, parent: new.parent, name: new.name))
        continue
      }
      switch (before.visiblePosition, after.visiblePosition) {
      case (nil, let new?):
        additions.append(.added(row.inode, parent: new.parent, name: new.name))
      case (.some, nil):
        if let removal = removal(of: before) { gone.append(removal) }
      case (let old?, let new?):
        changes += differences(before.entry, after.entry, old, new)
      case (nil, nil): break  // The root, or hidden as before.
      }
    }
    return gone + changes + additions
  }

  private func removal(of row: Row?) -> CatalogChange? {
    guard let row, let position = row.visiblePosition else { return nil }
    return .removed(row.entry, name: position.name)
  }

  private func differences(
    _ before: Entry, _ after: Entry, _ old: Position, _ new: Position
  ) -> [CatalogChange] {
    var changes: [CatalogChange] = []
    if old != new {
      changes.append(.moved(old: before, oldName: old.name, new: after, newName: new.name))
    }
    if before.contentSerial != after.contentSerial {
      changes.append(.contentChanged(old: before, new: after, name: new.name))
    } else if old == new, before.isShownOtherwise(than: after) {
      changes.append(.metadataChanged(old: before, new: after, name: new.name))
    }
    return changes
  }
}

extension Revision.Touched {
  /// Whether the journal may have to tell something else of it than before.
  fileprivate var concernsJournal: Bool {
    guard let before, before != after else { return false }
    return before.pending != nil || after?.pending != nil || before.entry.kind == .folder
  }
}

extension Entry {
  /// Whether `stat` differs. That the children of a folder became known is no change of the folder.
  fileprivate func isShownOtherwise(than other: Entry) -> Bool {
    var before = self
    before.isPopulated = other.isPopulated
    if kind == .folder { before.residency = other.residency }
    return before != other
  }
}
