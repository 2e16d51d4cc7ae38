import Platform

/// What a drive must show, kept in the simplest way: everything by its path.
struct DriveModel {
  enum Node: Equatable {
    case folder
    case file([UInt8])

    var isFolder: Bool { self == .folder }
  }

  private(set) var nodes: [String: Node] = [:]

  /// The paths of everything, of folders with a slash behind, as `MemoryStore.tree` tells them.
  var tree: [String: [UInt8]] {
    var tree: [String: [UInt8]] = [:]
    for (path, node) in nodes {
      if case .file(let bytes) = node { tree[path] = bytes } else { tree[path + "/"] = [] }
    }
    return tree
  }

  var files: [String] { nodes.filter { !$0.value.isFolder }.keys.sorted() }
  var folders: [String] { [""] + nodes.filter { $0.value.isFolder }.keys.sorted() }

  func content(_ path: String) -> [UInt8]? {
    guard case .file(let bytes)? = nodes[path] else { return nil }
    return bytes
  }

  func children(of folder: String) -> [String] {
    nodes.keys.filter { Self.parent(of: $0) == folder }.map { Self.name(of: $0) }.sorted()
  }

  mutating func put(_ bytes: [UInt8], _ path: String) { nodes[path] = .file(bytes) }
  mutating func makeFolder(_ path: String) { nodes[path] = .folder }

  mutating func write(_ bytes: [UInt8], at offset: Int, _ path: String) {
    guard var content = content(path) else { return }
    if content.count < offset { content += Array(repeating: 0, count: offset - content.count) }
    let end = min(content.count, offset + bytes.count)
    content.replaceSubrange(offset..<end, with: bytes)
    nodes[path] = .file(content)
  }

  mutating func setSize(_ size: Int, _ path: String) {
    guard let content = content(path) else { return }
    let zeros = [UInt8](repeating: 0, count: max(0, size - content.count))
    nodes[path] = .file(content.prefix(size) + zeros)
  }

  /// Removes a file, or a folder with all that is in it.
  mutating func remove(_ path: String) {
    nodes = nodes.filter { $0.key != path && !$0.key.hasPrefix(path + "/") }
  }

  /// Why an item cannot be removed.
  func refusalToRemove(_ path: String, asFolder: Bool) -> Errno? {
    guard let node = nodes[path] else { return .noSuchFile }
    guard node.isFolder == asFolder else { return asFolder ? .notDirectory : .isDirectory }
    return asFolder && !children(of: path).isEmpty ? .notEmpty : nil
  }

  /// Why an item cannot be renamed, as rename(2) says.
  func refusalToRename(_ path: String, to other: String) -> Errno? {
    guard let node = nodes[path] else { return .noSuchFile }
    if other.hasPrefix(path + "/") { return .invalid }
    guard let target = nodes[other], other != path else { return nil }
    if path.hasPrefix(other + "/") { return .notEmpty }
    switch (node.isFolder, target.isFolder) {
    case (true, false): return .notDirectory
    case (false, true): return .isDirectory
    case (true, true): return children(of: other).isEmpty ? nil : .notEmpty
    case (false, false): return nil
    }
  }

  mutating func rename(_ path: String, to other: String) {
    guard path != other else { return }
    let moved = taken(path)
    remove(other)
    give(moved, other)
  }

  mutating func exchange(_ path: String, _ other: String) {
    let (one, two) = (taken(path), taken(other))
    give(one, other)
    give(two, path)
  }

  /// An item and what is in it, by the rest of the path.
  private mutating func taken(_ path: String) -> [String: Node] {
    var taken: [String: Node] = [:]
    for (key, node) in nodes where key == path || key.hasPrefix(path + "/") {
      taken[String(key.dropFirst(path.count))] = node
    }
    remove(path)
    return taken
  }

  private mutating func give(_ taken: [String: Node], _ path: String) {
    for (rest, node) in taken { nodes[path + rest] = node }
  }

  static func parent(of path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }

  static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? ""
  }
}
