import Control
import DriveClient
import Foundation
import Options
import Platform

/// `fauxdrive ls|download|evict`
enum ItemVerbs {
  static let all = [list, download, evict, pin, unpin]

  private static let list = Verb(
    Command(
      "ls", summary: "list a folder and what of it is here; starts nothing", options: [.json],
      operands: [
        Operand("PATH", help: "a folder or document on a drive; here without", minimum: 0)
      ],
      examples: [
        Example("fauxdrive ls ~/Drive", meaning: "Shows which documents are here and which not.")
      ],
      exitCodes: [.noInput, .unavailable])
  ) { arguments, console in
    let location = try DriveLocation(of: Tilde.expand(arguments.operands.first ?? "."))
    let result = try contents(of: location)
    if arguments.has(.json) {
      console.output.write(HumanText.json(result))
      return .success
    }
    guard result.isKnown else {
      console.output.write("Nobody has listed this folder on this device yet.\n")
      return .success
    }
    console.output.write(table(of: result.items).text(for: console.output))
    return .success
  }

  /// What is in a folder; of a document, itself.
  private static func contents(
    of location: DriveLocation
  ) throws(ControlError) -> ItemList.Result {
    let drive = try DriveClient.Drive(at: location)
    if location.path != "/", let item = try drive.status([location.path]).first?.info,
      item.kind != .folder
    {
      return ItemList.Result(isKnown: true, items: [item])
    }
    return try drive.list(location.path)
  }

  private static let background = Option(
    "no-wait", help: "return at once; the download goes on")

  private static let download = Verb(
    Command(
      "download", summary: "bring documents to this device", options: [background, .json],
      operands: [Operand("PATH", help: "a document on a drive", maximum: nil)],
      examples: [
        Example("fauxdrive download ~/Drive/Game.plist", meaning: "Returns when it is here.")
      ],
      exitCodes: [.failure, .noInput, .temporaryFailure])
  ) { arguments, console in
    let (drive, paths) = try drive(of: arguments)
    var bar = ProgressBar(on: console.errors)
    let showsBar = console.errors.isTerminal && !arguments.has(background)
    let items = try drive.download(
      paths, wait: !arguments.has(background),
      progress: showsBar
        ? { bar.show($0.path, done: $0.bytesDone, total: $0.bytesTotal) } : nil)
    if showsBar { bar.clear() }
    return try show(items, arguments, console)
  }

  private static let evict = Verb(
    Command(
      "evict", summary: "drop documents from this device; they stay listed", options: [.json],
      operands: [Operand("PATH", help: "a document on a drive", maximum: nil)],
      examples: [
        Example(
          "fauxdrive evict ~/Drive/Game.plist", meaning: "The next program that reads it, waits.")
      ],
      exitCodes: [.failure, .noInput])
  ) { arguments, console in
    let (drive, paths) = try drive(of: arguments)
    return try show(try drive.evict(paths), arguments, console)
  }

  private static let inherit = Option("inherit", help: "follow the folder again")

  private static let pin = Verb(
    Command(
      "pin", summary: "keep documents on this device, folders with all in them",
      discussion: """
        What is not here is downloaded in the background, also what comes into a pinned folder later, \
        and nothing of it is evicted.
        """,
      options: [inherit, .json],
      operands: [Operand("PATH", help: "documents or folders on a drive", maximum: nil)],
      examples: [
        Example("fauxdrive pin ~/Drive/Game.plist", meaning: "Downloads it, and keeps it.")
      ],
      exitCodes: [.failure, .noInput, .unavailable])
  ) { arguments, console in
    try pin(arguments.has(inherit) ? .inherited : .pinned, arguments, console)
  }

  private static let unpin = Verb(
    Command(
      "unpin", summary: "let documents not be kept on this device, and evict them",
      options: [inherit, .json],
      operands: [Operand("PATH", help: "documents or folders on a drive", maximum: nil)],
      examples: [
        Example("fauxdrive unpin ~/Drive/Game.plist", meaning: "Drops it; it stays listed.")
      ],
      exitCodes: [.failure, .noInput, .unavailable])
  ) { arguments, console in
    try pin(arguments.has(inherit) ? .inherited : .unpinned, arguments, console)
  }

  private static func pin(
    _ state: PinState, _ arguments: Arguments, _ console: Console
  ) throws -> ExitCode {
    let (drive, paths) = try drive(of: arguments)
    return try show(try drive.setPin(state, of: paths), arguments, console)
  }

  private static func drive(
    of arguments: Arguments
  ) throws(ControlError) -> (DriveClient.Drive, [String]) {
    let paths = arguments.operands.map(Tilde.expand)
    let drive = try DriveClient.Drive(at: paths[0])
    var inside: [String] = []
    for path in paths { inside.append(try drive.path(of: path)) }
    return (drive, inside)
  }

  /// Shows outcomes; the exit status is that of the first failure.
  static func show(
    _ items: [ItemOutcome], _ arguments: Arguments, _ console: Console
  ) throws -> ExitCode {
    if arguments.has(.json) {
      console.output.write(HumanText.json(items))
    } else {
      let infos = items.compactMap(\.info)
      if !infos.isEmpty { console.output.write(table(of: infos).text(for: console.output)) }
      for item in items { tell(item, console) }
    }
    return items.compactMap(\.error).first?.exitCode ?? .success
  }

  private static func tell(_ item: ItemOutcome, _ console: Console) {
    guard let error = item.error else { return }
    let isNamed = error.message.contains(item.path)
    console.tell(isNamed ? error.message : "\(item.path): \(error.message)", remedy: error.remedy)
  }

  private static func table(of items: [ItemInfo]) -> Table {
    var table = Table(["STATE", "SIZE", "NAME"], alignments: [.left, .right, .left])
    for item in items {
      let name = Terminal.printable(item.name) + (item.kind == .folder ? "/" : "")
      table.add([state(of: item), item.kind == .file ? HumanText.bytes(item.size) : "-", name])
    }
    return table
  }

  private static func state(of item: ItemInfo) -> String {
    if item.isPending {
      return item.error != nil ? "upload failed" : item.isTransferring ? "uploading" : "pending"
    }
    if item.isTransferring { return "downloading \(item.percent) %" }
    if item.error != nil { return "failed" }
    switch item.status {
    case .notDownloaded: return item.kind == .folder ? "not listed" : "not here"
    case .downloaded: return "here, not newest"
    case .current: return "here"
    }
  }
}
