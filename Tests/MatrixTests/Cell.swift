import MountKit

/// The state of an item when a program meets it.
enum MatrixState: String, CaseIterable, Sendable {
  case dataless, materializing, materialized, offline
  case noGrant = "no grant"
}

/// What one program gets from one profile's item in one state.
struct Cell: Sendable {
  let program: CallingProgram
  let state: MatrixState
  /// "present", "missing", or an error's name.
  let outcome: String
  /// Whether the call is held first.
  let waits: Bool
  /// The class of the request that is held.
  let waitsIn: String
  /// What the call starts: "nothing", "metadata" or "content".
  let starts: String
  /// Whether the path walk decides, so that the call itself never comes.
  let endsInLookup: Bool

  var name: String { "\(state.rawValue): \(program)" }
}

extension Cell {
  /// Reads a cell as it is written in a table.
  init(_ text: String, _ program: CallingProgram, _ state: MatrixState, waitsIn: String) throws {
    var rest = text[...]
    endsInLookup = rest.hasSuffix("(lookup)")
    if endsInLookup { rest = rest.dropLast("(lookup)".count) }
    waits = rest.hasPrefix("wait")
    var starts = "nothing"
    if waits {
      let parts = rest.split(separator: ":")
      guard parts.count == 2 else { throw TestFailure("'\(text)' is no cell") }
      if let mark = parts[0].firstIndex(of: ">") { starts = String(parts[0][mark...].dropFirst()) }
      rest = parts[1]
    } else if let mark = rest.firstIndex(of: ">") {
      starts = String(rest[mark...].dropFirst())
      rest = rest[..<mark]
    }
    guard ["nothing", "metadata", "content"].contains(starts), !rest.isEmpty else {
      throw TestFailure("'\(text)' is no cell")
    }
    self.program = program
    self.state = state
    self.waitsIn = waitsIn.isEmpty ? program.call.rawValue : waitsIn
    self.starts = starts
    outcome = String(rest)
  }
}

extension Table {
  private struct Row {
    let call: String
    let callers: String
    let waitsIn: String
    let cells: [String]

    init(_ line: String) throws {
      let columns = line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimming(" ")
      }
      guard columns.count == 8 else { throw TestFailure("not a row: \(line)") }
      call = columns[0]
      callers = columns[1]
      waitsIn = columns[2]
      cells = Array(columns[3...])
    }

    func names(_ program: CallingProgram) -> Bool {
      guard call == program.call.rawValue, !callers.hasPrefix("\"") else { return false }
      return callers == "all"
        || callers.split(separator: " ").contains { $0 == program.caller.rawValue }
    }

    func means(_ program: CallingProgram) -> Bool {
      call == program.call.rawValue && callers == "\"\(program.label)\""
    }
  }

  /// The cells of one state, one for each program.
  func cells(_ state: MatrixState) throws -> [Cell] {
    let lines = rows.split(separator: "\n").map(String.init)
    let header = try Row(lines[0])
    let rows = try lines.dropFirst().map(Row.init)
    guard let column = header.cells.firstIndex(of: state.rawValue) else {
      throw TestFailure("\(name) has no column '\(state.rawValue)'")
    }
    return try CallingProgram.all.compactMap { program in
      let own = rows.filter { $0.means(program) }
      let meant = own.isEmpty ? rows.filter { $0.names(program) } : own
      guard meant.count == 1 else {
        throw TestFailure("\(name) has \(meant.count) rows for \(program)")
      }
      guard meant[0].cells[column] != "n/a" else { return nil }
      return try Cell(meant[0].cells[column], program, state, waitsIn: meant[0].waitsIn)
    }
  }
}

extension Substring {
  fileprivate func trimming(_ character: Character) -> String {
    String(drop { $0 == character }.reversed().drop { $0 == character }.reversed())
  }
}
