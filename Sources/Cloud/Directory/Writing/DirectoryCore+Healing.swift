internal import Platform

extension DirectoryCore {
  /// Finishes or undoes what a crash interrupted, and removes what it left in the staging folders.
  ///
  /// What fails here keeps its intent, and the next opening tries again.
  func heal() {
    let folders = staging.existing()
    for intent in (try? index.intents()) ?? [] {
      guard let folder = folders.first(where: { $0.place == intent.place }) else {
        // Without the staging folder there is nothing left to decide.
        try? index.removeIntent(intent.staged)
        continue
      }
      try? heal(intent, StagedEntry(intent.staged, in: folder))
    }
    for folder in folders {
      for name in folder.names() where (try? index.hasIntent(name)) == false { folder.remove(name) }
      if folder.place != .index, folder.names().isEmpty { staging.leave() }
    }
  }

  private func heal(_ intent: Intent, _ entry: StagedEntry) throws(CloudError) {
    let item = try index.row(intent.row.id)
    if entry.folder.names().contains(entry.name) {
      try settle(intent, item, entry)
    }
    var looks: [Int64: Look] = [:]
    for row in [item, intent.row].compactMap({ $0 }) where !row.isGone {
      row.name.map { looks[row.parent, default: .names([])].add($0) }
    }
    try look(looks)
    try index.removeIntent(intent.staged)
  }

  /// Decides by what lies in the staging folder how far it had come.
  private func settle(
    _ intent: Intent, _ item: IndexRow?, _ entry: StagedEntry
  ) throws(CloudError) {
    let found = try staged(entry)
    switch intent.sort {
    case .replace:
      // Not yet exchanged, or back already.
      if let found, found.isSame(as: intent.row.status) { return }
      if let item, isMeant(item.status, found, isConditional: intent.isConditional) {
        return try commit(intent)
      }
      try giveBackAfterCrash(intent, entry)
    case .remove:
      if isMeant(intent.row.status, found, isConditional: intent.isConditional) { return }
      try giveBackFreeAfterCrash(intent.row, entry)
    case .move, .moveOver:
      if found?.identity == intent.row.status.identity, let item {
        return try giveBackFreeAfterCrash(item, entry)
      }
      let displaced = try intent.row.name.flatMap { name throws(CloudError) in
        try index.child(name, of: intent.row.parent)
      }
      if let displaced, displaced.status.identity == found?.identity,
        found?.kind != .folder || isEmpty(entry)
      {
        return
      }
      // From where it came out: from the new place only after the item was put there.
      let isExchanged = try isInPlace(intent.row)
      try giveBackFreeAfterCrash(isExchanged ? intent.row : item ?? intent.row, entry)
    }
  }

  private func giveBackAfterCrash(_ intent: Intent, _ entry: StagedEntry) throws(CloudError) {
    guard let name = intent.row.name else { return }
    guard let parent = try? openParent(intent.row) else { return try rescueInRoot(entry, name) }
    _ = try giveBack(entry, fresh: intent.row.status, to: name, in: parent)
  }

  private func giveBackFreeAfterCrash(
    _ row: IndexRow, _ entry: StagedEntry
  ) throws(CloudError) {
    guard let name = row.name else { return }
    guard let parent = try? openParent(row) else { return try rescueInRoot(entry, name) }
    try giveBackFree(entry, to: name, in: parent)
  }

  private func isEmpty(_ entry: StagedEntry) -> Bool { entry.folder.isEmpty(entry.name) }
}
