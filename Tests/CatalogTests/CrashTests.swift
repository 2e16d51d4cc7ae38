import Catalog
import Cloud
import Foundation
import Platform
import Testing

@Suite struct CrashTests {
  /// The child is killed at some moment of a stream of changes; whatever was returned from is there, and
  /// what was under way is there as a whole or not at all.
  @Test(arguments: [1, 20, 90])
  func aKilledProcessLeavesWholeTransactions(milliseconds: Int) async throws {
    let directory = try TemporaryDirectory()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = directory.path as String, milliseconds = milliseconds as Int] in
      try changeUntilKilled(path, after: milliseconds)
    }
    let catalog = try directory.open(boot: "boot")
    #expect(!catalog.wasPowerCut)
    let told = Int(try String(contentsOfFile: directory.path + "/told", encoding: .utf8)) ?? 0
    let last = Int(try catalog.anchor()?.rawValue ?? "") ?? 0
    #expect(last == told || last == told + 1)
    #expect(try catalog.children(of: .root).count == last * 2)
    for round in 1..<(last + 1) {
      #expect(try catalog.entry(at: "x\(round)") != nil)
      #expect(try catalog.entry(at: "y\(round)") != nil)
    }
    let used = try catalog.children(of: .root).map(\.entry.inode).max() ?? InodeNumber(rawValue: 15)
    _ = try catalog.apply(.updated(try item("new")))
    #expect(try catalog.inode("new") > used)
  }
}

/// Adds two items a transaction, and notes in a file how many transactions have returned.
private func changeUntilKilled(_ directory: String, after milliseconds: Int) throws {
  let catalog = try Catalog(directory: directory, bootIdentifier: "boot")
  _ = try catalog.populate(.root, with: [])
  let note = try FileDescriptor.open(directory + "/told", O_RDWR | O_CREAT)
  func tell(_ round: Int) throws {
    try Array("\(round)".utf8).withUnsafeBytes { try note.write($0, at: 0) }
  }
  try tell(0)
  Threads.detach(named: "killer") {
    usleep(UInt32(milliseconds) * 1000)
    kill(getpid(), SIGKILL)
  }
  for round in 1... {
    let changes: [Change] = [.updated(try item("x\(round)")), .updated(try item("y\(round)"))]
    _ = try catalog.apply(changes, anchor: SyncAnchor(rawValue: "\(round)"))
    try tell(round)
  }
}
