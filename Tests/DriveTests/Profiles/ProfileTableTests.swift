import Cloud
@testable import Drive
import Ledger
import Platform
import Profiles
import Simulation
import Testing

/// Every call on every kind of item, for the profiles that MatrixTests does not mount.
@Suite struct ProfileTableTests {
  static let states = ["dataless", "materializing", "materialized", "offline", "no grant"]
  static let tables = ProfileTable.all.filter { ProfileUnderTest.means($0.profile) }

  @Test(arguments: tables, states)
  func `every call gets and starts what the table says`(
    _ table: ProfileTable, _ state: String
  ) async throws {
    let cells = table.cells(state)
    try #require(cells.count >= 12)
    let test = try TestDrive(
      table.profile,
      change: { settings in
        settings.isScoped = state == "no grant"
        settings.isAudited = true
      })
    for (call, _) in cells {
      try test.store.put(pattern(9000), at: "doc-\(call)-")
      try test.store.put("x", at: "folder-\(call)/inner")
    }
    await test.populate("/")
    if state == "offline" { test.conditions.goOffline() }
    for (call, cell) in cells {
      let seen = try await Trial(test: test, table: table, state: state, call: call).run()
      #expect(seen == cell, "\(table), \(state): \(call)")
    }
  }

  /// Which call waits how long, and what it gets then.
  private static let patience: [(String, [String: (Int, String)])] = [
    ("googledrive", replicated), ("dropbox-desktop", replicated), ("nextcloud-mac", replicated),
    ("dropbox-ios", notReplicated), ("nextcloud-ios", notReplicated),
    ("owncloud-ios", notReplicated), ("nextcloud-suffix", ["readdir": (60, "ETIMEDOUT")]),
    (
      "smb",
      ["read": (30, "EHOSTDOWN"), "write": (30, "EHOSTDOWN"), "readdir": (30, "EHOSTDOWN")]
    ),
  ]
  private static let replicated = [
    "read": (60, "ETIMEDOUT"), "write": (60, "ETIMEDOUT"), "readdir": (60, "ETIMEDOUT"),
  ]
  private static let notReplicated = [
    "stat": (20, "missing"), "access": (20, "missing"), "open": (30, "ETIMEDOUT"),
    "readdir": (30, "ETIMEDOUT"),
  ]

  @Test(arguments: patience.map(\.0).filter(ProfileUnderTest.means))
  func `a call that is held waits as long as the profile has patience`(
    _ profile: String
  ) async throws {
    let expected = try #require(Self.patience.first { $0.0 == profile }).1
    for (call, (seconds, answer)) in expected.sorted(by: { $0.key < $1.key }) {
      let test = try TestDrive(profile)
      try test.store.put(pattern(9000), at: "doc")
      try test.store.put("x", at: "folder/inner")
      await test.populate("/")
      let isFolder = call == "readdir"
      let path = isFolder ? "/folder" : "/doc"
      let gate = try test.hold(path, at: isFolder ? .reply(.enumerate) : .firstByte)
      if ["stat", "access"].contains(call) { _ = test.stat(try await test.node("doc")) }
      let seen = await ProfileCall(
        test: test, call: call, name: String(path.dropFirst())
      ).make()
      guard case .held(let rest) = seen else {
        Issue.record("\(profile): \(call) does not wait, but gets \(seen)")
        continue
      }
      let answered = Locked<String?>(nil)
      try await test.gates.awaitWaiting(1, at: gate)
      let task = TestDrive.workers.start {
        let text = await rest()
        answered.withLock { $0 = text }
      }
      test.clock.advance(by: .seconds(seconds - 1))
      #expect(
        test.drive.activity.heldReplies == 1, "\(profile): \(call) waits less than \(seconds) s")
      test.clock.advance(by: .seconds(1))
      #expect(
        test.drive.activity.heldReplies == 0, "\(profile): \(call) waits longer than \(seconds) s")
      try test.gates.open(gate)
      await task.value
      #expect(answered.withLock { $0 } == answer, "\(profile): \(call)")
    }
  }
}

extension TestDrive {
  /// Has a folder listed, whoever may do that.
  func populate(_ path: String) async {
    _ = try? await drive.findOrFetch((path == "/" ? "" : path) + "/none")
  }
}

/// One cell, tried.
private struct Trial {
  let test: TestDrive
  let table: ProfileTable
  let state: String
  let call: String

  private var isFolder: Bool { call == "readdir" }
  private var path: String { isFolder ? "/folder-\(call)" : "/doc-\(call)-" }
  private var name: String {
    let own = String(path.dropFirst())
    return isFolder ? own : table.nameAround.prefix + own + table.nameAround.suffix
  }
  private var transfers: [Record] { test.ledger.transfers.filter { $0.path == path } }

  /// Makes the call, and says what was seen as the table would.
  func run() async throws -> String {
    let inode = try test.drive.find(path)
    if state == "materialized" {
      if isFolder {
        await test.populate(path)
      } else {
        try await test.drive.download(inode, caller: nil)
      }
    }
    let mayHold = state == "dataless" || state == "materializing"
    let gate =
      mayHold ? try test.hold(path, at: isFolder ? .reply(.enumerate) : .firstByte) : nil
    if state == "materializing", let gate {
      if isFolder {
        test.drive.populate(inode, cause: 0)
      } else {
        try test.drive.startDownload(inode, caller: nil)
      }
      try await test.gates.awaitWaiting(1, at: gate)
    }
    let before = transfers.count
    let seen = await ProfileCall(test: test, call: call, name: name).make()
    if let gate { try test.gates.open(gate) }
    var answer = ""
    var waits = false
    switch seen {
    case .answered(let text): answer = text
    case .held(let rest):
      answer = await rest()
      waits = state != "offline"
    }
    // Only now, since the record of a call that waits is finished with it.
    let starts = transfers.count > before ? ">content" : startsListing ? ">metadata" : ""
    return waits ? "wait\(starts):\(answer)" : answer + starts
  }

  /// Whether the call has a folder's children fetched, and nobody else did before.
  private var startsListing: Bool {
    isFolder && state != "materializing"
      && test.ledger.records(matching: Query(callClass: "readdir")).contains {
        $0.path == path && $0.started == "metadata"
      }
  }
}
