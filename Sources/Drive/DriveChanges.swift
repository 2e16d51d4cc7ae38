import Catalog
import Cloud
import Platform
import Profiles

/// Brings the nodes and the kernel up to date after rows of the catalog have changed.
extension Drive {
  /// Changes the catalog's tree, and then what the kernel knows of it.
  ///
  /// - Returns: how many changes there were.
  @discardableResult
  func revise(
    populated folder: InodeNumber? = nil, _ change: () throws(CatalogError) -> [CatalogChange]
  ) throws(CloudError) -> Int {
    let changes = try revision.withLock { _ throws(CloudError) in
      let changes: [CatalogChange]
      do throws(CatalogError) {
        changes = try change()
      } catch {
        throw CloudError(error)
      }
      show(changes, populated: folder)
      return changes
    }
    tellKernel { [self] caches in
      for change in changes { tell(change, caches) }
      if let folder { caches.invalidate(NodeID(inode: folder)) }
    }
    for change in changes { followUp(change) }
    return changes.count
  }

  /// Brings the nodes up to date. What was read from the catalog before and is not in the table yet
  /// comes too late, at every step.
  private func show(_ changes: [CatalogChange], populated folder: InodeNumber?) {
    noteNames(of: changes, populated: folder)
    let unused: [ContentKey] = table.withLock { table in
      table.rowsChanged()
      var unused: [ContentKey] = []
      for change in changes { unused += Self.apply(change, &table) }
      if let folder {
        table.update(NodeID(inode: folder)) { $0.entry.isPopulated = true }
      }
      return unused
    }
    for key in unused { materializer.content.remove(key) }
  }

  private static func apply(
    _ change: CatalogChange, _ table: inout NodeTable
  ) -> [ContentKey] {
    switch change {
    case .added: return []
    case .contentChanged(let old, let new, _):
      let id = old.node
      let isReplaced = new.epoch != old.epoch
      var isUnused = true
      table.update(id) { node in
        if isReplaced { isUnused = node.retire() } else { node.entry = new }
      }
      return isUnused ? [ContentKey(old)] : []
    case .metadataChanged(let old, let new, _), .moved(let old, _, let new, _):
      // What has new content as well gets a new node; the old one stays as it was for its handles.
      guard new.epoch == old.epoch else { return [] }
      table.update(new.node) { $0.entry = new }
      return []
    case .removed(let old, _):
      let id = old.node
      var isUnused = true
      table.update(id) { node in
        node.isRemoved = true
        isUnused = node.retire()
      }
      return isUnused ? [ContentKey(old)] : []
    }
  }

  private func tell(_ change: CatalogChange, _ caches: any KernelCaches) {
    switch change {
    case .added(_, let parent, let name):
      caches.expire(name, in: NodeID(inode: parent))
      caches.invalidate(NodeID(inode: parent))
    case .contentChanged(let old, _, let name):
      // Nobody has it open: the kernel may forget the node, and the old content goes with it.
      let isOpen = isOpen(old.node)
      let folder = NodeID(inode: old.parent)
      if isOpen { caches.expire(name, in: folder) } else { caches.remove(name, in: folder) }
      tellStub(of: old, name, caches)
    case .metadataChanged(_, let new, _):
      caches.invalidateAttributes(new.node)
    case .moved(let old, let oldName, let new, let newName):
      caches.remove(oldName, in: NodeID(inode: old.parent))
      caches.expire(newName, in: NodeID(inode: new.parent))
      caches.invalidate(NodeID(inode: old.parent))
      caches.invalidate(NodeID(inode: new.parent))
    case .removed(let old, let name):
      caches.remove(name, in: NodeID(inode: old.parent))
      caches.invalidate(NodeID(inode: old.parent))
    }
  }

  private func isOpen(_ id: NodeID) -> Bool { table.withLock { ($0[id]?.openCount ?? 0) > 0 } }

  private func followUp(_ change: CatalogChange) {
    if case .added(let inode, _, _) = change { return bringPinned(inode) }
    if case .moved(_, _, let new, _) = change { return bringPinned(new.inode) }
    guard case .contentChanged(let old, let new, _) = change else { return }
    if pin(of: new.inode) == .pinned { return bringPinned(new.inode) }
    guard old.residency == .materialized else { return }
    switch settings.representation.onRemoteChange {
    case .materialize: materializer.start(ContentKey(new), callClass: .explicit, cause: 0)
    case .evict where settings.representation.placeholder != .none:
      recordEviction(old, .changed, nil)
    case .evict: break
    }
  }

  /// Makes a version that has arrived whole the item's content.
  ///
  /// - Returns: false when the item has another version by now.
  /// - Throws: when the catalog cannot be written.
  func publish(_ key: ContentKey) throws(CatalogError) -> Bool {
    let published: Entry? = try revision.withLock { _ throws(CatalogError) in
      guard try catalog.publish(key.inode, contentSerial: key.serial),
        let entry = try catalog.entry(of: key.inode)
      else { return nil }
      table.withLock { table in
        table.rowsChanged()
        table.update(entry.node) { node in
          if node.entry.contentSerial == key.serial { node.entry = entry }
        }
      }
      return entry
    }
    guard let entry = published else { return false }
    hasPublished.withLock { $0 = true }
    failures.withLock { $0[key.inode] = nil }
    guard let name = (try? catalog.details(of: key.inode))??.name else { return true }
    tellKernel { [self] in tellStub(of: entry, name, $0) }
    return true
  }

  func isMaterialized(_ key: ContentKey) -> Bool {
    guard let entry = (try? catalog.entry(of: key.inode)) ?? nil else { return false }
    return entry.contentSerial == key.serial && entry.residency == .materialized
  }

  /// Asks the cloud for an item's present state and applies it.
  ///
  /// - Returns: why it could not be asked; nil when the catalog is up to date.
  func refresh(_ inode: InodeNumber) async -> CloudError? {
    guard let details = (try? catalog.details(of: inode)) ?? nil else { return nil }
    do throws(CloudError) {
      do throws(CloudError) {
        let item = try await cloud.item(details.item, cause: .housekeeping)
        try note(.updated(item))
      } catch {
        guard error.code == .notFound else { throw error }
        try await noteDeparture(of: details.item, inode)
      }
      return nil
    } catch {
      return error
    }
  }

  /// The cloud has the item no more. What the feed tells about that comes first: another item may have
  /// taken its name, and the name must not be missing in between.
  private func noteDeparture(
    of item: ItemIdentifier, _ inode: InodeNumber
  ) async throws(CloudError) {
    do throws(Errno) {
      _ = try await feed.pull(self).value()
    } catch {
      throw CloudError(errno: error, "the changes in the cloud could not be read")
    }
    guard try read({ try catalog.details(of: inode) })?.item == item else { return }
    try note(.deleted(item))
  }

  func note(_ change: Change) throws(CloudError) {
    try revise { () throws(CatalogError) in
      try catalog.apply([change], anchor: try catalog.anchor() ?? SyncAnchor(rawValue: ""))
    }
  }
}

extension ContentKey {
  init(_ entry: Entry) { self.init(inode: entry.inode, serial: entry.contentSerial) }
}
