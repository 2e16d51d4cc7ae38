import Catalog
import Cloud
import Foundation
import Glibc
import Platform
import Simulation
import Testing

@testable import Drive

/// A device whose catalog or content somebody, or the disk, has damaged.
@Suite(.timeLimit(.minutes(15))) struct DamageTests {
  enum Damage: String, CaseIterable, Sendable {
    case missing, empty, garbage, foreign, shortened, cutInHalf, pagesOverwritten
    /// What a crash left in the log is gone: the database is older than it should be.
    case withoutLog
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let damage: Damage
    /// Whether the device was closed before; else its process was killed.
    let isClosed: Bool
    /// Whether the journal is gone as well.
    let losesJournal: Bool
    var testDescription: String {
      "\(damage)\(isClosed ? "" : " after a kill")\(losesJournal ? " with the journal" : "")"
    }
  }

  static let cases =
    Damage.allCases.flatMap { damage in
      (damage == .withoutLog ? [false] : [true, false]).map {
        Case(damage: damage, isClosed: $0, losesJournal: false)
      }
    }
    + [.missing, .garbage, .pagesOverwritten].map {
      Case(damage: $0, isClosed: $0 == .garbage, losesJournal: true)
    }

  /// semantics: "A damaged catalog is set aside, never deleted, and rebuilt from the cloud and from what is on the device; `fauxdrive mount` says so, and so do the log and `fauxdrive status`."
  /// semantics: "Nothing is fetched and nothing is deleted in the cloud for a catalog that was damaged."
  /// semantics: "What a program has closed and the cloud does not have yet survives a damaged catalog: under its name, with its inode number, and upon the version that it changed."
  /// semantics: "If the journal of changes is lost with the catalog, documents that only the device had are found in a folder `Recovered` with the date, under the names that can still be found out."
  /// semantics: "A deletion that the cloud did not have yet is forgotten with a damaged catalog: the document is there again."
  /// semantics: "After a damaged catalog no inode number is used again."
  @Test(arguments: cases) func aDamagedCatalogIsRebuilt(_ trial: Case) async throws {
    let scene = try await Scene()
    let before = try scene.inodes()
    let folder = try scene.leave(isClosed: trial.isClosed)
    try Self.damage(folder, trial)
    let test = try TestDrive("icloud", store: scene.store, folder: folder)
    defer { test.remove() }
    let rebuild = try #require(test.rebuild)
    #expect(access(rebuild.setAside, F_OK) == 0)
    if trial.damage != .missing {
      #expect(access(rebuild.setAside + "/catalog.sqlite", F_OK) == 0)
    }
    #expect(test.drive.notices == [rebuild.summary])
    #expect(rebuild.damaged.isEmpty)
    if trial.losesJournal {
      #expect(rebuild.kept == 0 && rebuild.recovered.count == 3, "\(rebuild)")
    } else {
      #expect(rebuild.recovered.isEmpty && rebuild.kept == 7, "\(rebuild)")
      try await scene.expectPendingIsHere(test, before)
    }
    try await test.settleUploads()
    try await scene.expectCloud(test, rebuild)
    #expect(test.ledger.transfers.isEmpty)
    let greatest = before.values.max() ?? .root
    for (path, inode) in try await scene.allInodes(test) where before[path] != inode {
      // What was recovered keeps its number under another name.
      #expect(inode > greatest || path.hasPrefix("Recovered"), "\(path)")
    }
    let again = try test.restarted("icloud")
    #expect(again.rebuild == nil && again.drive.notices.isEmpty)
  }

  private static func damage(_ folder: String, _ trial: Case) throws {
    let path = folder + "/catalog.sqlite"
    let url = URL(filePath: path)
    // Whatever the log holds would mend the file.
    unlink(path + "-wal")
    if trial.losesJournal {
      try FileManager.default.removeItem(atPath: folder + "/catalog.journal")
    }
    switch trial.damage {
    case .missing: try FileManager.default.removeItem(atPath: path)
    case .empty: try Data().write(to: url)
    case .garbage: try Data(repeating: 0x41, count: 30_000).write(to: url)
    case .foreign: try makeForeign(path)
    case .shortened: truncate(path, 100)
    case .cutInHalf: truncate(path, off_t(try Data(contentsOf: url).count / 2))
    case .pagesOverwritten:
      let file = try FileHandle(forUpdating: url)
      try file.seek(toOffset: 4096)
      try file.write(contentsOf: Data(repeating: 0xa5, count: 3 * 4096))
      try file.close()
    case .withoutLog: break
    }
  }

  private static func makeForeign(_ path: String) throws {
    unlink(path)
    let other = NSTemporaryDirectory() + "foreign-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: other) }
    try Catalog(directory: other).close()
    var bytes = try Data(contentsOf: URL(filePath: other + "/catalog.sqlite"))
    bytes.replaceSubrange(68..<72, with: [1, 2, 3, 4])
    try bytes.write(to: URL(filePath: path))
  }
}

/// A device with everything that can be pending, and its cloud.
private struct Scene {
  let store = MemoryStore(pieceSize: 4096)
  private let test: TestDrive

