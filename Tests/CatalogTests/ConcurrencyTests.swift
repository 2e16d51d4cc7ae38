import Catalog
import Cloud
import Foundation
import Platform
import Testing

@Suite struct ConcurrencyTests {
  /// Each transaction adds two items, so whoever sees an odd number saw half of one.
  @Test func readersSeeWholeTransactionsWhileAWriterGoesOn() async throws {
    let directory = try TemporaryDirectory()
    let catalog = try directory.open()
    _ = try catalog.populate(.root, with: [])
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for round in 1...300 {
          let changes: [Change] = [
            .updated(try item("x\(round)")), .updated(try item("y\(round)")),
          ]
          let told = try catalog.apply(changes, anchor: SyncAnchor(rawValue: "\(round)"))
          #expect(told.count == 2)
          #expect(try catalog.entry(at: "y\(round)") != nil, "a writer reads what it has written")
        }
      }
      for _ in 0..<3 {
        group.addTask {
          var last = 0
          while last < 600 {
            var count = 0
            try catalog.forEachChild(of: .root) { _, _ in
              count += 1
              return true
            }
            #expect(count % 2 == 0 && count >= last)
            last = count
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func theLogDoesNotGrowWithoutEndWhileSomebodyReads() throws {
    let directory = try TemporaryDirectory()
    let catalog = try directory.open()
    _ = try catalog.populate(.root, with: try (0..<200).map { try item("i\($0)") })
    var longest = 0
    for round in 0..<120 {
      for inode in InodeNumber.firstFree.rawValue..<InodeNumber.firstFree.rawValue + 100 {
        _ = try catalog.evict(InodeNumber(rawValue: inode))
        _ = try catalog.entry(of: InodeNumber(rawValue: inode))
      }
      guard round > 60 else { continue }
      let log = directory.path + "/catalog.sqlite-wal"
      let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? 0
      longest = max(longest, size)
    }
    // About 12,000 commits of three pages each are 150 MB, if nothing is used again.
    #expect(longest > 0 && longest < 64 << 20, "\(longest)")
  }
}
