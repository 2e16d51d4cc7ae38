public import Platform

// What another device does, by paths such as "Games/save.plist" (a leading slash is welcome).

extension MemoryStore {
  /// Makes a file, or gives the one that is there new content in place; makes the folders above it.
  @discardableResult
  public func put(
    _ bytes: [UInt8], at path: String, modified: Timestamp? = nil
  ) throws(CloudError) -> Item {
    let content = StoredContent(bytes)
    let now = now()
    return try place(path) { tree, parent, name throws(CloudError) in
      if let old = tree.child(name, of: parent) {
        return try tree.modify(
          old.item.identifier, base: nil, ItemChanges(modified: modified), content, now: now)
      }
      let template = ItemTemplate(
        parent: parent.item.identifier, name: name, kind: .file, modified: modified ?? now)
      return try tree.create(template, content, now: now)
    }
  }

  /// As `put` with the UTF-8 of a text.
  @discardableResult
  public func put(
    _ text: String, at path: String, modified: Timestamp? = nil
  ) throws(CloudError) -> Item {
    try put(Array(text.utf8), at: path, modified: modified)
  }

  /// Puts a new item in the place of the one that has the name, as an editor's rename-over does.
  ///
  /// The feed says `.replaced(old:new:)`, or `.updated` when nothing had the name.
  @discardableResult
  public func replace(
    at path: String, with bytes: [UInt8], modified: Timestamp? = nil
  ) throws(CloudError) -> Item {
    let content = StoredContent(bytes)
    let now = now()
    return try place(path) { tree, parent, name throws(CloudError) in
      let template = ItemTemplate(
        parent: parent.item.identifier, name: name, kind: .file, modified: modified ?? now)
      return try tree.create(template, content, now: now, replacing: true)
    }
  }

  /// Makes a folder, and those above it; a folder that is there already is returned as it is.
  @discardableResult
  public func makeFolder(at path: String) throws(CloudError) -> Item {
    let now = now()
    return try write { tree throws(CloudError) in
      try Self.folder(MemoryPath(path).names, in: &tree, now: now).item
    }
  }

  /// Makes a symbolic link.
  @discardableResult
  public func makeSymlink(at path: String, target: String) throws(CloudError) -> Item {
    let now = now()
    return try place(path) { tree, parent, name throws(CloudError) in
      let template = ItemTemplate(
        parent: parent.item.identifier, name: name, kind: .symlink, modified: now,
        target: Array(target.utf8))
      return try tree.create(template, nil, now: now)
    }
  }

  /// Moves or renames what has a path; makes the folders above the new place.
  @discardableResult
  public func rename(
    _ path: String, to newPath: String, replacing: Bool = false
  ) throws(CloudError) -> Item {
    let identifier = try item(at: path).identifier
    return try place(newPath) { tree, parent, name throws(CloudError) in
      try tree.move(
        identifier, to: parent.item.identifier, name: name, base: nil, replacing: replacing)
    }
  }

  /// Sets permission bits, the date, or both.
  @discardableResult
  public func change(
    at path: String, permissions: UInt16? = nil, modified: Timestamp? = nil
  ) throws(CloudError) -> Item {
    let identifier = try item(at: path).identifier
    let changes = ItemChanges(modified: modified, permissions: permissions)
    let now = now()
    return try write { tree throws(CloudError) in
      try tree.modify(identifier, base: nil, changes, nil, now: now)
    }
  }

  /// Deletes what has a path, with everything in it.
  public func delete(at path: String) throws(CloudError) {
    let identifier = try item(at: path).identifier
    try write { tree throws(CloudError) in
      try tree.delete(identifier, base: nil, recursively: true)
    }
  }

  /// What has a path; the empty path or "/" is the root.
  public func item(at path: String) throws(CloudError) -> Item { try node(at: path).item }

  /// The content of the file that has a path.
  public func content(at path: String) throws(CloudError) -> [UInt8] { try node(at: path).content }

  /// The paths of everything, folders too, in the order of their bytes, each with a leading slash.
  public var paths: [String] {
    state.withLock { tree in
      var found: [String] = []
      var rest: [(serial: UInt64, path: String)] = [(0, "")]
      while let (serial, path) = rest.popLast() {
        for (name, child) in tree.nodes[serial]?.children ?? [:] {
          found.append("\(path)/\(name.text)")
          rest.append((child, "\(path)/\(name.text)"))
        }
      }
      return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
  }

  private func node(at path: String) throws(CloudError) -> MemoryTree.Node {
    let names = try MemoryPath(path).names
    return try read { tree throws(CloudError) in
      var node = try tree.node(.root)
      for name in names {
        guard let child = tree.child(name, of: node) else {
          throw CloudError(.notFound, "There is nothing at \(path).")
        }
        node = child
      }
      return node
    }
  }

  private func place(
    _ path: String,
    _ body: (inout MemoryTree, MemoryTree.Node, FileName) throws(CloudError) -> Item
  ) throws(CloudError) -> Item {
    let names = try MemoryPath(path).names
    guard let name = names.last else { throw CloudError(.denied, "This cannot be the root.") }
    let now = now()
    return try write { tree throws(CloudError) in
      let parent = try Self.folder(names.dropLast(), in: &tree, now: now)
      return try body(&tree, parent, name)
    }
  }

  private static func folder(
    _ names: some Sequence<FileName>, in tree: inout MemoryTree, now: Timestamp
  ) throws(CloudError) -> MemoryTree.Node {
    var folder = try tree.node(.root)
    for name in names {
      if let child = tree.child(name, of: folder) {
        folder = try tree.folder(child.item.identifier)
      } else {
        let template = ItemTemplate(
          parent: folder.item.identifier, name: name, kind: .folder, modified: now)
        let made = try tree.create(template, nil, now: now)
        folder = try tree.node(made.identifier)
      }
    }
    return folder
  }
}

/// A path as a test writes it.
struct MemoryPath {
  let names: [FileName]

  init(_ path: String) throws(CloudError) {
    var names: [FileName] = []
    for part in path.split(separator: "/") {
      guard let name = FileName(part) else {
        throw CloudError(.failed, "\"\(part)\" in \(path) cannot be a name.")
      }
      names.append(name)
    }
    self.names = names
  }
}
