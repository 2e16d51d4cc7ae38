import Catalog
import Cloud
import Foundation
import Platform
import Testing

/// Random changes on a device and in its cloud at the same time, and an uploader between them.
@Suite struct LocalModelTests {
  @Test("What a device changes is in the cloud in the end", arguments: ModelTests.seeds)
  func deviceAndCloudAgreeInTheEnd(seed: UInt64) throws {
    var run = try LocalRun(seed: seed)
    for number in 0..<25 {
      let comment: Comment = "SEED=\(seed) round \(number)"
      try run.round()
      if number % 5 == 0 { try run.checkKilled() }
      try run.check(comment)
    }
    try run.finish()
    try run.checkComplete("SEED=\(seed) at the end")
    try run.checkFile()
  }
}

private struct LocalRun {
  private let directory: TemporaryDirectory
  private let catalog: Catalog
  private var cloud = CloudModel()
  private var random: SeededGenerator
  /// What a kernel would believe: the names that it was told of, or has given itself.
  private var names: [InodeNumber: FileName] = [:]
  private var freshNames = 0
  /// Whether programs have stopped to change anything.
  private var isQuiet = false
  /// The item in the cloud of the last upload.
  private var uploaded = ItemIdentifier.root

  init(seed: UInt64) throws {
    directory = try TemporaryDirectory()
    catalog = try directory.open()
    random = SeededGenerator(seed: seed)
    for _ in 0..<10 { cloud.edit(&random) }
    try hear()
    try populateEverything()
  }

  mutating func round() throws {
    for _ in 0..<Int.random(in: 0...6, using: &random) { cloud.edit(&random) }
    for _ in 0..<Int.random(in: 0...10, using: &random) { try changeLocally() }
    switch Int.random(in: 0..<3, using: &random) {
    case 0: try hear()
    case 1: try uploadSome()
    default: try populateAny()
    }
  }

  /// Whatever has changed since the last commit, a process that comes next knows it as well.
  func checkKilled() throws { try expectSameAfterKill(catalog, directory) }

  /// Uploads and listens until there is nothing left to do.
  mutating func finish() throws {
    isQuiet = true
    for inode in try catalog.writingItems().map(\.inode) { try endWriting(inode) }
    for _ in 0..<60 {
      try uploadSome()
      try hear()
      guard try catalog.pendingCounts() != PendingCounts(items: 0, deletions: 0, failed: 0) else {
        break
      }
    }
    #expect(try catalog.pendingItems(limit: 9) == [] && catalog.pendingDeletions(limit: 100) == [])
    for _ in 0..<3 { try populateEverything() }
  }

  // MARK: The device

  private mutating func changeLocally() throws {
    let folders = try reachable().filter { $0.entry.isPopulated }.map(\.entry.inode) + [.root]
    guard let folder = folders.randomElement(using: &random),
      let other = folders.randomElement(using: &random)
    else { return }
    let child = try catalog.children(of: folder).randomElement(using: &random)
    let name = try name("n\(Int.random(in: 0..<12, using: &random))")
    do {
      switch (Int.random(in: 0..<8, using: &random), child) {
      case (0...1, _), (_, nil): try create(name, in: folder)
      case (2, let child?): try remove(child)
      case (3...4, let child?): try rename(child, to: name, in: other)
      case (5, let child?): try setAttributes(child)
      case (_, let child?): try write(child)
      }
    } catch LocalChangeError.refused {
      // The tests of each call say when; here it is enough that it has no effect.
    }
  }

  private mutating func create(_ name: FileName, in folder: InodeNumber) throws {
    let kind: ItemKind = Int.random(in: 0..<3, using: &random) == 0 ? .folder : .file
    let entry = try catalog.create(name, in: folder, kind: kind, permissions: 0o640)
    names[entry.inode] = name
    if Bool.random(using: &random) { try endWriting(entry.inode) }
  }

  private mutating func remove(_ child: NamedEntry) throws {
    let isFolder = child.entry.kind == .folder
    _ = try catalog.removeLocal(child.name, in: child.entry.parent, asFolder: isFolder)
    try lookAround()
  }

  private mutating func rename(
    _ child: NamedEntry, to name: FileName, in folder: InodeNumber
  ) throws {
    let modes: [RenameMode] = [.replacing, .replacing, .noReplace, .exchange]
    _ = try catalog.rename(
      child.name, in: child.entry.parent, to: name, in: folder,
      try #require(modes.randomElement(using: &random)),
      keepsIdentity: Bool.random(using: &random))
    try lookAround()
  }

  private func setAttributes(_ child: NamedEntry) throws {
    _ = try catalog.setLocal(
      child.entry.inode, size: nil, modified: Timestamp(seconds: 4711), permissions: 0o700)
  }

