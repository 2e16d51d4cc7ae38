import Cloud
import Foundation
import Platform
import Testing

@testable import Catalog

/// What programs have changed since the last commit, and how a killed process gets it back.
@Suite struct RedoTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path + "/catalog.redo" }

  init() throws { directory = try TemporaryDirectory() }

  @Test func aLineIsReadAsItWasWritten() throws {
    let odd = try #require(FileName(Array(1...46) + Array(48...255) as [UInt8]))
    let old = Position(parent: InodeNumber(rawValue: 1 << 39), name: odd)
    let new = Position(parent: .root, name: try name("-"))
    let inode = InodeNumber(rawValue: 77)
    let time = Timestamp(seconds: -1, nanoseconds: 999_999_999)
    let operations: [LocalOperation] = [
      .create(odd, in: .root, kind: .file, permissions: 0o7777, target: nil, covering: true),
      .create(odd, in: inode, kind: .symlink, permissions: 0, target: [], covering: false),
      .create(odd, in: inode, kind: .folder, permissions: 1, target: [45, 10, 9], covering: false),
      .remove(odd, in: inode, asFolder: true), .remove(odd, in: inode, asFolder: false),
      .rename(old, to: new, .replacing, keepsIdentity: true),
      .rename(new, to: old, .noReplace, keepsIdentity: false),
      .rename(old, to: old, .exchange, keepsIdentity: false),
      .beginWriting(inode, emptied: true), .beginWriting(inode, emptied: false),
      .endWriting(inode, size: .max, modified: time, stillWriting: true),
      .endWriting(inode, size: 0, modified: Timestamp(seconds: .min), stillWriting: false),
      .set(inode, size: nil, modified: nil, permissions: nil),
      .set(inode, size: 0, modified: time, permissions: 0o7777),
    ]
    for (index, operation) in operations.enumerated() {
      let line = RedoLine(
        commit: .max, index: UInt64(index),
        record: RedoLog.Record(
          operation: operation, time: time,
          counters: Counters(inode: 1, serial: .max, sequence: 0)))
      var bytes: [UInt8] = []
      line.append(to: &bytes)
      #expect(bytes.count { $0 == UInt8(ascii: "\n") } == 1)
      #expect(RedoLine(bytes.dropLast()) == line)
      for index in bytes.indices.dropLast() {
        var damaged = bytes
        damaged[index] ^= 4
        #expect(RedoLine(damaged.dropLast()) == nil)
      }
    }
  }

  /// A folder, and a document that was written in it, and one that is being written.
  private func change(_ catalog: Catalog) throws {
    let folder = try catalog.make("d", .folder)
    try catalog.makeWritten("a", in: folder.inode)
    try catalog.make("b", in: folder.inode)
  }

  /// A catalog that commits nothing by itself after a while.
  private func open() throws -> Catalog {
    let catalog = try directory.open()
    catalog.isCommitDue.withLock { $0 = true }
    return catalog
  }

  @Test func whatAKilledProcessHasChangedIsThere() throws {
    let catalog = try open()
    try change(catalog)
    #expect(catalog.readers.isBehind)
    try expectSameAfterKill(catalog, directory)
    _ = try catalog.move("d", to: "e")
    try catalog.makeWritten("c")
    try expectSameAfterKill(catalog, directory)
  }

  @Test func whatIsCommittedIsNotMadeAgain() throws {
    let catalog = try open()
    try change(catalog)
    let log = try Data(contentsOf: URL(filePath: path))
    try catalog.commit()
    #expect(!catalog.readers.isBehind)
    // As if the process were killed before anything else was written.
    #expect(try Data(contentsOf: URL(filePath: path)) == log)
    try expectSameAfterKill(catalog, directory)
    // Shorter than the old one, of which the rest stays.
    try catalog.makeWritten("f")
    try expectSameAfterKill(catalog, directory)
  }

  @Test func aLineThatWasNotFinishedDoesNotCount() throws {
    let catalog = try open()
    try change(catalog)
    let log = try Data(contentsOf: URL(filePath: path)).split(separator: 10)
    #expect(log.count == 4)
    let copies = try [1, 20, log[3].count].map { cut in
      let copy = try KilledCopy(of: directory, catalog)
      let rest = Data(log[..<3].joined(separator: [10]) + [10] + log[3].dropLast(cut))
      try rest.write(to: URL(filePath: copy.directory.path + "/catalog.redo"))
      return copy
    }
    #expect(try State(catalog).names == ["d", "d/a", "d/b"])
    for copy in copies {
      #expect(try State(try copy.directory.open()).names == ["d", "d/a"])
    }
  }

  @Test func afterAPowerCutNothingIsMadeAgain() throws {
    let catalog = try open()
    try catalog.makeWritten("a")
    try catalog.commit()
    try catalog.makeWritten("b")
    let copy = try KilledCopy(of: directory, catalog)
    let other = try copy.directory.open(boot: "another")
    #expect(other.wasPowerCut)
    #expect(try other.names(in: .root) == ["a"])
    #expect(!FileManager.default.fileExists(atPath: copy.directory.path + "/catalog.redo"))
  }

  @Test func aLogThatContradictsTheCatalogIsDamage() throws {
    let catalog = try open()
    let entry = try catalog.make("a")
    try catalog.commit()
    let commits: UInt64 = 1
    let record = RedoLog.Record(
      operation: .remove(try name("b"), in: entry.inode, asFolder: false), time: .now,
      counters: Counters(inode: 100, serial: 100, sequence: 100))
    let copy = try KilledCopy(of: directory, catalog)
    let log = RedoLog(path: copy.directory.path + "/catalog.redo")
    #expect(log.append(record, after: commits))
    let error = #expect(throws: CatalogError.self) { _ = try copy.directory.open() }
    #expect(error?.code == .corrupt)
  }

  @Test func withoutALogEveryChangeIsCommitted() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let catalog = try open()
    try change(catalog)
    #expect(!catalog.readers.isBehind)
    try expectSameAfterKill(catalog, directory)
  }

  @Test func aListingMayCallTheCatalog() throws {
    let catalog = try open()
    try change(catalog)
    var found: [InodeNumber] = []
    try catalog.forEachChild(of: .root) { entry, _ in
      found += (try? catalog.children(of: entry.inode).map(\.entry.inode)) ?? []
      return true
    }
    #expect(found.count == 2)
  }

  @Test func aCommitOfManyChangesHasALimit() throws {
    let catalog = try open()
    for number in 0..<1000 { try catalog.make("\(number)") }
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    #expect(size < 100_000)
    try expectSameAfterKill(catalog, directory)
  }
}

