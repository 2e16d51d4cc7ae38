import Catalog
import Cloud
import Platform
import Profiles

/// Brings the nodes and the kernel up to date after rows of the catalog have changed.
extension Drive {
  /// Applies changes of the catalog to what the kernel knows.
  func apply(_ changes: [CatalogChange], populated folder: InodeNumber? = nil) {
    let epochs = advanceEpochs(changes)
    let unused: [ContentKey] = table.withLock { table in
      table.rowsChanged()
      var unused: [ContentKey] = []
      for change in changes { unused += Self.apply(change, &table, epochs) }
      if let folder {
        table.update(NodeID(inode: folder)) { $0.entry.isPopulated = true }
      }
      return unused
    }
    for key in unused { materializer.content.remove(key) }
    tellKernel { caches in
      for change in changes { tell(change, caches) }
      if let folder { caches.invalidate(NodeID(inode: folder)) }
    }
    for change in changes { followUp(change) }
  }

  /// A version that the kernel knows is never changed in place: the new one gets a node of its own.
  /// So does an item that went and comes back, while the kernel still knows the node that went.
  private func advanceEpochs(_ changes: [CatalogChange]) -> [InodeNumber: Entry] {
    var epochs: [InodeNumber: Entry] = [:]
    for change in changes {
      switch change {
      case .contentChanged(let old, let new, _) where new.epoch == old.epoch:
        guard table.withLock({ $0[old.node] != nil }) else { continue }
        epochs[new.inode] = (try? catalog.advanceEpoch(of: new.inode)) ?? nil
      case .added(let inode, _, _):
        guard let entry = (try? catalog.entry(of: inode)) ?? nil,
          table.withLock({ $0[entry.node].map { !$0.isCurrent } }) == true
        else { continue }
        epochs[inode] = (try? catalog.advanceEpoch(of: inode)) ?? nil
      default: continue
      }
    }
    return epochs
  }

  private static func apply(
    _ change: CatalogChange, _ table: inout NodeTable, _ epochs: [InodeNumber: Entry]
  ) -> [ContentKey] {
    switch change {
    case .added: return []
    case .contentChanged(let old, let new, _):
      let id = old.node
      let isReplaced = (epochs[new.inode] ?? new).epoch != old.epoch
      table.update(id) { if isReplaced { $0.isCurrent = false } else { $0.entry = new } }
      return table[id].map { $0.openCount > 0 } == true ? [] : [ContentKey(old)]
    case .metadataChanged(_, let new, _), .moved(_, _, let new, _):
      // What has new content as well gets a new node; the old one stays as it was for its handles.
      guard epochs[new.inode] == nil else { return [] }
      table.update(new.node) { $0.entry = new }
      return []
    case .removed(let old, _):
      let id = old.node
      table.update(id) {
        $0.isCurrent = false
        $0.isRemoved = true
      }
      return table[id].map { $0.openCount > 0 } == true ? [] : [ContentKey(old)]
    }
  }

  private func tell(_ change: CatalogChange, _ caches: any KernelCaches) {
    switch change {
    case .added(_, let parent, let name):
      caches.expire(name, in: NodeID(inode: parent))
      caches.invalidate(NodeID(inode: parent))
    case .contentChanged(let old, _, let name):
      caches.expire(name, in: NodeID(inode: old.parent))
      tellStub(of: old, name, caches)
    case .metadataChanged(_, let new, _):
      caches.invalidate(new.node)
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

  private func followUp(_ change: CatalogChange) {
    guard case .contentChanged(let old, let new, _) = change, old.residency == .materialized
    else { return }
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
  func publish(_ key: ContentKey) -> Bool {
    guard (try? catalog.publish(key.inode, contentSerial: key.serial)) == true else { return false }
    guard let entry = (try? catalog.entry(of: key.inode)) ?? nil else { return false }
    table.withLock { table in
      table.rowsChanged()
      table.update(entry.node) { node in
        if node.entry.contentSerial == key.serial { node.entry = entry }
      }
    }
    hasPublished.withLock { $0 = true }
    failures.withLock { $0[key.inode] = nil }
    guard let name = (try? catalog.details(of: key.inode))??.name else { return true }
    tellKernel { tellStub(of: entry, name, $0) }
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
    let change: Change
    do throws(CloudError) {
      change = .updated(try await cloud.item(details.item, cause: .housekeeping))
    } catch {
      guard error.code == .notFound else { return error }
      change = .deleted(details.item)
    }
    do throws(CloudError) {
      let anchor = try read { try catalog.anchor() }
      apply(try read { try catalog.apply([change], anchor: anchor ?? SyncAnchor(rawValue: "")) })
      return nil
    } catch {
      return error
    }
  }
}

extension ContentKey {
  init(_ entry: Entry) { self.init(inode: entry.inode, serial: entry.contentSerial) }
}
