internal import Platform

/// What is told about a command, for its help and for its manual page.
struct CommandPage {
  /// The words that name it: "fauxdrive profile show".
  let title: String
  let command: Command
  private let isRoot: Bool

  /// - Parameter path: the program and the commands down to this one.
  init(_ path: [Command]) {
    title = CommandTree.title(path)
    command = path[path.count - 1]
    isRoot = path.count == 1
  }

  /// What comes behind the title: "[OPTION...] NAME".
  var operands: String {
    let names = command.isGroup ? ["COMMAND"] : command.operands.map(\.usage)
    return (["[OPTION...]"] + names).joined(separator: " ")
  }

  /// The summary as a sentence.
  var sentence: String {
    (command.summary.first?.uppercased() ?? "") + command.summary.dropFirst() + "."
  }

  /// The options, with those that every command has.
  var options: [Option] {
    command.options + [CommandTree.help, CommandTree.usage] + (isRoot ? [CommandTree.version] : [])
  }

  /// The statuses that it can end with; none for a group.
  var exits: [ExitStatus] {
    if let exits = command.exits { return exits }
    guard !command.isGroup else { return [] }
    return ([.success, .usage] + command.exitCodes).sorted { $0.rawValue < $1.rawValue }
      .map { ExitStatus($0.rawValue, $0.meaning) }
  }

  /// "--name=ARGUMENT".
  static func long(_ option: Option) -> String {
    "--" + option.name + (option.argument.map { "=\($0)" } ?? "")
  }
}