  private mutating func write(_ child: NamedEntry) throws {
    if Bool.random(using: &random) {
      _ = try catalog.publish(child.entry.inode, contentSerial: child.entry.contentSerial)
    }
    _ = try catalog.beginWriting(child.entry.inode, emptied: Bool.random(using: &random))
    if Int.random(in: 0..<4, using: &random) > 0 { try endWriting(child.entry.inode) }
  }

  private mutating func endWriting(_ inode: InodeNumber) throws {
    _ = try catalog.endWriting(
      inode, size: Int64.random(in: 0..<100_000, using: &random), modified: .now,
      stillWriting: false)
  }

  // MARK: The cloud's side

  private mutating func hear() throws {
    var batch = cloud.takeChanges()
    for change in batch where Int.random(in: 0..<3, using: &random) == 0 { batch.append(change) }
    batch.shuffle(using: &random)
    let mine = try pendingRows()
    try learn(try catalog.apply(batch, anchor: SyncAnchor(rawValue: "a")))
    try expectUntouched(mine)
  }

  private mutating func populateAny() throws {
    let folders = try reachable().filter { $0.entry.kind == .folder }
    guard let folder = folders.randomElement(using: &random) else { return }
    // A listing must not be older than what was applied.
    try hear()
    guard try catalog.entry(of: folder.entry.inode) != nil else { return }
    try populate(folder.entry.inode)
  }

  private mutating func populate(_ folder: InodeNumber) throws {
    guard let item = try catalog.details(of: folder)?.item, cloud.hasFolder(item) else { return }
    let mine = try pendingRows()
    try learn(try catalog.populate(folder, with: cloud.children(of: item.rawValue)))
    try expectUntouched(mine)
  }

  private mutating func populateEverything() throws {
    var folders: [InodeNumber] = [.root]
    while let folder = folders.popLast() {
      try populate(folder)
      folders += try catalog.children(of: folder).map(\.entry).filter { $0.kind == .folder }
        .map(\.inode)
    }
  }

  private func pendingRows() throws -> [InodeNumber: NamedEntry] {
    var rows: [InodeNumber: NamedEntry] = [:]
    for pending in try catalog.pendingItems(limit: .max) where pending.inode != .root {
      let entry = try #require(try catalog.entry(of: pending.inode))
      let name = try #require(try catalog.details(of: pending.inode)?.name)
      rows[pending.inode] = NamedEntry(entry: entry, name: name)
    }
    return rows
  }

  private func expectUntouched(_ before: [InodeNumber: NamedEntry]) throws {
    for (inode, row) in before {
      var entry = try #require(try catalog.entry(of: inode), "what is pending stays")
      // The children of a pending folder are not pending.
      entry.isPopulated = row.entry.isPopulated
      if entry.kind == .folder { entry.residency = row.entry.residency }
      #expect(try catalog.details(of: inode)?.name == row.name && entry == row.entry)
    }
  }

  // MARK: The uploader

  private mutating func uploadSome() throws {
    for deletion in try catalog.pendingDeletions(limit: 100) {
      cloud.delete(deletion.item, base: deletion.base)
      try catalog.deletionDone(deletion.item)
    }
    for pending in try catalog.pendingItems(limit: .max) where !pending.isWriting {
      guard let entry = try catalog.entry(of: pending.inode),
        let details = try catalog.details(of: pending.inode),
        let current = try catalog.pendingItem(of: pending.inode), !current.isWriting
      else { continue }
      if try upload(entry, details, current.parts) { try confirm(current) }
    }
  }

  /// Brings the parts of an item into the cloud; false when it must be done another time.
  private mutating func upload(
    _ entry: Entry, _ details: Details, _ parts: PendingParts
  ) throws -> Bool {
    guard let name = details.name else { return true }
    guard let parent = try catalog.details(of: entry.parent)?.item else { return false }
    if parent.rawValue.hasPrefix("local:") { return false }
    if !cloud.hasFolder(parent) {
      var changes: [CatalogChange] = []
      _ = try catalog.becomeNew(entry.parent, changes: &changes)
      try learn(changes)
      return false
    }
    if parts.contains(.created) {
      guard let made = cloud.create(entry, named: name, in: parent) else {
        try giveWay(entry, name)
        return false
      }
      uploaded = made.identifier
      return true
    }
    guard let present = cloud.item(details.item.rawValue) else {
      var changes: [CatalogChange] = []
      _ = try catalog.becomeNew(entry.inode, changes: &changes)
      try learn(changes)
      return false
    }
    if parts.contains(.content), present.version.content != details.version.content {
      try split(entry, present)
      return false
    }
    if parts.contains(.place), !cloud.move(details.item, to: name, in: parent) {
      try giveWay(entry, name)
      return false
    }
    cloud.write(entry, to: details.item, content: parts.contains(.content))
    uploaded = details.item
    return true
  }

