import Control
import DriveClient
import Foundation
import Ledger
import MountKit
import Platform

/// One cell, tried: a program runs on an item of its own, and everything is looked at from outside.
struct CellRun {
  let cell: Cell
  let index: Int
  let matrix: MatrixWorld
  let complaints: Complaints
  /// Whether the ledger sees every request, so that their order can be checked.
  let isAudited: Bool
  private let world: World
  private let drive: DriveClient.Drive

  init(
    _ cell: Cell, _ index: Int, _ matrix: MatrixWorld, _ complaints: Complaints, isAudited: Bool
  ) throws {
    self.cell = cell
    self.index = index
    self.matrix = matrix
    self.complaints = complaints
    self.isAudited = isAudited
    world = try matrix.drive.world()
    drive = Drive(device: "device", of: world)
  }

  private var isFolder: Bool { cell.program.call == .readdir }
  private var item: String { isFolder ? "/folder-\(index)" : "/" + MatrixWorld.document(index) }
  /// The name that the program is given.
  private var name: String {
    let (prefix, suffix) = matrix.table.nameAround
    return isFolder ? item : "/" + prefix + item.dropFirst() + suffix
  }
  private var isStandIn: Bool { name != item }
  private var path: String { matrix.drive.mountpoint + name }
  /// Where the item is when the program has ended; nil when it is gone.
  private var itemAfterwards: String? {
    guard cell.outcome == "present", !cell.endsInLookup else { return item }
    switch cell.program.call {
    case .unlink: return nil
    case .rename: return item + CallingProgram.otherSuffix
    default: return item
    }
  }
  private var gatePoint: String { isFolder ? "reply:enumerate" : "before-publish" }
  /// A program that renames what it has made come may do so before it comes.
  private var gatePath: String { cell.program.call == .rename ? item + "*" : item }

  /// Tries the cell; what is wrong is complained of.
  func run() {
    do {
      switch cell.state {
      case .dataless, .offline: try runAlone()
      case .materializing: try runDuringTransfer()
      case .materialized: try runWhenHere()
      case .noGrant: try runWithoutGrant()
      }
    } catch {
      complain("\(error)")
    }
  }

  // MARK: The states

  /// Nothing runs; a gate waits for whatever the program starts.
  private func runAlone() throws {
    let gate = try world.closeGate(gatePoint, path: gatePath)
    let program = try start()
    if cell.waits {
      try world.awaitGate(gate, timeout: MatrixSettings.patience)
      try expectHeld(program)
      try world.openGate(gate)
      try check(program, try program.finishInTime())
    } else {
      let ended = try program.finishInTime()
      let isHeld =
        cell.starts != "nothing" && cell.state != .offline && !matrix.isDisk
        && itemAfterwards != nil
      if isHeld {
        try world.awaitGate(gate, timeout: MatrixSettings.patience)
      } else {
        expect(try world.held(at: gate) == 0, "something was started")
      }
      try world.openGate(gate)
      try check(program, ended)
    }
    try checkTransfers(startedBy: program)
  }

  /// Somebody else has started a transfer, and a gate holds it.
  private func runDuringTransfer() throws {
    let gate = try world.closeGate(gatePoint, path: gatePath)
    let other = isFolder ? try probe("readdir") : nil
    if !isFolder { try drive.download([item], wait: false) }
    if !matrix.isDisk { try world.awaitGate(gate, timeout: MatrixSettings.patience) }
    let program = try start()
    if cell.waits {
      _ = try world.awaitRecords(
        LedgerFilter(callClasses: [cell.waitsIn], process: program.process, isComplete: false),
        timeout: MatrixSettings.patience)
      try expectHeld(program)
      try world.openGate(gate)
      try check(program, try program.finishInTime())
    } else {
      try check(program, try program.finishInTime())
      let mustStay = !matrix.isDisk && itemAfterwards != nil
      expect(try !mustStay || world.held(at: gate) == 1, "the transfer did not stay held")
      try world.openGate(gate)
    }
    try other?.finishInTime().expect("present")
    try checkTransfers(startedBy: program, others: isFolder || matrix.isDisk ? 0 : 1)
  }

