import Foundation
import Ledger
import Platform
import Testing

/// Prints what the ledger costs; run alone, in release mode: `FAUXDRIVE_SPEED=1 swift test -c release
/// --filter LedgerSpeedTests`.
@Suite(
  .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["FAUXDRIVE_SPEED"] != nil,
    "measures; set FAUXDRIVE_SPEED to run it"))
struct LedgerSpeedTests {
  @Test func whatTheLedgerCosts() throws {
    let directory = try TemporaryDirectory()
    try measure("in memory", file: nil)
    try measure("with a file", file: directory.path + "/ledger.jsonl")
  }

  private func measure(_ name: String, file: String?) throws {
    let recorder = try Recorder(
      clock: SystemClock(), wallClock: { 0 }, capacity: 10_000, file: file)
    let template = record("stat", "/Documents/Projects/Game.plist")
    let node = NodeID(inode: .firstFree)
    time("begin and finish, \(name)", 100_000) {
      let id = recorder.begin(template)
      recorder.finish(id, answer: "present")
    }
    time("add, \(name)", 100_000) { recorder.add(template) }
    time("absorb, nothing pending, \(name)", 1_000_000) { recorder.absorb(thread: 7, node: node) }
    time("lookup and absorb, \(name)", 100_000) {
      recorder.lookup(thread: 7, node: node, record: template)
      recorder.absorb(thread: 7, node: node)
    }
    #expect(recorder.records().count == 10_000)
    time("query of 10,000, \(name)", 10) {
      _ = recorder.records(matching: Query(callClass: "open"))
    }
  }

  private func time(_ what: String, _ count: Int, _ body: () -> Void) {
    let duration = ContinuousClock().measure { for _ in 0..<count { body() } }
    let nanoseconds = Int(duration.nanoseconds) / count
    print(what.padding(toLength: 40, withPad: " ", startingAt: 0), "\(nanoseconds) ns")
  }
}
