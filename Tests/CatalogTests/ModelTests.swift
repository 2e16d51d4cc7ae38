import Catalog
import Cloud
import Foundation
import Platform
import Testing

/// Random edits of a cloud, told to a catalog in any order and more than once.
@Suite struct ModelTests {
  /// Runs the seed in the environment (SEED=n), or fixed ones and one that is new each time.
  static var seeds: [UInt64] {
    if let text = ProcessInfo.processInfo.environment["SEED"], let seed = UInt64(text) {
      return [seed]
    }
    return Array(1...40) + [UInt64.random(in: 1000...UInt64(UInt32.max))]
  }

  @Test("A catalog follows its cloud in whatever order it is told", arguments: seeds)
  func catalogFollowsCloud(seed: UInt64) throws {
    try follow(seed: seed) { run throws in try run.round() }
  }

  @Test("A catalog catches up when it is told late and in pieces", arguments: seeds)
  func catalogCatchesUp(seed: UInt64) throws {
    try follow(seed: seed) { run throws in try run.roundInPieces() }
  }

  private func follow(seed: UInt64, _ round: (inout Run) throws -> Void) throws {
    var run = try Run(seed: seed)
    for number in 0..<25 {
      try round(&run)
      try run.check("SEED=\(seed) round \(number)")
    }
    try run.populateEverything()
    try run.check("SEED=\(seed) at the end")
    try run.checkComplete("SEED=\(seed) at the end")
    try run.reopen()
    try run.checkComplete("SEED=\(seed) reopened")
  }
}

private struct Run {
  private let directory: TemporaryDirectory
  private var catalog: Catalog
  private var cloud = CloudModel()
  private var random: SeededGenerator
  /// What a kernel would believe: the names that it was told of.
  private var names: [InodeNumber: NamedEntry] = [:]
  /// Every inode number that was ever seen, and whose it was.
  private var owners: [InodeNumber: String] = [:]

  init(seed: UInt64) throws {
    directory = try TemporaryDirectory()
    catalog = try directory.open()
    random = SeededGenerator(seed: seed)
    try learn(try catalog.populate(.root, with: []))
  }

  mutating func round() throws {
    let before = try known()
    for _ in 0..<Int.random(in: 1...15, using: &random) { cloud.edit(&random) }
    var batch = cloud.takeChanges()
    for change in batch where Int.random(in: 0..<3, using: &random) == 0 { batch.append(change) }
    batch.shuffle(using: &random)
    try learn(try catalog.apply(batch, anchor: SyncAnchor(rawValue: "a")))
    let again = try catalog.apply(batch.shuffled(using: &random), anchor: SyncAnchor(rawValue: "a"))
    #expect(again.isEmpty, "telling it twice changes nothing")
    try expectSurvivorsKept(before)
    if Bool.random(using: &random) { try populateOne() }
    try publishOne()
  }