  private func runWhenHere() throws {
    if isFolder {
      try probe("readdir").finishInTime().expect("present")
    } else {
      let outcome = try drive.download([item])
      if let error = outcome.first?.error { throw TestFailure("it cannot be downloaded: \(error)") }
    }
    let program = try start()
    try check(program, try program.finishInTime())
    try checkTransfers(startedBy: program, others: isFolder || matrix.isDisk ? 0 : 1)
  }

  /// First as somebody whom nobody let in, then as somebody who was.
  private func runWithoutGrant() throws {
    let program = try start()
    try check(program, try program.finishInTime())
    try checkTransfers(startedBy: program)
    let other = try TestProgram(
      ["dash", "-c", "kill -STOP $$; exec \"$@\"", "dash"] + cell.program.command(path))
    try other.awaitStop()
    // Another name is made in the folder, so this must be granted as well.
    if cell.program.call == .rename { _ = try drive.grant("/", to: other.process) }
    _ = try drive.grant(item, to: other.process)
    other.signal(SIGCONT)
    let ended = try other.finishInTime()
    let granted = try matrix.table.cells(.dataless)
      .first { $0.program.description == cell.program.description }
    expect(
      cell.program.tells(of: granted?.outcome ?? "", ended),
      "with a grant it should get '\(granted?.outcome ?? "")', and got: \(ended)")
  }

  // MARK: What is looked at

  private func start() throws -> TestProgram {
    try TestProgram(cell.program.command(path), environment: ["LC_ALL": "C"])
  }

  private func probe(_ call: String) throws -> TestProgram {
    try TestProgram([CallingProgram.built("CallProbe"), call, path])
  }

  /// The call is really held: the program has not ended, and the ledger shows its request as open.
  private func expectHeld(_ program: TestProgram) throws {
    expect(program.isRunning, "the program has ended instead of waiting")
    let last = try requests(of: program).last
    expect(
      last?.callClass == cell.waitsIn && last?.answer == nil,
      "no open request in \(cell.waitsIn), but \(last?.line ?? "none")")
  }

  /// A second name that is not there yet is looked up by itself, which is not what is tried here.
  private func requests(of program: TestProgram) throws -> [Record] {
    try world.records(LedgerFilter(kinds: [.request], process: program.process))
      .filter { $0.path != name + CallingProgram.otherSuffix }
  }

  private func check(_ program: TestProgram, _ ended: TestProgram.Ended) throws {
    expect(
      cell.program.tells(of: cell.outcome, ended),
      "it should get '\(cell.outcome)', and got: \(ended)")
    if cell.outcome == "present" { checkDetails(ended) }
    guard isAudited else { return }
    let records = try requests(of: program)
    checkOrder(records)
    let executable = try Self.realPath(of: cell.program.command(path)[0])
    for record in records {
      expect(record.executable == executable, "another executable: \(record.line)")
      expect(record.path == item || record.path == name, "another path: \(record.line)")
    }
    let starting = records.filter { $0.started != "nothing" }.map(\.started)
    expect(
      starting == (cell.starts == "nothing" ? [] : [cell.starts]),
      "it should start \(cell.starts), and the ledger says \(Self.lines(records))")
  }

  private func checkDetails(_ ended: TestProgram.Ended) {
    let content = MatrixWorld.content(index)
    if ended.output.contains(" bytes") {
      expect(
        ended.output.contains("\(content.utf8.count) bytes") != isStandIn,
        "another size: \(ended)")
    }
    if cell.program.call == .read {
      let start = isStandIn ? "bplist00" : String(content.prefix(8))
      let isEnough = isStandIn || cell.program.arguments[0] == "bash"
      expect(
        ended.output.contains(start) && (isEnough || ended.output.contains(content)),
        "another content: \(ended)")
    }
    if cell.program.call == .readdir {
      expect(ended.output.contains("inner"), "not its children: \(ended)")
    }
  }

