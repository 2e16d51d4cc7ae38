internal import Cloud
internal import Platform

extension Revision {
  /// Settles the names, writes what is different, and tells it.
  mutating func finish() throws(CatalogError) -> [CatalogChange] {
    try removeCircles()
    try settleNames()
    try clearTheWay()
    try writeRows()
    return changes()
  }

  // A feed can tell that A is in B before it tells that B left A. Nobody can reach either until then,
  // so both go; what remains of them in the cloud is found when their folder is enumerated.
  private mutating func removeCircles() throws(CatalogError) {
    for inode in order {
      guard let row = touched[inode], let after = row.after, after.entry.kind == .folder,
        after.entry.parent != row.before?.entry.parent, row.before != nil
      else { continue }
      if try !reachesRoot(inode) { try remove(inode) }
    }
  }

  /// Deletes rows and gives up names, so that no row that is written next finds its name taken.
  private func clearTheWay() throws(CatalogError) {
    let connection = transaction.connection
    for inode in order {
      guard let row = touched[inode], let before = row.before, before != row.after else { continue }
      if before.entry.residency == .partial, row.after?.entry.residency != .partial {
        try connection.run(.deleteRanges) { $0.bind(1, inode) }
      }
      if row.after == nil {
        try connection.run(.delete) { $0.bind(1, inode) }
      } else if before.visiblePosition != row.after?.visiblePosition {
        try connection.run(.hide) { $0.bind(1, inode) }
      }
    }
  }

  private func writeRows() throws(CatalogError) {
    for inode in order {
      guard let row = touched[inode], let after = row.after, after != row.before else { continue }
      try transaction.connection.run(row.before == nil ? .insert : .update) { after.bind(to: $0) }
    }
  }

  /// The net effect: removals, then changes, then additions.
  private func changes() -> [CatalogChange] {
    var gone = removals.compactMap { removal(of: touched[$0]?.before) }
    var changes: [CatalogChange] = []
    var additions: [CatalogChange] = []
    for inode in order {
      guard let row = touched[inode], let after = row.after else { continue }
      let old = row.before?.visiblePosition
      switch (old, after.visiblePosition) {
      case (nil, let new?):
        additions.append(.added(inode, parent: new.parent, name: new.name))
      case (.some, nil):
        if let removal = removal(of: row.before) { gone.append(removal) }
      case (let old, let new):
        guard let before = row.before else { continue }
        changes += differences(before.entry, after.entry, old, new)
      }
    }
    return gone + changes + additions
  }

  private func removal(of row: Row?) -> CatalogChange? {
    guard let row, let position = row.visiblePosition else { return nil }
    return .removed(row.entry, name: position.name)
  }

  private func differences(
    _ before: Entry, _ after: Entry, _ old: Position?, _ new: Position?
  ) -> [CatalogChange] {
    // The root has no position, and never shows content.
    guard let old, let new else { return [] }
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

extension Entry {
  /// Whether `stat` differs. That the children of a folder became known is no change of the folder.
  fileprivate func isShownOtherwise(than other: Entry) -> Bool {
    var before = self
    before.isPopulated = other.isPopulated
    if kind == .folder { before.residency = other.residency }
    return before != other
  }
}
