import Control
import DriveClient
import Ledger
import Options
import Platform

/// `fauxdrive ledger`
enum LedgerVerb {
  static let all = [ledger]

  private static let kind = Option(
    "kind", argument: "KIND", help: "only request, transfer or eviction")
  private static let callClass = Option("class", argument: "CLASS", help: "only this call class")
  private static let process = Option("process", argument: "PID", help: "only this process")
  private static let executable = Option(
    "executable", argument: "NAME", help: "only this program")
  private static let answer = Option("answer", argument: "ANSWER", help: "only this answer")
  private static let after = Option("after", argument: "N", help: "only records behind this one")
  private static let follow = Option("follow", short: "f", help: "go on showing what comes")
  private static let clear = Option("clear", help: "forget the records that are in memory")

  private static let ledger = Verb(
    Command(
      "ledger", summary: "show who asked for what, and what it caused",
      options: [kind, callClass, process, executable, answer, after, follow, clear, .json],
      operands: [Operand("PATH", help: "a drive, or a document or folder on it")],
      examples: [
        Example("fauxdrive ledger ~/Drive", meaning: "Shows every request that matters."),
        Example(
          "fauxdrive ledger --kind transfer ~/Drive", meaning: "Shows what was downloaded, and why."
        ),
      ],
      exitCodes: [.unavailable])
  ) { arguments, console in
    let location = try DriveLocation(of: Tilde.expand(arguments.operands[0]))
    let world = try DriveClient.World(directory: location.world)
    if arguments.has(clear) {
      let removed = try world.clearRecords()
      console.output.write(
        arguments.has(.json)
          ? HumanText.json(["removed": removed]) : "\(removed) records forgotten\n")
      return .success
    }
    var printer = Printer(
      asJSON: arguments.has(.json), below: location.path,
      kind: try arguments.choice(kind, as: RecordKind.self), console.output)
    let filter = try filter(arguments, location.path)
    if arguments.has(follow) {
      try world.follow(filter) { printer.show($0) }
    } else {
      for record in try world.records(filter) { printer.show(record) }
    }
    return .success
  }

  private static func filter(_ arguments: Arguments, _ path: String) throws -> LedgerFilter {
    var filter = LedgerFilter()
    // The requests are needed in any case, to name the programs that caused the rest.
    if arguments.has(.json) {
      filter.kinds = try arguments.choice(kind, as: RecordKind.self).map { [$0] }
    }
    filter.callClasses = arguments.value(callClass).map { [$0] }
    filter.process = try arguments.number(process)
    filter.executable = arguments.value(executable)
    filter.answer = arguments.value(answer)
    filter.after = try arguments.number(after)
    if path != "/" { filter.path = Glob.literal(path) + "*" }
    return filter
  }
}

/// Prints records, and who has caused them.
private struct Printer {
  private let isJSON: Bool
  private let folder: String
  private let kind: RecordKind?
  private let output: Terminal
  /// The programs behind the requests so far.
  private var programs: [UInt64: String] = [:]

  init(asJSON isJSON: Bool, below folder: String, kind: RecordKind?, _ output: Terminal) {
    self.isJSON = isJSON
    self.folder = folder
    self.kind = kind
    self.output = output
  }

  mutating func show(_ record: Record) {
    if record.process != 0, !isJSON {
      let name = record.executable.split(separator: "/").last.map(String.init) ?? ""
      programs[record.id] = " (\(name) \(record.process))"
    }
    // The glob that the world was asked with is not as exact as that.
    guard folder == "/" || record.path == folder || record.path.hasPrefix(folder + "/"),
      kind == nil || record.kind == kind
    else { return }
    if isJSON {
      output.write(HumanText.json(record, indented: false))
    } else {
      let program = programs[record.cause] ?? ""
      output.write(Terminal.printable(record.line + program) + "\n")
    }
  }
}