  /// The same changes in pieces and any order: in between, the catalog knows things that do not fit.
  mutating func roundInPieces() throws {
    for _ in 0..<Int.random(in: 1...15, using: &random) { cloud.edit(&random) }
    var rest = cloud.takeChanges().shuffled(using: &random)[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...4, using: &random))
      rest = rest.dropFirst(piece.count)
      try learn(try catalog.apply(Array(piece), anchor: SyncAnchor(rawValue: "a")))
    }
    if Bool.random(using: &random) { try populateOne() }
    try publishOne()
  }

  /// What was known and is still below known folders has its number, and its content unless changed.
  private func expectSurvivorsKept(_ before: [String: Entry]) throws {
    for (identifier, old) in before {
      guard let item = cloud.item(identifier) else {
        #expect(try catalog.inode(of: ItemIdentifier(rawValue: identifier)) == nil)
        continue
      }
      guard try catalog.inode(of: item.parent) != nil else { continue }
      let entry = try catalog.known(identifier)
      #expect(entry.inode == old.inode)
      if entry.size == old.size { #expect(entry.contentSerial == old.contentSerial) }
      if entry.contentSerial == old.contentSerial, entry.kind == .file {
        #expect(entry.residency == old.residency)
      }
    }
  }

  private func known() throws -> [String: Entry] {
    var known: [String: Entry] = [:]
    for identifier in cloud.items.keys.sorted() {
      guard let inode = try catalog.inode(of: ItemIdentifier(rawValue: identifier)) else {
        continue
      }
      known[identifier] = try catalog.entry(of: inode)
    }
    return known
  }

  private mutating func populateOne() throws {
    let folders = try known().filter { $0.value.kind == .folder && !$0.value.isPopulated }
    guard let identifier = folders.keys.sorted().randomElement(using: &random) else { return }
    try populate(identifier)
  }

  private mutating func populate(_ identifier: String) throws {
    let inode = try catalog.inode(identifier)
    try learn(try catalog.populate(inode, with: cloud.children(of: identifier)))
  }

  private mutating func publishOne() throws {
    let files = try known().filter { $0.value.kind == .file }
    guard let identifier = files.keys.sorted().randomElement(using: &random) else { return }
    let entry = try catalog.known(identifier)
    #expect(try catalog.publish(entry.inode, contentSerial: entry.contentSerial))
  }

  mutating func populateEverything() throws {
    while true {
      let before = try known().filter { $0.value.kind == .folder && !$0.value.isPopulated }
      guard !before.isEmpty else { return }
      for identifier in before.keys.sorted() { try populate(identifier) }
    }
  }

  mutating func reopen() throws {
    catalog.close()
    catalog = try directory.open()
  }

  /// Follows the told changes as a kernel's caches would.
  private mutating func learn(_ changes: [CatalogChange]) throws {
    for change in changes {
      switch change {
      case .removed(let entry, _): #expect(names.removeValue(forKey: entry.inode) != nil)
      case .added(let inode, _, let name):
        let entry = try #require(try catalog.entry(of: inode))
        #expect(names.updateValue(NamedEntry(entry: entry, name: name), forKey: inode) == nil)
      case .moved(let old, let oldName, let new, let newName):
        #expect(names[old.inode]?.name == oldName && names[old.inode]?.entry.parent == old.parent)
        names[new.inode] = NamedEntry(entry: new, name: newName)
      case .contentChanged(_, let new, let name), .metadataChanged(_, let new, let name):
        #expect(names[new.inode]?.name == name)
        names[new.inode] = NamedEntry(entry: new, name: name)
      }
    }
  }

  /// What the catalog shows is a part of the cloud, is what was told, and uses no number twice.
  mutating func check(_ comment: Comment) throws {
    var shown: [InodeNumber: NamedEntry] = [:]
    var folders: [(InodeNumber, String)] = [(.root, "root")]
    while let (inode, identifier) = folders.popLast() {
      let children = try catalog.children(of: inode)
      if try catalog.entry(of: inode)?.isPopulated == true {
        let expected = Set(cloud.children(of: identifier).compactMap(\.name))
        #expect(Set(children.map(\.name)) == expected, comment)
      }
      for child in children {
        let item = try #require(try catalog.details(of: child.entry.inode)?.item.rawValue, comment)
        shown[child.entry.inode] = child
        #expect(cloud.item(item)?.size == child.entry.size, comment)
        #expect(cloud.item(item)?.parent.rawValue == identifier, comment)
        #expect(owners.updateValue(item, forKey: child.entry.inode) ?? item == item, comment)
        if child.entry.kind == .folder { folders.append((child.entry.inode, item)) }
      }
    }
    #expect(shown.mapValues(\.name) == names.mapValues(\.name), comment)
    #expect(
      shown.mapValues(\.entry.contentSerial) == names.mapValues(\.entry.contentSerial), comment)
    #expect(try catalog.counts().items == shown.count + 1, "nothing hidden or lost: \(comment)")
  }

  /// Everything in the cloud is at its path.
  func checkComplete(_ comment: Comment) throws {
    #expect(try catalog.counts().items == cloud.items.count + 1, comment)
    for identifier in cloud.items.keys.sorted() {
      let entry = try catalog.resolve(cloud.path(of: identifier))
      #expect(try entry?.inode == catalog.inode(identifier), comment)
    }
  }
}