  /// Tells the catalog, perhaps after the cloud's own news and another change on the device.
  private mutating func confirm(_ pending: PendingItem) throws {
    let identifier = uploaded
    if identifier == .root { return }
    if Int.random(in: 0..<3, using: &random) == 0 { try hear() }
    if !isQuiet, Int.random(in: 0..<3, using: &random) == 0 { try changeLocally() }
    guard let item = cloud.item(identifier.rawValue) else { return }
    var changes: [CatalogChange] = []
    _ = try catalog.uploaded(
      pending.inode, sequence: pending.sequence, parts: pending.parts, as: item,
      changes: &changes)
    try learn(changes)
  }

  private mutating func split(_ entry: Entry, _ item: Item) throws {
    let copyName = try freshName()
    let conflict = try catalog.splitConflict(entry.inode, with: item, copyName: copyName)
    names[conflict.copy.inode] = copyName
    try learn(conflict.changes)
  }

  private mutating func giveWay(_ entry: Entry, _ name: FileName) throws {
    // A hidden item cannot be renamed; it waits until it shows.
    guard names[entry.inode] != nil else { return }
    _ = try catalog.rename(
      name, in: entry.parent, to: try freshName(), in: .root, .noReplace, keepsIdentity: false)
    try lookAround()
  }

  private mutating func freshName() throws -> FileName {
    freshNames += 1
    return try name("fresh\(freshNames)")
  }

  // MARK: Checks

  /// Every item that can be reached from the root.
  private func reachable() throws -> [NamedEntry] {
    var all: [NamedEntry] = []
    var folders: [InodeNumber] = [.root]
    while let folder = folders.popLast() {
      let children = try catalog.children(of: folder)
      all += children
      folders += children.map(\.entry).filter { $0.kind == .folder }.map(\.inode)
    }
    return all
  }

  /// Every item that shows in its folder, though a folder above may be hidden.
  private func shown() throws -> [NamedEntry] {
    var all: [NamedEntry] = []
    var left = try catalog.counts().items - 1
    var inode = InodeNumber.firstFree
    while left > 0 {
      defer { inode = InodeNumber(rawValue: inode.rawValue + 1) }
      guard let entry = try catalog.entry(of: inode) else { continue }
      left -= 1
      let name = try #require(try catalog.details(of: inode)?.name)
      let bytes = name.bytes
      guard let found = try catalog.entry(named: bytes.span, in: entry.parent) else { continue }
      if found == entry { all.append(NamedEntry(entry: entry, name: name)) }
    }
    return all
  }

  /// What the device itself has done may show what was hidden.
  private mutating func lookAround() throws {
    names = [:]
    for row in try shown() { names[row.entry.inode] = row.name }
  }

  private mutating func learn(_ changes: [CatalogChange]) throws {
    for change in changes {
      switch change {
      case .removed(let entry, let name):
        #expect(names.removeValue(forKey: entry.inode) == name)
      case .added(let inode, _, let name):
        #expect(names.updateValue(name, forKey: inode) == nil)
      case .moved(let old, let oldName, let new, let newName):
        #expect(names[old.inode] == oldName)
        names[new.inode] = newName
      case .contentChanged(_, let new, let name), .metadataChanged(_, let new, let name):
        #expect(names[new.inode] == name || new.inode == .root)
      }
    }
  }

  /// Everything that was told shows, and everything that is pending can be reached.
  func check(_ comment: Comment) throws {
    let shown = try shown()
    #expect(
      Dictionary(uniqueKeysWithValues: shown.map { ($0.entry.inode, $0.name) }) == names, comment)
    for row in shown {
      let bytes = row.name.bytes
      let found = try catalog.entry(named: bytes.span, in: row.entry.parent)
      #expect(found == row.entry, comment)
    }
    for pending in try catalog.pendingItems(limit: .max) {
      #expect(try catalog.path(of: pending.inode) != nil, comment)
      let item = try #require(try catalog.details(of: pending.inode)?.item.rawValue, comment)
      #expect(item.hasPrefix("local:") == pending.parts.contains(.created), comment)
    }
    for deletion in try catalog.pendingDeletions(limit: 100) {
      #expect(try catalog.inode(of: deletion.item) == nil, comment)
    }
  }

  /// Device and cloud have the same.
  /// Nothing in the file contradicts anything else.
  func checkFile() throws {
    catalog.close()
    try Catalog(directory: directory.path, isThorough: true).close()
  }

  func checkComplete(_ comment: Comment) throws {
    #expect(try catalog.counts().items == cloud.items.count + 1, comment)
    for identifier in cloud.items.keys.sorted() {
      let entry = try catalog.resolve(cloud.path(of: identifier))
      #expect(try entry?.inode == catalog.inode(of: ItemIdentifier(rawValue: identifier)), comment)
      #expect(entry?.size == cloud.item(identifier)?.size, comment)
    }
  }
}
