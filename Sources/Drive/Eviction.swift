import Catalog
import Cloud
import Ledger
import Platform
import Profiles

/// Why content is dropped.
public enum EvictionReason: String, Hashable, Sendable {
  /// Somebody asked for it.
  case requested
  /// A mere check brought it, and nobody opened it.
  case unclaimed
  /// The cloud has a newer version.
  case changed
  /// Somebody said that it need not be here.
  case unpinned
  /// It is missing on the device, or not whole.
  case damaged
}

extension Drive {
  /// Drops a document's content from this device; the document stays listed.
  ///
  /// When `done` is called, the next call of any program meets a document that is not here.
  /// - Throws: why the profile refuses, or that there is nothing to drop.
  func evict(
    _ inode: InodeNumber, _ reason: EvictionReason, caller: Caller?,
    done: @escaping @Sendable () -> Void
  ) throws(DriveError) {
    guard let entry = (try? catalog.entry(of: inode)) ?? nil else {
      throw DriveError(.notFound, "the document is gone")
    }
    guard entry.kind == .file else {
      throw DriveError(
        .wrongKind, "only documents can be evicted; name the documents in the folder")
    }
    try refuse(entry)
    guard entry.residency != .dataless else {
      throw DriveError(.notHere, "its content is not on this device, so there is nothing to evict")
    }
    let id = NodeID(inode: inode, epoch: entry.epoch)
    let isKnown = table.withLock { $0[id] != nil }
    let evicted: Entry?
    do throws(CatalogError) { evicted = try catalog.evict(inode, newEpoch: isKnown) } catch {
      throw DriveError(.failed, "the catalog cannot be written: \(error.message)")
    }
    guard let dropped = evicted else {
      throw DriveError(
        .isPending, "it has a change that is not in the cloud yet; wait for that, then evict again")
    }
    let name = (try? catalog.details(of: inode))??.name
    recordEviction(entry, reason, caller)
    finishEviction(entry, dropped, name)
    tellKernel { $0.afterDelivery(done) }
    if caches.withLock({ $0 == nil }) { done() }
  }

  private func refuse(_ entry: Entry) throws(DriveError) {
    let refusals = settings.representation.evictionRefusals
    if refusals.contains(.always) {
      throw DriveError(
        .neverEvicts, "the profile \(settings.profileName) never evicts; mount with another one")
    }
    if pin(of: entry.inode) == .pinned {
      throw DriveError(.isPinned, "it is pinned, or a folder above it is; unpin it, then evict")
    }
    let isOpen = table.withLock {
      ($0[NodeID(inode: entry.inode, epoch: entry.epoch)]?.openCount ?? 0) > 0
    }
    if isOpen, refusals.contains(.open) {
      throw DriveError(.isOpen, "a program has it open; close it there, then evict again")
    }
    // Whatever the profile says: nobody else has it.
    let pending = (try? catalog.pendingItem(of: entry.inode)) ?? nil
    if let pending, pending.parts != [.metadata] {
      throw DriveError(
        .isPending, "it has a change that is not in the cloud yet; wait for that, then evict again")
    }
    // A transfer that has published is about to end; who waited for it may evict at once.
    if entry.residency != .materialized, materializer.isRunning(ContentKey(entry)) {
      throw DriveError(.isOpen, "it is being downloaded; wait for that, then evict again")
    }
  }

  private func finishEviction(_ old: Entry, _ new: Entry, _ name: FileName?) {
    let id = NodeID(inode: old.inode, epoch: old.epoch)
    let isHeld = table.withLock { table in
      table.rowsChanged()
      table.update(id) { node in
        if new.epoch == old.epoch { node.entry = new } else { node.isCurrent = false }
      }
      return (table[id]?.openCount ?? 0) > 0
    }
    // Those who have it open read on from the file; it goes with the last of them.
    if !isHeld { materializer.content.remove(ContentKey(old)) }
    guard let name else { return }
    tellKernel { [self] caches in
      caches.invalidate(id)
      caches.expire(name, in: NodeID(inode: old.parent))
      tellStub(of: new, name, caches)
    }
  }

  func recordEviction(_ entry: Entry, _ reason: EvictionReason, _ caller: Caller?) {
    let program = caller.map { programs.program(of: $0.thread) }
    let item = (try? catalog.details(of: entry.inode))??.item.rawValue ?? ""
    let record = ledger.begin(
      Record(
        kind: .eviction, device: settings.device, callClass: reason.rawValue,
        path: path(of: entry.inode), item: item, process: program?.process ?? 0,
        executable: program?.executable ?? ""))
    ledger.finish(record, answer: "completed", bytes: entry.size)
  }
}
