public import Platform

/// A command that was asked for, with its arguments.
public struct Invocation: Hashable, Sendable {
  /// The words that name it, without the program: ["profile", "show"].
  public let words: [String]
  /// Its description.
  public let command: Command
  /// The options and operands.
  public let arguments: Arguments
}

/// What a command line asks for.
public enum Request: Hashable, Sendable {
  /// To run a command.
  case run(Invocation)
  /// Nothing more: help was shown, or a mistake told.
  case finished(ExitCode)
}

/// All commands of a program.
public struct CommandTree: Sendable {
  static let help = Option("help", short: "h", help: "show this help")
  static let usage = Option("usage", help: "show a short usage message")
  static let version = Option("version", short: "V", help: "show the version")

  /// The program, a group.
  public let root: Command
  /// What `--version` prints behind the name.
  public let version: String

  /// Describes a program.
  public init(root: Command, version: String) {
    self.root = root
    self.version = version
  }

  /// Finds out what a command line asks for; shows help and tells mistakes itself.
  ///
  /// - Parameter words: the command line without the program's name.
  public func parse(_ words: [String], output: Terminal, errors: Terminal) -> Request {
    if root.isGroup, words.first == "help" {
      return showHelp(of: Array(words.dropFirst()), output, errors)
    }
    var path = [root]
    var rest = words[...]
    while path[path.count - 1].isGroup {
      let group = path[path.count - 1]
      let options = rest.prefix { $0.hasPrefix("-") }
      if let request = parseGroup(path, Array(options), output, errors) { return request }
      rest = rest.dropFirst(options.count)
      guard let word = rest.popFirst() else {
        errors.write(Help.text(path, version: version, columns: errors.columns))
        return .finished(.usage)
      }
      guard let next = group.subcommands.first(where: { $0.name == word }) else {
        return .finished(tell(unknown: word, after: path, errors))
      }
      path.append(next)
    }
    return parseVerb(path, Array(rest), output, errors)
  }

  /// Tells a mistake that a command has found in its arguments.
  public func tell(_ error: UsageError, in words: [String], errors: Terminal) -> ExitCode {
    let title = ([root.name] + words).joined(separator: " ")
    errors.write("\(title): \(error.message)\nTry '\(title) --help' for more information.\n")
    return .usage
  }

  private func parseGroup(
    _ path: [Command], _ words: [String], _ output: Terminal, _ errors: Terminal
  ) -> Request? {
    guard !words.isEmpty else { return nil }
    let parser = ArgpParser(title: Self.title(path), options: CommandPage(path).options)
    guard let arguments = parser.parse(words) else { return .finished(.usage) }
    return answer(arguments, path, output)
  }

  private func parseVerb(
    _ path: [Command], _ words: [String], _ output: Terminal, _ errors: Terminal
  ) -> Request {
    let command = path[path.count - 1]
    let names = path.dropFirst().map(\.name)
    let parser = ArgpParser(title: Self.title(path), options: CommandPage(path).options)
    guard let arguments = parser.parse(words) else { return .finished(.usage) }
    if let request = answer(arguments, path, output) { return request }
    let (minimum, maximum) = command.operandCount
    if arguments.operands.count < minimum {
      let missing = command.operands[min(arguments.operands.count, command.operands.count - 1)]
      let error = UsageError("\(missing.name) is missing: \(missing.help)")
      return .finished(tell(error, in: names, errors: errors))
    }
    if let maximum, arguments.operands.count > maximum {
      let error = UsageError("'\(arguments.operands[maximum])' is one argument too many")
      return .finished(tell(error, in: names, errors: errors))
    }
    return .run(Invocation(words: names, command: command, arguments: arguments))
  }

  private func answer(_ arguments: Arguments, _ path: [Command], _ output: Terminal) -> Request? {
    if arguments.has(Self.help) {
      output.write(Help.text(path, version: version, columns: output.columns))
    } else if arguments.has(Self.usage) {
      output.write(Help.usage(path) + "\n")
    } else if arguments.has(Self.version) {
      output.write("\(root.name) \(version)\n")
    } else {
      return nil
    }
    return .finished(.success)
  }

  private func showHelp(
    of words: [String], _ output: Terminal, _ errors: Terminal
  ) -> Request {
    var path = [root]
    for word in words {
      guard let next = path[path.count - 1].subcommands.first(where: { $0.name == word }) else {
        return .finished(tell(unknown: word, after: path, errors))
      }
      path.append(next)
    }
    output.write(Help.text(path, version: version, columns: output.columns))
    return .finished(.success)
  }

  private func tell(unknown word: String, after path: [Command], _ errors: Terminal) -> ExitCode {
    let known = path[path.count - 1].subcommands.map(\.name)
    let hint = Suggestion.nearest(to: word, in: known).map { "; did you mean '\($0)'?" } ?? ""
    let error = UsageError("there is no command '\(Terminal.printable(word))'\(hint)")
    return tell(error, in: path.dropFirst().map(\.name), errors: errors)
  }

  static func title(_ path: [Command]) -> String { path.map(\.name).joined(separator: " ") }
}
