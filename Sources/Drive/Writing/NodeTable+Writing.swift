import Catalog
import Glibc
import Platform

/// Nodes that programs on this device write.
extension NodeTable {
  /// The catalog knows that a document is being written, and says what it is now.
  mutating func began(_ id: NodeID, _ entry: Entry) {
    guard let node = self[id] else { return }
    let isReplaced = node.entry.contentSerial != entry.contentSerial
    update(id) { node in
      let (size, modified) = (node.entry.size, node.entry.modified)
      node.entry = entry
      if !isReplaced { (node.entry.size, node.entry.modified) = (size, modified) }
      node.isWriting = true
    }
    guard isReplaced else { return }
    dropWritten(id)
    rebase(id, on: entry.contentSerial)
  }

  /// Bytes were written up to a position.
  mutating func wrote(_ id: NodeID, upTo end: Int64, at time: Timestamp) {
    update(id) { node in
      node.entry.size = max(node.entry.size, end)
      node.entry.modified = time
      node.entry.changed = time
    }
  }

  /// The length was set.
  mutating func resized(_ id: NodeID, to size: Int64, at time: Timestamp) {
    update(id) { node in
      node.entry.size = size
      node.entry.modified = time
      node.entry.changed = time
    }
  }

  mutating func setShown(
    _ id: NodeID, _ modified: Timestamp?, _ permissions: UInt16?, changed: Timestamp = .now
  ) {
    update(id) { node in
      if let modified { node.entry.modified = modified }
      if let permissions { node.entry.permissions = permissions & 0o7777 }
      node.entry.changed = changed
    }
  }
}
