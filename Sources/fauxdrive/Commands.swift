internal import Control
internal import Daemon
internal import Options
internal import Platform
internal import Profiles

/// Where a command writes.
struct Console: Sendable {
  let output: Terminal
  let errors: Terminal
  /// What stands before a message.
  var name = "fauxdrive"

  /// Tells a failure on standard error: what, and in a second line what to do.
  func tell(_ message: String, remedy: String? = nil) {
    let head = errors.styled("\(name):", .red)
    errors.write("\(head) \(Terminal.printable(Self.plain(message)))\n")
    if let remedy { errors.write("  \(Terminal.printable(Self.plain(remedy)))\n") }
  }

  /// A sentence from a lower layer as it stands behind the program's name: without its full stop.
  private static func plain(_ message: String) -> String {
    message.hasSuffix(".") ? String(message.dropLast()) : message
  }
}

/// A verb: its description and what it does.
struct Verb: Sendable {
  typealias Action = @Sendable (Arguments, Console) throws -> ExitCode

  let command: Command
  let action: Action

  init(_ command: Command, _ action: @escaping Action) {
    self.command = command
    self.action = action
  }
}

/// All verbs, by group; the group "" holds those that stand alone.
enum Commands {
  static let version = programVersion

  private static let groups: [(name: String, summary: String, verbs: [Verb])] = [
    (
      "", "",
      MountVerbs.all + ItemVerbs.all + LedgerVerb.all + DoctorVerb.all + DemoVerb.all
        + ManualVerbs.all
    ),
    ("device", "give a world more devices", DeviceVerbs.all),
    ("cloud", "see the cloud itself, as another device would", CloudVerbs.all),
    ("network", "steer the network between the drive and its cloud", NetworkVerbs.all),
    ("gate", "hold transfers and calls at a point", GateVerbs.all),
    ("clock", "show and steer the world's time", ClockVerbs.all),
    ("grant", "who may touch what in a scoped world", GrantVerbs.all),
    ("profile", "list, show and check profiles", ProfileVerbs.all),
  ]

  static let tree = CommandTree(
    root: Command(
      group: "fauxdrive",
      summary: "a cloud drive that you control",
      discussion: """
        Documents on the drive are listed but not there, and what a program meets when it asks for one is \
        what it would meet with the provider whose profile you choose. You can hold a download, go \
        offline, stop the clock, and read afterwards which program caused what.
        """,
      commands: groups.flatMap { group in
        let commands = group.verbs.map(\.command)
        return group.name.isEmpty
          ? commands : [Command(group: group.name, summary: group.summary, commands: commands)]
      }),
    version: version)

  /// Runs a command that the tree has found, and tells its failure.
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let group = invocation.words.count > 1 ? invocation.words[0] : ""
    let verbs = groups.first { $0.name == group }?.verbs ?? []
    guard let verb = verbs.first(where: { $0.command.name == invocation.command.name }) else {
      preconditionFailure("every command of the tree has a verb")
    }
    do {
      return try verb.action(invocation.arguments, console)
    } catch {
      return tell(error, in: invocation.words, of: tree, console)
    }
  }

  /// Tells why a command has failed.
  ///
  /// - Parameter words: the words that name the command, without the program.
  static func tell(
    _ error: any Error, in words: [String], of tree: CommandTree, _ console: Console
  ) -> ExitCode {
    switch error {
    case let error as UsageError: return tree.tell(error, in: words, errors: console.errors)
    case let error as ControlError:
      console.tell(error.message, remedy: error.remedy)
      return error.exitCode
    case let error as WorldError:
      console.tell(error.message)
      return error.exitCode
    case let error as ProfileError:
      console.tell("\(error)")
      return .badData
    default:
      console.tell("\(error)")
      return .failure
    }
  }
}
