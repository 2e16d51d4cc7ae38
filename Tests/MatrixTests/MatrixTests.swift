import DriveClient
import MountKit
import Platform
import Testing

/// Every built-in profile, call, caller and state, through the kernel.
@Suite(.enabled(if: MountedDrive.isAvailable, "/dev/fuse cannot be opened"))
struct MatrixTests {
  struct Part: Sendable, CustomTestStringConvertible {
    let table: Table
    let state: MatrixState
    var testDescription: String { "\(table.name), \(state.rawValue)" }
  }

  static let parts: [Part] = Table.all.filter { MatrixSettings.means($0.profile) }.flatMap {
    table in
    MatrixState.allCases.map { Part(table: table, state: $0) }
  }

  /// semantics: "In a scoped world a path walk is never refused, for every call begins with one; the call that follows is."
  /// semantics: "An open with `O_TRUNC` is of class `truncate`, any other one of class `open`; the first write into what is not here is of class `write`."
  /// semantics: "`fstat` of what a process has open is no check, and has no record."
  @Test(arguments: parts)
  func `every call of every caller gets and starts what the table says`(_ part: Part) async {
    await OwnThreads.run { complaints in
      try Self.run(part, complaints, options: ["--audit"])
    }
  }

  /// The kernel then keeps what is local and, where it may, checks permissions.
  ///
  /// semantics: "Programs get the same answers with and without an audit."
  @Test(arguments: parts.filter { $0.state != .noGrant })
  func `without an audit every caller gets the same`(_ part: Part) async {
    await OwnThreads.run { complaints in try Self.run(part, complaints, options: []) }
  }

  @Test func `every call has a program for every caller, or a reason why not`() {
    for call in Call.allCases {
      for caller in Caller.allCases {
        let count = CallingProgram.all.count { $0.call == call && $0.caller == caller }
        let reasons = CallingProgram.impossible.filter { $0.call == call && $0.caller == caller }
        #expect((count > 0) != (reasons.count == 1), "\(call) by \(caller)")
      }
    }
  }

  private static func run(
    _ part: Part, _ complaints: Complaints, options: [String]
  ) throws {
    let cells = try part.table.cells(part.state).filter { MatrixSettings.means($0.program) }
    guard !cells.isEmpty else { return }
    let world = try MatrixWorld(
      part.table, items: cells.count,
      options: options + (part.state == .noGrant ? ["--scoped"] : []))
    if part.state == .offline { try world.drive.world().setNetwork(isOnline: false) }
    let indices = Array(cells.indices)
    OwnThreads.forEach(indices) { index in
      do {
        try CellRun(
          cells[index], index, world, complaints, isAudited: options.contains("--audit")
        ).run()
      } catch {
        complaints.add("\(part.testDescription): \(error)")
      }
    }
    complaints.expect(try world.drive.unmount().status == 0, "it cannot be unmounted")
  }
}