/// What a process would find that comes after one that is killed now.
struct KilledCopy {
  let directory: TemporaryDirectory

  init(of original: TemporaryDirectory, _ catalog: Catalog) throws {
    directory = try TemporaryDirectory()
    try catalog.whileNothingIsCommitted { try copy(original) }
  }

  private func copy(_ original: TemporaryDirectory) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: original.path) {
      let (from, to) = ("\(original.path)/\(name)", "\(directory.path)/\(name)")
      // SQLite's index of its log is no file that a new process takes over.
      if name.hasSuffix("-shm") { continue }
      try FileManager.default.copyItem(atPath: from, toPath: to)
    }
  }
}

/// All that a catalog says.
struct State: Equatable {
  struct Item: Equatable {
    let path: String
    let entry: Entry
    let details: Details?
    let xattrs: [[UInt8]]
  }

  var items: [Item] = []
  let pending: [PendingItem]
  let deletions: [PendingDeletion]
  let sendings: [Sending]
  let anchor: SyncAnchor?

  var names: [String] { items.map(\.path) }

  init(_ catalog: Catalog) throws {
    pending = try catalog.pendingItems(limit: .max)
    deletions = try catalog.pendingDeletions(limit: .max)
    sendings = try catalog.sendings()
    anchor = try catalog.anchor()
    try add(.root, "", catalog)
  }

  private mutating func add(_ folder: InodeNumber, _ path: String, _ catalog: Catalog) throws {
    for child in try catalog.children(of: folder) {
      let inode = child.entry.inode
      items.append(
        Item(
          path: path + child.name.text, entry: child.entry,
          details: try catalog.details(of: inode), xattrs: try catalog.xattrNames(of: inode)))
      if child.entry.kind == .folder { try add(inode, path + child.name.text + "/", catalog) }
    }
  }
}

/// A process that comes after this one is killed now finds what this one knows, and gives out other numbers.
func expectSameAfterKill(
  _ catalog: Catalog, _ directory: TemporaryDirectory,
  _ location: SourceLocation = #_sourceLocation
) throws {
  // First, since the look at the state commits.
  let copy = try KilledCopy(of: directory, catalog)
  let state = try State(catalog)
  let next = try copy.directory.open()
  #expect(try State(next) == state, sourceLocation: location)
  let (ours, theirs) = (try catalog.make("new"), try next.make("new"))
  #expect(ours.inode <= theirs.inode, sourceLocation: location)
  _ = try catalog.unlink("new")
}
