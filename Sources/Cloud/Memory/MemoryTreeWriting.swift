internal import Platform

/// New content together with its checksum.
struct StoredContent: Sendable {
  let bytes: [UInt8]
  let checksum: Checksum

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    checksum = Checksum(of: bytes)
  }
}

extension MemoryTree {
  mutating func create(
    _ template: ItemTemplate, _ content: StoredContent?, now: Timestamp, replacing: Bool = false
  ) throws(CloudError) -> Item {
    let folder = try folder(template.parent)
    let old = child(template.name, of: folder)
    if let old, !replacing { throw Self.taken(template.name, by: old) }
    try checkRoom(for: Int64(content?.bytes.count ?? 0) - (old?.item.size ?? 0))
    if let old { detachRecursively(old) }
    let node = makeNode(template, content, now: now)
    attach(node)
    if let old {
      history.append(.replaced(old: old.item.identifier, new: node.item))
    } else {
      history.append(.updated(node.item))
    }
    return node.item
  }

  mutating func modify(
    _ identifier: ItemIdentifier, base: ItemVersion?, _ changes: ItemChanges,
    _ content: StoredContent?, now: Timestamp
  ) throws(CloudError) -> Item {
    var node = try node(identifier)
    try Self.check(node.item, base)
    if let content {
      guard node.item.kind == .file else {
        throw CloudError(.failed, "The item \(identifier) is not a file: it takes no content.")
      }
      try checkRoom(for: Int64(content.bytes.count) - node.item.size)
    }
    let serial = node.serial
    let old = node.item
    Self.apply(changes, content, now: now, version: nextVersion(), to: &node)
    guard serial != 0 else {
      replaceNode(node, sizeChange: 0)
      return node.item
    }
    replaceNode(node, sizeChange: node.item.size - old.size)
    history.append(.updated(node.item))
    return node.item
  }

  mutating func move(
    _ identifier: ItemIdentifier, to parent: ItemIdentifier, name: FileName, base: ItemVersion?,
    replacing: Bool
  ) throws(CloudError) -> Item {
    var node = try node(identifier)
    try Self.check(node.item, base)
    let folder = try folder(parent)
    guard node.serial != 0 else { throw CloudError(.denied, "The root cannot be moved.") }
    guard !contains(node.serial, folder.serial) else {
      throw CloudError(.failed, "A folder cannot be moved into itself.")
    }
    let old = child(name, of: folder)
    if old?.serial == node.serial { return node.item }
    if let old { try checkReplacement(of: old, by: node.item, allowed: replacing) }
    if let old { detach(old) }
    detach(node)
    node.item.parent = parent
    node.item.name = name
    node.item.version = ItemVersion(
      content: node.item.version.content, metadata: "m\(nextVersion())")
    attach(node)
    if let old {
      history.append(.replaced(old: old.item.identifier, new: node.item))
    } else {
      history.append(.updated(node.item))
    }
    return node.item
  }

  mutating func delete(
    _ identifier: ItemIdentifier, base: ItemVersion?, recursively: Bool
  ) throws(CloudError) {
    let node = try node(identifier)
    try Self.check(node.item, base)
    guard node.serial != 0 else { throw CloudError(.denied, "The root cannot be deleted.") }
    guard recursively || node.order.isEmpty else {
      throw CloudError(.notEmpty, "The folder is not empty; delete it recursively.")
    }
    detachRecursively(node)
    history.append(.deleted(identifier))
  }

  private mutating func makeNode(
    _ template: ItemTemplate, _ content: StoredContent?, now: Timestamp
  ) -> Node {
    let serial = nextSerial()
    let version = nextVersion()
    let target = template.kind == .symlink ? template.target ?? [] : nil
    let bytes = template.kind == .file ? content ?? StoredContent([]) : nil
    let item = Item(
      identifier: ItemIdentifier(rawValue: "i\(serial)"), parent: template.parent,
      name: template.name, kind: template.kind,
      size: Int64(bytes?.bytes.count ?? target?.count ?? 0), modified: template.modified,
      created: now, permissions: template.permissions,
      version: ItemVersion(content: "c\(version)", metadata: "m\(version)"),
      checksum: bytes?.checksum, target: target)
    return Node(item: item, serial: serial, content: bytes?.bytes ?? target ?? [])
  }

  private static func apply(
    _ changes: ItemChanges, _ content: StoredContent?, now: Timestamp, version: UInt64,
    to node: inout Node
  ) {
    var contentVersion = node.item.version.content
    if let content {
      contentVersion = "c\(version)"
      node.content = content.bytes
      node.item.size = Int64(content.bytes.count)
      node.item.checksum = content.checksum
      node.item.modified = now
    }
    if let modified = changes.modified { node.item.modified = modified }
    if let permissions = changes.permissions { node.item.permissions = permissions }
    node.item.version = ItemVersion(content: contentVersion, metadata: "m\(version)")
  }

  private func checkRoom(for growth: Int64) throws(CloudError) {
    guard let quota, growth > 0, usedBytes + growth > quota else { return }
    throw CloudError(
      .quotaExceeded,
      "The account holds \(usedBytes) of \(quota) bytes; \(growth) more do not fit.")
  }

  private func checkReplacement(
    of old: Node, by new: Item, allowed: Bool
  ) throws(CloudError) {
    guard allowed, let name = old.item.name, (old.item.kind == .folder) == (new.kind == .folder)
    else { throw Self.taken(old.item.name, by: old) }
    guard old.order.isEmpty else {
      throw CloudError(.notEmpty, "The folder \(name) is not empty and cannot be replaced.")
    }
  }

  private static func check(_ item: Item, _ base: ItemVersion?) throws(CloudError) {
    guard let base, base != item.version else { return }
    throw CloudError(
      .versionGone, "The item \(item.identifier) has changed since the base version.")
  }

  private static func taken(_ name: FileName?, by node: Node) -> CloudError {
    CloudError(
      .nameTaken, "The name \(name?.text ?? "") is taken by item \(node.item.identifier).")
  }
}
