/// A ledger reduced to what two runs with one seed have in common.
///
/// Left out: numbers, wall time, process numbers, and, unless asked for, times on the world's clock
/// (a manual clock repeats them, the system's does not). What a request caused is indented below it. The
/// requests of one process keep their order; processes, and what the drive did by itself, are independent
/// of one another and therefore sorted.
public struct CanonicalForm: Hashable, Sendable {
  /// The lines.
  public let lines: [String]

  /// Reduces records.
  public init(of records: [Record], includingWorldTime: Bool = false) {
    let builder = Builder(records, includingWorldTime)
    lines = builder.groups().sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }
  }

  private struct Program: Hashable {
    let device: String
    let process: Int32
  }

  private struct Builder {
    let roots: [Record]
    let effects: [UInt64: [Record]]
    let includesWorldTime: Bool

    init(_ records: [Record], _ includesWorldTime: Bool) {
      let records = records.sorted { $0.id < $1.id }
      let known = Set(records.map(\.id))
      // A cause that is not among the records has the record stand alone.
      roots = records.filter { $0.cause == 0 || !known.contains($0.cause) || $0.cause == $0.id }
      effects = Dictionary(grouping: records.filter { $0.cause != $0.id }, by: \.cause)
      self.includesWorldTime = includesWorldTime
    }

    /// One group of lines for each process, and one for each act of the drive.
    func groups() -> [[String]] {
      var groups: [Program: [String]] = [:]
      var single: [[String]] = []
      for record in roots {
        let lines = tree(record, indent: "")
        if record.process == 0 {
          single.append(lines)
        } else {
          groups[Program(device: record.device, process: record.process), default: []] += lines
        }
      }
      return single + groups.values
    }

    private func tree(_ record: Record, indent: String) -> [String] {
      let below = (effects[record.id] ?? []).filter { $0.id > record.id }
        .map { tree($0, indent: indent + "  ") }
      return [indent + line(record)]
        + below.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }
    }

    private func line(_ record: Record) -> String {
      var line = "\(record.device) \(record.kind.rawValue) \(record.callClass) \(record.path)"
      line += " answer=\(record.answer ?? "open") started=\(record.started) bytes=\(record.bytes)"
      if !record.fault.isEmpty { line += " fault=\(record.fault)" }
      if !record.executable.isEmpty { line += " by=\(record.executable)" }
      if includesWorldTime { line += " at=\(record.worldTime) waited=\(record.waited)" }
      return line
    }
  }
}