  /// The requests are those of the program up to the one that decides, and no others.
  private func checkOrder(_ records: [Record]) {
    var rest = records[...]
    if cell.endsInLookup {
      // Where the program makes a document of its own, it goes on with that one.
      let walk = cell.outcome == "present" ? records.filter { $0.callClass == "lookup" } : records
      let isWalk = walk.allSatisfy { $0.callClass == "lookup" && $0.answer == "missing" }
      return expect(isWalk && !records.isEmpty, "not a path walk only: \(Self.lines(records))")
    }
    for request in cell.program.requests {
      if request.hasPrefix("!") { continue }
      let mayFail = request.hasSuffix("?")
      guard let record = rest.popFirst(), request.hasPrefix(record.callClass) else {
        return complain(
          "the requests should be \(cell.program.requests), and are \(Self.lines(records))")
      }
      if record.answer != "present", !mayFail {
        let look = lookAfterRefusal(&rest)
        let decisive = look.flatMap { $0.answer == "present" ? nil : $0 } ?? record
        expect(
          decisive.answer == cell.outcome, "another answer in the ledger: \(Self.lines(records))")
        break
      }
    }
    expect(rest.isEmpty, "requests too many: \(Self.lines(records))")
  }

  /// What the program asks when it was refused.
  private func lookAfterRefusal(_ records: inout ArraySlice<Record>) -> Record? {
    guard let last = cell.program.requests.last, last.hasPrefix("!"),
      records.first?.callClass == String(last.dropFirst())
    else { return nil }
    return records.removeFirst()
  }

  /// Nothing was transferred but what the cell says, and the ledger names the request that caused it.
  private func checkTransfers(startedBy program: TestProgram, others: Int = 0) throws {
    // A document that the program has emptied has all its content here, whatever was on its way.
    let isEmptied =
      cell.program.requests.contains("truncate") && cell.outcome == "present" && !cell.endsInLookup
    if isEmptied, cell.starts == "nothing", !cell.waits {
      let status = try drive.status([item]).first?.info?.status
      return expect(status == .current, "it was emptied and is not here")
    }
    let filter = LedgerFilter(kinds: [.transfer], path: item)
    let own = cell.starts == "content" ? 1 : 0
    let hasFailed = cell.state == .offline
    if own + others > 0 {
      var ended = filter
      let isCut = itemAfterwards == nil && !cell.waits && cell.state != .materialized
      ended.answer = hasFailed ? "failed" : isCut ? "cancelled" : "completed"
      if hasFailed, isCut { (ended.answer, ended.isComplete) = (nil, true) }
      _ = try world.awaitRecords(ended, count: own + others, timeout: MatrixSettings.patience)
    }
    let transfers = try world.records(filter)
    expect(
      transfers.count == own + others, "\(own + others) transfers, not \(Self.lines(transfers))")
    let causes = try requests(of: program).filter { $0.started == "content" }.map(\.id)
    let caused = transfers.filter { causes.contains($0.cause) }
    expect(caused.count == own, "not caused by the call: \(Self.lines(transfers))")
    guard let itemAfterwards else { return }
    let status = try drive.status([itemAfterwards]).first?.info?.status
    let isHere =
      isFolder
      ? cell.state == .materializing || cell.state == .materialized || cell.waits
      : (own == 1 && !hasFailed) || others > 0
    if !matrix.isDisk {
      expect((status == .current) == isHere, "its status is \(status.map { "\($0)" } ?? "unknown")")
    }
  }

  private static func lines(_ records: [Record]) -> String {
    records.isEmpty ? "none" : records.map(\.line).joined(separator: "; ")
  }

  private static func realPath(of program: String) throws -> String {
    let places = program.contains("/") ? [""] : ["/usr/local/bin/", "/usr/bin/", "/bin/"]
    for place in places {
      guard let path = realpath(place + program, nil) else { continue }
      defer { free(path) }
      return String(cString: path)
    }
    throw TestFailure("\(program) is not installed")
  }

  private func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
    if !condition { complain(text()) }
  }

  private func complain(_ text: String) {
    complaints.add("\(matrix.table.name), \(cell.name): \(text)")
  }
}
