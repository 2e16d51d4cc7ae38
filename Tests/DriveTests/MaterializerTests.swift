import Catalog
import Cloud
import Drive
import Ledger
import Platform
import Profiles
import Simulation
import Testing

struct MaterializerTests {
  private static func partial(_ settings: inout DriveSettings) {
    settings.representation.materialization = .partial
  }

  private static func progressive(_ settings: inout DriveSettings) {
    settings.representation.materialization = .progressive
  }

  @Test func `any number of callers wait for one transfer, and one release lets all go`()
    async throws
  {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(10_000), at: "a")
    let node = try await test.node("a")
    let gate = try test.hold("/a", at: .lastByte)
    let item = try #require(test.open(node).ready)
    let reads = (0..<1000).map {
      test.read(ByteRange(offset: Int64($0), count: 1), item, node)
    }
    try await test.gates.awaitWaiting(1, at: gate)
    try test.gates.open(gate)
    for (offset, read) in reads.enumerated() {
      #expect(try await read.value().bytes == [pattern(10_000)[offset]])
    }
  }

  @Test func `a caller's interrupt ends its wait and not the others'`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(100), at: "a")
    let node = try await test.node("a")
    let gate = try test.hold("/a", at: .firstByte)
    let item = try #require(test.open(node).ready)
    let first = test.read(ByteRange(offset: 0, count: 1), item, node)
    let second = test.read(ByteRange(offset: 1, count: 1), item, node)
    try await test.gates.awaitWaiting(1, at: gate)
    guard case .pending(let ticket) = first else { return #expect(Bool(false), "not held") }
    ticket.cancel()
    await #expect(throws: Errno.interrupted) { try await first.value() }
    try test.gates.open(gate)
    #expect(try await second.value().bytes == [pattern(2)[1]])
  }

  @Test func `partial brings the blocks that are read and no more`() async throws {
    let test = try TestDrive("icloud", change: Self.partial)
    try test.store.put(blocks(1 << 20), at: "a")
    let node = try await test.node("a")
    let item = try #require(test.open(node).ready)
    let bytes = try await test.read(ByteRange(offset: 500_000, count: 10), item, node).value().bytes
    #expect(bytes == Array(blocks(1 << 20)[500_000..<500_010]))
    try await test.ledger.settled(kind: .transfer, answer: "completed")
    let status = try test.status("/a")
    #expect(status.downloadingStatus == .notDownloaded)
    #expect(status.percent == 12)
  }

  @Test func `partial stops when nobody waits, and goes on where it was`() async throws {
    let test = try TestDrive("icloud", change: Self.partial)
    try test.store.put(pattern(200_000), at: "a")
    let node = try await test.node("a")
    let gate = try test.hold("/a", at: .byte(8192))
    let item = try #require(test.open(node).ready)
    let whole = ByteRange(offset: 0, count: 131_072)
    guard case .pending(let ticket) = test.read(whole, item, node) else {
      return #expect(Bool(false), "not held")
    }
    try await test.gates.awaitWaiting(1, at: gate)
    ticket.cancel()
    try await test.ledger.settled(kind: .transfer, answer: "cancelled")
    try test.gates.open(gate)
    #expect(
      try await test.read(whole, item, node).value().bytes == Array(pattern(200_000)[..<131_072]))
    let transfers = test.ledger.transfers
    #expect(transfers.map(\.answer) == ["cancelled", "completed"])
    #expect(transfers.map(\.bytes) == [8192, 131_072 - 8192])
  }

  @Test func `progressive hands out what is here and turns to what is wanted`() async throws {
    let test = try TestDrive("icloud", change: Self.progressive)
    let size = 16 << 20
    let content = blocks(size)
    try test.store.put(content, at: "a")
    let node = try await test.node("a")
    let gate = try test.hold("/a", at: .byte(1 << 20))
    let item = try #require(test.open(node).ready)
    let head = try await test.read(ByteRange(offset: 0, count: 4096), item, node).value().bytes
    #expect(head == Array(content[..<4096]))
    try await test.gates.awaitWaiting(1, at: gate)
    let tail = test.read(ByteRange(offset: Int64(size) - 4096, count: 4096), item, node)
    #expect(tail.isPending)
    try test.gates.open(gate)
    #expect(try await tail.value().bytes == Array(content[(size - 4096)...]))
    try await test.settled("/a")
    #expect(try test.status("/a").downloadingStatus == .current)
    #expect(try await test.contents(node) == content)
  }

  @Test func `full hands out no byte before the whole is verified`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(100_000), at: "a")
    let node = try await test.node("a")
    let gate = try test.hold("/a", at: .beforePublish)
    let item = try #require(test.open(node).ready)
    let read = test.read(ByteRange(offset: 0, count: 1), item, node)
    try await test.gates.awaitWaiting(1, at: gate)
    #expect(read.isPending)
    try test.gates.open(gate)
    #expect(try await read.value().bytes == [pattern(1)[0]])
  }

  @Test func `content with a wrong checksum is an error, never content, and does not stick`()
    async throws
  {
    let flaw = Locked(true)
    let test = try TestDrive("icloud", cloud: { FlawedCloud($0, isFlawed: flaw) })
    try test.store.put(pattern(100_000), at: "a")
    let node = try await test.node("a")
    let item = try #require(test.open(node).ready)
    let range = ByteRange(offset: 0, count: 10)
    await #expect(throws: Errno.io) { try await test.read(range, item, node).value() }
    #expect(try test.status("/a").error?.contains("checksum") == true)
    flaw.withLock { $0 = false }
    #expect(try await test.read(range, item, node).value().bytes == Array(pattern(10)))
    #expect(try test.status("/a").error == nil)
  }

  /// semantics: "A transfer is in the ledger before the call that starts it is answered; if the item goes before its turn comes, it is cancelled."
  @Test func `a transfer that waits for its turn is in the ledger, also when it is not needed`()
    async throws
  {
    let test = try TestDrive("icloud", change: { $0.maximumTransfers = 1 })
    try test.store.put("1", at: "first")
    try test.store.put("2", at: "second")
    _ = try await test.list(.root)
    let gate = try test.hold("/first", at: .requested)
    for path in ["/first", "/second"] {
      _ = try test.drive.startDownload(try test.drive.find(path), caller: nil, waiting: false)
    }
    #expect(test.ledger.transfers.map(\.path) == ["/first", "/second"])
    try await test.remove("second")
    #expect(test.ledger.transfers.map(\.answer) == [nil, "cancelled"])
    try test.gates.open(gate)
    try await test.ledger.settled(kind: .transfer, answer: "completed")
    #expect(test.ledger.transfers.map(\.answer) == ["completed", "cancelled"])
  }

  @Test func `at most so many transfers run at once, and the rest follow`() async throws {
    let test = try TestDrive("icloud", change: { $0.maximumTransfers = 4 })
    for number in 0..<20 { try test.store.put("\(number)", at: "file-\(number)") }
    _ = try await test.list(.root)
    let gate = try test.hold("", at: .requested)
    for number in 0..<20 {
      try test.drive.startDownload(try test.drive.find("/file-\(number)"), caller: nil)
    }
    try await test.gates.awaitWaiting(4, at: gate)
    #expect(test.gates.list().first?.waiting.count == 4)
    try test.gates.open(gate)
    for number in 0..<20 { try await test.settled("/file-\(number)") }
    #expect(try test.drive.totals().materialized == 20)
  }

  @Test func `a gate can fail a transfer with an error of its own`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(100), at: "a")
    let node = try await test.node("a")
    let gate = try test.hold("/a", at: .beforePublish)
    let item = try #require(test.open(node).ready)
    let read = test.read(ByteRange(offset: 0, count: 1), item, node)
    try await test.gates.awaitWaiting(1, at: gate)
    try test.gates.fail(gate, with: .noSpace)
    await #expect(throws: Errno.noSpace) { try await read.value() }
    #expect(
      try await test.read(ByteRange(offset: 0, count: 1), item, node).value().bytes
        == [pattern(1)[0]])
  }

  @Test func `stopping answers everything that waits`() async throws {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(100), at: "a")
    let node = try await test.node("a")
    let gate = try test.hold("/a", at: .firstByte)
    let item = try #require(test.open(node).ready)
    let read = test.read(ByteRange(offset: 0, count: 1), item, node)
    try await test.gates.awaitWaiting(1, at: gate)
    test.drive.stop()
    await #expect(throws: Errno.io) { try await read.value() }
  }

  @Test func `a transfer that was cut off by the end of the process goes on after it`() async throws
  {
    let test = try TestDrive("icloud")
    try test.store.put(pattern(100_000), at: "a")
    let node = try await test.node("a")
    let gate = try test.hold("/a", at: .byte(40_960))
    try test.drive.startDownload(node.inode, caller: nil)
    try await test.gates.awaitWaiting(1, at: gate)
    test.drive.stop()
    try await test.ledger.settled(kind: .transfer, answer: "cancelled")
    let next = try test.restarted("icloud")
    #expect(try next.status("/a").percent == 40)
    #expect(try await next.contents(try await next.node("a")) == pattern(100_000))
    #expect(next.ledger.transfers.map(\.bytes) == [100_000 - 40_960])
  }
}