  init() async throws {
    for (path, size) in [
      ("a", 1000), ("b", 2000), ("c", 3000), ("d/e", 4000), ("d/f", 5000), ("d/g/h", 6000),
    ] { try store.put(pattern(size), at: path) }
    test = try TestDrive("icloud", store: store)
    _ = try await test.list(.root)
    for folder in ["d", "d/g"] { _ = try await test.list(try await test.node(folder)) }
    #expect(try await test.read("a") == pattern(1000))
    #expect(try await test.read("d/g/h") == pattern(6000))
    #expect(try await test.read("d/f") == pattern(5000))
    test.conditions.change { $0.isOnline = false }
    // Content: of a known document, of a new one, of one in a new folder.
    let (_, item) = try await test.openToWrite("d/g/h")
    try await test.write([1, 2, 3], at: 100, item)
    try test.close(item)
    try await test.put(pattern(700, seed: 1), "d/new")
    try await test.makeFolder("made")
    try await test.makeFolder("made/deep")
    try await test.put(pattern(800, seed: 2), "made/deep/x")
    // A place, an empty document, a deletion.
    try await test.rename("b", to: "d/b2")
    let (_, empty) = try await test.create("empty")
    try test.close(empty)
    try await test.remove("c")
  }

  var changed: [UInt8] {
    var bytes = pattern(6000)
    bytes.replaceSubrange(100..<103, with: [1, 2, 3])
    return bytes
  }

  static let pending = ["d/g/h", "d/new", "made", "made/deep", "made/deep/x", "d/b2", "empty"]

  func inodes() throws -> [String: InodeNumber] {
    var inodes: [String: InodeNumber] = [:]
    for path in Self.pending + ["a", "d", "d/e", "d/f", "d/g"] {
      inodes[path] = try test.drive.find("/" + path)
    }
    return inodes
  }

  /// The device's folder as it is after the end of its process.
  func leave(isClosed: Bool) throws -> String {
    let copy = test.folder + "-left"
    if isClosed {
      test.drive.stop()
      test.catalog.close()
    }
    try test.catalog.whileNothingIsCommitted {
      try FileManager.default.copyItem(atPath: test.folder, toPath: copy)
    }
    return copy
  }

  /// All that was pending is known, and what was written is here, without the cloud.
  func expectPendingIsHere(_ test: TestDrive, _ before: [String: InodeNumber]) async throws {
    test.conditions.change { $0.isOnline = false }
    for path in Self.pending { #expect(try test.drive.find("/" + path) == before[path], "\(path)") }
    for (path, bytes) in [
      ("d/g/h", changed), ("d/new", pattern(700, seed: 1)), ("made/deep/x", pattern(800, seed: 2)),
    ] { #expect(try await test.walked(path) == bytes, "\(path)") }
    test.conditions.change { $0.isOnline = true }
  }

  /// The cloud has everything that it had, but what was changed.
  func expectCloud(_ test: TestDrive, _ rebuild: CatalogRebuild) async throws {
    var expected: [String: [UInt8]] = [
      "a": pattern(1000), "c": pattern(3000), "d/": [], "d/e": pattern(4000), "d/f": pattern(5000),
      "d/g/": [],
    ]
    if rebuild.kept > 0 {
      expected.merge([
        "d/b2": pattern(2000), "d/g/h": changed, "d/new": pattern(700, seed: 1), "made/": [],
        "made/deep/": [], "made/deep/x": pattern(800, seed: 2), "empty": [],
      ]) { $1 }
    } else {
      expected.merge(["b": pattern(2000), "d/g/h": pattern(6000)]) { $1 }
      let found = try store.tree().filter { $0.key.hasPrefix("Recovered") && !$0.value.isEmpty }
      let bytes = [changed, pattern(700, seed: 1), pattern(800, seed: 2)]
      #expect(Set(found.values) == Set(bytes))
      #expect(found.keys.sorted().map { "/" + $0 } == rebuild.recovered.sorted())
      expected.merge(try store.tree().filter { $0.key.hasPrefix("Recovered") }) { $1 }
    }
    #expect(try store.tree() == expected)
  }

  /// Every item of the drive, listed anew.
  func allInodes(_ test: TestDrive) async throws -> [String: InodeNumber] {
    var inodes: [String: InodeNumber] = [:]
    for path in try store.tree().keys {
      let name = path.hasSuffix("/") ? String(path.dropLast()) : path
      inodes[name] = try await test.node(name).inode
    }
    return inodes
  }
}

extension TestDrive {
  /// Reads by a walk that lists nothing beforehand.
  func walked(_ path: String) async throws -> [UInt8] {
    var node = NodeID.root
    for name in path.split(separator: "/") {
      let outcome = drive.lookup(Array(name.utf8).span, in: node, Self.caller)
      guard case .found(let found) = try await outcome.value() else { throw Errno.noSuchFile }
      node = found.node
    }
    return try await contents(node)
  }

  /// Removes a folder that was given from outside.
  func remove() {
    drive.stop()
    catalog.close()
    try? FileManager.default.removeItem(atPath: folder)
  }
}
