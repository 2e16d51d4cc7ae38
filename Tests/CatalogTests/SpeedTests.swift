import Catalog
import Cloud
import Foundation
import Platform
import Testing

/// Prints what the catalog costs; run alone, in release mode: `FAUXDRIVE_SPEED=1 swift test -c release
/// --filter SpeedTests`.
@Suite(
  .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["FAUXDRIVE_SPEED"] != nil,
    "measures; set FAUXDRIVE_SPEED to run it"))
struct SpeedTests {
  private static let count = 100_000

  @Test func whatTheCatalogCosts() throws {
    let directory = try TemporaryDirectory()
    let catalog = try directory.open()
    let items = try (0..<Self.count).map {
      try item("identifier-\($0)", named: "Document number \($0).plist", size: 4096)
    }
    try measure("populate 100,000", per: 1) { _ = try catalog.populate(.root, with: items) }
    try measure("populate again, unchanged", per: 1) {
      let changes = try catalog.populate(.root, with: items)
      #expect(changes.isEmpty)
    }
    try measureReading(catalog, items)
    try measureChanging(catalog, items)
    try measureLocalChanges(catalog)
    try measure("close", per: 1) { catalog.close() }
    try measure("open", per: 1) { _ = try directory.open() }
    try measure("open after a kill", per: 1) { try directory.open().close() }
  }

  private func measureReading(_ catalog: Catalog, _ items: [Item]) throws {
    let names = items.compactMap(\.name).shuffled()
    for round in ["cold", "warm"] {
      try measure("entry(named:), random, \(round)", per: names.count) {
        for name in names { _ = try catalog.entry(named: name.bytes.span, in: .root) }
      }
    }
    try measure("entry(of:), random", per: names.count) {
      for _ in names {
        let number = UInt64.random(in: 16..<UInt64(16 + Self.count))
        _ = try catalog.entry(of: InodeNumber(rawValue: number))
      }
    }
    var bytes = 0
    try measure("forEachChild", per: Self.count) {
      try catalog.forEachChild(of: .root) { _, name in
        bytes += name.count
        return true
      }
    }
    #expect(bytes > Self.count)
    try measure("children", per: Self.count) {
      let children = try catalog.children(of: .root)
      #expect(children.count == Self.count)
    }
  }

  private func measureChanging(_ catalog: Catalog, _ items: [Item]) throws {
    let entries = try catalog.children(of: .root, limit: 10000).map(\.entry)
    try measure("publish", per: entries.count) {
      for entry in entries {
        let isPublished = try catalog.publish(entry.inode, contentSerial: entry.contentSerial)
        #expect(isPublished)
      }
    }
    try measure("publish, each with a look-up", per: entries.count) {
      for entry in entries {
        _ = try catalog.publish(entry.inode, contentSerial: entry.contentSerial)
        _ = try catalog.entry(of: entry.inode)
      }
    }
    try measure("evict", per: entries.count) {
      for entry in entries { _ = try catalog.evict(entry.inode) }
    }
    try measure("apply, one change", per: 5000) {
      for var item in items.prefix(5000) {
        item.version = ItemVersion(content: "2", metadata: "2")
        item.size = 1
        _ = try catalog.apply([.updated(item)], anchor: SyncAnchor(rawValue: "1"))
      }
    }
    try measure("counts", per: 1) { _ = try catalog.counts() }
  }

  private func measureLocalChanges(_ catalog: Catalog) throws {
    let count = 10_000
    let before = try (0..<count).map { try name("local file number \($0)") }
    let after = try (0..<count).map { try name("renamed file number \($0)") }
    var entries: [Entry] = []
    try measure("create", per: count) {
      for name in before {
        entries.append(try catalog.create(name, in: .root, kind: .file, permissions: 0o644))
      }
    }
    try measure("beginWriting and endWriting", per: count) {
      for entry in entries {
        _ = try catalog.beginWriting(entry.inode, emptied: false)
        _ = try catalog.endWriting(
          entry.inode, size: 4096, modified: .now, stillWriting: false)
      }
    }
    try measure("setLocal", per: count) {
      for entry in entries {
        _ = try catalog.setLocal(entry.inode, size: nil, modified: nil, permissions: 0o600)
      }
    }
    try measure("rename in a folder", per: count) {
      for (old, new) in zip(before, after) {
        _ = try catalog.rename(
          old, in: .root, to: new, in: .root, .replacing, keepsIdentity: false)
      }
    }
    try measure("pendingItems, 100 at a time", per: count) {
      var last: UInt64 = 0
      while let end = try catalog.pendingItems(after: last, limit: 100).last { last = end.sequence }
    }
    try measure("removeLocal", per: count) {
      for name in after { _ = try catalog.removeLocal(name, in: .root, asFolder: false) }
    }
    try measure("synchronize", per: 1) { try catalog.synchronize() }
  }

  private func measure(_ what: String, per count: Int, _ body: () throws -> Void) throws {
    let begin = processorTime()
    let duration = try ContinuousClock().measure(body)
    let processor = (processorTime() - begin) / Int64(count)
    let elapsed = duration.nanoseconds / Int64(count)
    print(
      what.padding(toLength: 34, withPad: " ", startingAt: 0),
      "\(elapsed) ns, \(processor) of the processor")
  }

  /// The calling thread's, which says more than elapsed time on a machine with other work.
  private func processorTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
