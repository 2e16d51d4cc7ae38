import Control
import DriveClient
import Glibc
import Ledger
import MountKit
import Platform
import Testing

/// How the ledger of a running world is asked.
@Suite(
  .enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"), .timeLimit(.minutes(15)))
struct LedgerCallsTests {
  @Test func `a record is waited for while it is open, or when it is complete`() throws {
    let drive = try MountedDrive("synology", cloud: ["a": [1]])
    let world = try drive.world()
    let gate = try world.closeGate(at: .firstByte)
    #expect(try drive.run("stat", drive.at("a")).status == 1)
    try world.awaitGate(gate)
    let running = LedgerFilter(kinds: [.transfer], isComplete: false)
    #expect(try world.awaitRecords(running).map(\.answer) == [nil])
    let transfers = LedgerFilter(kinds: [.transfer], isComplete: true)
    let error = #expect(throws: ControlError.self) {
      try world.awaitRecords(transfers, timeout: .zero)
    }
    #expect(error?.code == .timedOut)
    try world.openGate()
    #expect(try world.awaitRecords(transfers).map(\.answer) == ["completed"])
  }

  @Test func `a long ledger is read page by page from its beginning`() throws {
    let drive = try MountedDrive("icloud", cloud: ["a": [1], "b": [2], "c": [3]])
    try drive.run("cat", drive.at("a"), drive.at("b"), drive.at("c"))
    let world = try drive.world()
    let filter = LedgerFilter(kinds: [.transfer])
    let page = try world.call(LedgerQuery.self, .init(filter: filter, limit: 2))
    #expect(page.records.map(\.path) == ["/a", "/b"])
    #expect(!page.isComplete)
    let last = try #require(page.records.last)
    let rest = LedgerFilter(after: last.id, kinds: [.transfer])
    let next = try world.call(LedgerQuery.self, .init(filter: rest, limit: 2))
    #expect(next.records.map(\.path) == ["/c"])
    #expect(next.isComplete)
    #expect(try world.awaitRecords(filter, count: 2).map(\.path) == ["/a", "/b"])
  }

  /// semantics: "`ledger --follow` begins with what is in the ledger already."
  @Test func `following begins with what is there already`() throws {
    let drive = try MountedDrive("icloud", cloud: ["a": [1], "b": [2]])
    try drive.run("cat", drive.at("a"))
    let pipe = drive.folder + "/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    let follower = try drive.start(
      "/bin/sh", "-c", "exec \"$0\" ledger --follow --kind transfer \"$1\" >\"$2\"",
      MountedDrive.program, drive.mountpoint, pipe)
    let reader = try drive.start("head", "-n", "2", pipe)
    try drive.run("cat", drive.at("b"))
    let lines = reader.finish().output.split(separator: "\n")
    follower.end()
    #expect(lines.count == 2, "\(lines)")
    #expect(lines.first?.contains(#/transfer /a: completed, 1 bytes, caused by #/#) == true)
    #expect(lines.last?.contains("transfer /b: completed") == true)
  }

  @Test func `a document's ledger holds neither its neighbours nor what a glob would match`() throws
  {
    let drive = try MountedDrive("icloud", cloud: ["[a]*": [1], "[a]*2": [2], "a": [3]])
    try drive.run("cat", drive.at("[a]*"), drive.at("[a]*2"), drive.at("a"))
    let ended = try drive.run(
      MountedDrive.program, "ledger", "--kind", "transfer", "--json", drive.at("[a]*"))
    #expect(ended.output.split(separator: "\n").count == 1, "\(ended)")
    #expect(ended.output.contains(#""path":"/[a]*""#))
  }
}
