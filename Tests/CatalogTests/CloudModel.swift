import Catalog
import Cloud
import Platform

/// A seeded generator: the same seed draws the same.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}

/// A cloud as simple as can be: items by identifier, and a list of who changed.
struct CloudModel {
  private(set) var items: [String: Item] = [:]
  private var order: [String] = []
  private var changed: [String] = []
  private var counter = 0
  private static let names = (0..<12).compactMap { FileName("n\($0)") }

  func item(_ identifier: String) -> Item? { items[identifier] }

  func children(of folder: String) -> [Item] {
    order.compactMap { items[$0] }.filter { $0.parent.rawValue == folder }
  }

  /// The path of an item as names, from the root.
  func path(of identifier: String) -> [FileName] {
    var names: [FileName] = []
    var next = identifier
    while let item = items[next], let name = item.name {
      names.append(name)
      next = item.parent.rawValue
    }
    return names.reversed()
  }

  /// What has changed since the last call: every item once with its state now.
  mutating func takeChanges() -> [Change] {
    defer { changed = [] }
    var seen: Set<String> = []
    return changed.filter { seen.insert($0).inserted }.map { identifier in
      items[identifier].map { .updated($0) } ?? .deleted(ItemIdentifier(rawValue: identifier))
    }
  }

  /// One edit of any kind.
  mutating func edit(_ random: inout SeededGenerator) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0...3: create(&random)
    case 4...6: move(&random)
    case 7: write(&random)
    case 8: exchange(&random)
    default: delete(&random)
    }
  }

  // MARK: What a device uploads

  /// A new item; nil when the name is taken or the folder is gone.
  mutating func create(_ entry: Entry, named name: FileName, in parent: ItemIdentifier) -> Item? {
    guard isFree(name, in: parent), hasFolder(parent) else { return nil }
    counter += 1
    let identifier = "i\(counter)"
    order.append(identifier)
    put(
      Item(
        identifier: ItemIdentifier(rawValue: identifier), parent: parent, name: name,
        kind: entry.kind, size: entry.size, modified: entry.modified, created: entry.created,
        permissions: entry.permissions, version: version()))
    return items[identifier]
  }

  /// New content or metadata.
  mutating func write(_ entry: Entry, to item: ItemIdentifier, content: Bool) {
    guard var item = items[item.rawValue] else { return }
    counter += 1
    if content {
      item.size = entry.size
      item.version = version()
    }
    item.modified = entry.modified
    item.permissions = entry.permissions
    put(item)
  }

  /// Another place; false when the name is taken, or the folder is gone or lies in the item.
  mutating func move(
    _ item: ItemIdentifier, to name: FileName, in parent: ItemIdentifier
  ) -> Bool {
    guard var moved = items[item.rawValue], hasFolder(parent),
      !isInside(parent.rawValue, item.rawValue)
    else { return false }
    if moved.name == name, moved.parent == parent { return true }
    guard isFree(name, in: parent) else { return false }
    (moved.name, moved.parent) = (name, parent)
    put(moved)
    return true
  }

  /// Deletes an item of this version without children; otherwise tells of it once more.
  mutating func delete(_ item: ItemIdentifier, base: ItemVersion) {
    guard let present = items[item.rawValue] else { return }
    if present.version == base, children(of: item.rawValue).isEmpty {
      remove(item.rawValue)
    } else {
      put(present)
    }
  }

  func hasFolder(_ item: ItemIdentifier) -> Bool {
    item == .root || items[item.rawValue]?.kind == .folder
  }

  private func isFree(_ name: FileName, in parent: ItemIdentifier) -> Bool {
    !children(of: parent.rawValue).contains { $0.name == name }
  }

  // MARK: What others do

  private mutating func create(_ random: inout SeededGenerator) {
    let parent = anyFolder(&random)
    guard let name = freeName(in: parent, &random) else { return }
    counter += 1
    let isFolder = Int.random(in: 0..<3, using: &random) == 0
    let identifier = "i\(counter)"
    order.append(identifier)
    put(
      Item(
        identifier: ItemIdentifier(rawValue: identifier),
        parent: ItemIdentifier(rawValue: parent), name: name, kind: isFolder ? .folder : .file,
        size: isFolder ? 0 : Int64(counter), modified: Timestamp(seconds: Int64(counter)),
        created: Timestamp(seconds: 1), version: version()))
  }

  private mutating func move(_ random: inout SeededGenerator) {
    guard var item = anyItem(&random) else { return }
    let parent = anyFolder(&random)
    guard !isInside(parent, item.identifier.rawValue) else { return }
    guard let name = freeName(in: parent, &random) else { return }
    item.parent = ItemIdentifier(rawValue: parent)
    item.name = name
    put(item)
  }

  private mutating func write(_ random: inout SeededGenerator) {
    guard var item = anyItem(&random), item.kind == .file else { return }
    counter += 1
    item.size = Int64(counter)
    item.version = version()
    put(item)
  }

  private mutating func exchange(_ random: inout SeededGenerator) {
    guard var left = anyItem(&random), var right = anyItem(&random) else { return }
    let (one, other) = (left.identifier.rawValue, right.identifier.rawValue)
    guard !isInside(one, other), !isInside(other, one) else { return }
    (left.parent, right.parent) = (right.parent, left.parent)
    (left.name, right.name) = (right.name, left.name)
    put(left)
    put(right)
  }

  private mutating func delete(_ random: inout SeededGenerator) {
    guard let item = anyItem(&random) else { return }
    remove(item.identifier.rawValue)
  }

  private mutating func remove(_ identifier: String) {
    for child in children(of: identifier) { remove(child.identifier.rawValue) }
    items[identifier] = nil
    order.removeAll { $0 == identifier }
    changed.append(identifier)
  }

  private mutating func put(_ item: Item) {
    items[item.identifier.rawValue] = item
    changed.append(item.identifier.rawValue)
  }

  private func version() -> ItemVersion { ItemVersion(content: "c\(counter)", metadata: "m") }

  private func anyItem(_ random: inout SeededGenerator) -> Item? {
    order.randomElement(using: &random).flatMap { items[$0] }
  }

  private func anyFolder(_ random: inout SeededGenerator) -> String {
    (order.filter { items[$0]?.kind == .folder } + ["root"]).randomElement(using: &random) ?? "root"
  }

  private func freeName(in folder: String, _ random: inout SeededGenerator) -> FileName? {
    let taken = Set(children(of: folder).compactMap(\.name))
    return Self.names.filter { !taken.contains($0) }.randomElement(using: &random)
  }

  private func isInside(_ identifier: String, _ ancestor: String) -> Bool {
    var next = identifier
    while next != "root" {
      if next == ancestor { return true }
      next = items[next]?.parent.rawValue ?? "root"
    }
    return false
  }
}
