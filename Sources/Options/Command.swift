public import Platform

/// An option of a command, as data: it is parsed, shown by `--help`, and completed from this.
public struct Option: Hashable, Sendable {
  /// The long name, without its hyphens; also the key of its values.
  public let name: String
  /// The short name, if it has one.
  public let short: Character?
  /// What its argument is called in the help; nil for an option that takes none.
  public let argument: String?
  /// What it does, as a phrase.
  public let help: String

  /// Describes an option.
  public init(_ name: String, short: Character? = nil, argument: String? = nil, help: String) {
    self.name = name
    self.short = short
    self.argument = argument
    self.help = help
  }

  /// `--json`, which every command that prints something has.
  public static let json = Option("json", help: "print JSON")
}

/// What a command takes beside options.
public struct Operand: Hashable, Sendable {
  /// What it is called in the help, such as "PATH".
  public let name: String
  /// What it means, as a phrase.
  public let help: String
  /// How many there must be.
  public let minimum: Int
  /// How many there may be; nil for any number.
  public let maximum: Int?

  /// Describes an operand that must be there once, unless told otherwise.
  public init(_ name: String, help: String, minimum: Int = 1, maximum: Int? = 1) {
    self.name = name
    self.help = help
    self.minimum = minimum
    self.maximum = maximum
  }

  /// `PATH`, `[PATH]`, `PATH...` or `[PATH...]`.
  var usage: String {
    let text = maximum == nil || (maximum ?? 0) > 1 ? name + "..." : name
    return minimum == 0 ? "[\(text)]" : text
  }
}

/// A line to try, and what it does.
public struct Example: Hashable, Sendable {
  /// The whole command line.
  public let line: String
  /// What it does, as a sentence.
  public let meaning: String

  /// Describes an example.
  public init(_ line: String, meaning: String) {
    self.line = line
    self.meaning = meaning
  }
}

/// A list of words and what they mean, beside the options of a command.
public struct WordList: Hashable, Sendable {
  /// The heading.
  public let title: String
  private let labels: [String]
  private let meanings: [String]

  /// Describes a list.
  public init(_ title: String, _ rows: [(String, String)]) {
    self.title = title
    labels = rows.map(\.0)
    meanings = rows.map(\.1)
  }

  /// Each word and its meaning.
  public var rows: [(String, String)] { Array(zip(labels, meanings)) }
}

/// How a command can end.
public struct ExitStatus: Hashable, Sendable {
  /// The number.
  public let status: Int32
  /// What it means, in a few words.
  public let meaning: String

  /// Describes an exit status.
  public init(_ status: Int32, _ meaning: String) {
    self.status = status
    self.meaning = meaning
  }
}

/// A command of the command line, as data: either a verb with options and operands, or a group of
/// commands.
public struct Command: Hashable, Sendable {
  /// The word on the command line.
  public let name: String
  /// What it does, in a few words without a full stop.
  public let summary: String
  /// More about it: paragraphs, or empty.
  public let discussion: String
  /// The options, beside `--help` and `--usage`, which every command has.
  public let options: [Option]
  /// The operands, in their order. Only the last one may have a varying number.
  public let operands: [Operand]
  /// Lines to try; every verb has one at least.
  public let examples: [Example]
  /// How it can end, beside success and a wrong command line.
  public let exitCodes: [ExitCode]
  /// How it can end, of a command that has numbers of its own; else nil.
  public let exits: [ExitStatus]?
  /// Words that it takes beside options.
  public let lists: [WordList]
  /// The commands of a group; empty for a verb.
  public let subcommands: [Command]

  /// Describes a verb.
  public init(
    _ name: String, summary: String, discussion: String = "", options: [Option] = [],
    operands: [Operand] = [], examples: [Example], exitCodes: [ExitCode] = [],
    exits: [ExitStatus]? = nil, lists: [WordList] = []
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.options = options
    self.operands = operands
    self.examples = examples
    self.exitCodes = exitCodes
    self.exits = exits
    self.lists = lists
    subcommands = []
  }

  /// Describes a group of commands.
  public init(group name: String, summary: String, discussion: String = "", commands: [Command]) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    options = []
    operands = []
    examples = []
    exitCodes = []
    exits = nil
    lists = []
    subcommands = commands
  }

  /// Whether this is a group.
  public var isGroup: Bool { !subcommands.isEmpty }

  /// How many operands there may be.
  var operandCount: (minimum: Int, maximum: Int?) {
    let minimum = operands.reduce(0) { $0 + $1.minimum }
    let isOpen = operands.contains { $0.maximum == nil }
    return (minimum, isOpen ? nil : operands.reduce(0) { $0 + ($1.maximum ?? 0) })
  }
}
