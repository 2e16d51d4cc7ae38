import Catalog
import Cloud
import Platform

/// Content that is not on the disk though the catalog says so.
extension Drive {
  /// The node, after a look at its content file, which somebody may have removed or cut off.
  ///
  /// What the cloud has as well counts as not here from now on, so it is brought again. What it does not
  /// have stays as it is: reading what is missing fails with EIO, and nothing of it is sent.
  func checked(_ id: NodeID, _ node: Node) -> Node {
    let entry = node.entry
    guard entry.kind == .file, hasContent(entry), entry.size > 0, !node.isWriting, node.isCurrent,
      let problem = damage(of: entry)
    else { return node }
    let pending = (try? catalog.pendingItem(of: entry.inode)) ?? nil
    guard pending.map({ $0.parts.isDisjoint(with: [.created, .content]) }) ?? true else {
      failures.withLock { $0[entry.inode] = problem }
      return node
    }
    let dropped = revision.withLock { _ -> Entry? in
      guard let now = (try? catalog.entry(of: entry.inode)) ?? nil,
        now.contentSerial == entry.contentSerial,
        let dropped = (try? catalog.evict(entry.inode)) ?? nil
      else { return nil }
      table.withLock { table in
        table.rowsChanged()
        table.update(id) { $0.entry = dropped }
        table.rebase(id, on: dropped.contentSerial)
      }
      return dropped
    }
    guard let dropped else { return self.node(id) ?? node }
    recordEviction(entry, .damaged, nil)
    materializer.content.remove(ContentKey(entry))
    return self.node(id) ?? Node(entry: dropped)
  }

  /// What is wrong with the content of a document that is here; nil when nothing is to be seen.
  func damage(of entry: Entry) -> String? {
    guard entry.size > 0 else { return nil }
    do throws(Errno) {
      guard let size = try materializer.content.size(of: ContentKey(entry)) else {
        return "its content is missing on this device"
      }
      guard size < entry.size else { return nil }
      return "its content on this device is damaged: \(size) of \(entry.size) bytes are there"
    } catch {
      // An error of the disk tells nothing of the content; whoever reads meets it.
      return nil
    }
  }
}

extension Drive {
  /// What whoever looks after the device should know, each in a sentence: damage, above all.
  public var notices: [String] {
    var notices: [String] = []
    if let rebuild { notices.append(rebuild.summary) }
    if let damage = catalog.damage {
      notices.append(
        "the device's catalog is damaged (\(damage.reason)): unmount and mount again, and it is "
          + "rebuilt from the cloud")
    }
    let damaged = damagedAtStart.withLock { $0 }
    if let first = damaged.first {
      let others = damaged.count > 1 ? " and of \(damaged.count - 1) more" : ""
      notices.append(
        "the content of \(first)\(others), which the cloud does not have yet, is missing on this "
          + "device or too short: see 'fauxdrive status' of it")
    }
    return notices
  }

  /// Finds changes that cannot be sent, since their content is not there.
  func findDamage() throws {
    var last: UInt64 = 0
    while true {
      let items = try catalog.pendingItems(after: last, limit: 1000)
      guard let next = items.last else { return }
      last = next.sequence
      for item in items where !item.parts.isDisjoint(with: [.created, .content]) {
        guard let entry = try catalog.entry(of: item.inode), entry.kind == .file,
          let problem = damage(of: entry)
        else { continue }
        failures.withLock { $0[item.inode] = problem }
        damagedAtStart.withLock { $0.append(path(of: item.inode)) }
      }
    }
  }
}
