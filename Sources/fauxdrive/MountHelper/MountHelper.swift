import Control
import Daemon
import Glibc
import Options
import Platform

/// `mount.fauxdrive`, which mount(8) calls for the types fauxdrive and fuse.fauxdrive: this program under
/// another name.
enum MountHelper {
  /// The name of the program and of its manual page.
  static let name = "mount.fauxdrive"

  private static let list = Option(
    "options", short: "o", argument: "LIST", help: "the mount options, with commas between them")
  private static let fake = Option("fake", short: "f", help: "only check")
  private static let sloppy = Option("sloppy", short: "s", help: "ignore unknown mount options")
  private static let verbose = Option("verbose", short: "v", help: "tell what was mounted")
  private static let noTable = Option("no-mtab", short: "n", help: "does nothing")
  private static let type = Option("types", short: "t", argument: "TYPE", help: "does nothing")

  private static let command = Command(
    name, summary: "mount a drive for mount(8)",
    discussion: """
      Is called by mount(8), also for a line of /etc/fstab. A mount that root makes has its world below \
      /var/lib/fauxdrive, unless the options say otherwise; anybody else's lies where 'fauxdrive mount' \
      keeps it.
      """,
    options: [list, fake, sloppy, verbose, noTable, type],
    operands: [
      Operand("SOURCE", help: MountWords.sourceHelp),
      Operand("MOUNTPOINT", help: "an empty folder"),
    ],
    examples: [
      Example(
        "mount -t fuse.fauxdrive copy:/srv/docs /mnt -o profile=synology",
        meaning: "Shows the documents of /srv/docs as a Synology drive does."),
      Example(
        "copy:/srv/docs /mnt fuse.fauxdrive profile=synology,allow_other,_netdev,nofail 0 0",
        meaning: "The same as a line of /etc/fstab, for every user."),
      Example(
        "copy:/home/ann/docs /home/ann/Drive fuse.fauxdrive setuid=ann,noauto 0 0",
        meaning: "A drive of the user ann, who may use it with all commands."),
    ],
    exits: MountStatus.allCases.map { ExitStatus($0.rawValue, $0.meaning) },
    lists: [WordList("Mount options", MountWords.help)])

  static let tree = CommandTree(root: command, version: Commands.version)

  /// The words for this program when it was called as a mount helper; nil when it was not.
  ///
  /// `mount.fuse3` knows no helpers, but calls the program itself: `fauxdrive SOURCE MOUNTPOINT -o LIST`.
  static func words(of line: [String]) -> [String]? {
    let program = String(line.first?.split(separator: "/").last ?? "")
    let words = Array(line.dropFirst())
    if [name, "mount.fuse.fauxdrive"].contains(program) { return words }
    let isCommand = Commands.tree.root.subcommands.contains { $0.name == words.first }
    return words.count == 4 && words[2] == "-o" && !isCommand ? words : nil
  }

  /// Does what mount(8) asks for.
  static func run(_ words: [String], _ output: Terminal, _ errors: Terminal) -> MountStatus {
    let console = Console(output: output, errors: errors, name: name)
    switch tree.parse(words, output: output, errors: errors) {
    case .finished(let code): return MountStatus(code)
    case .run(let invocation):
      do {
        try mount(invocation.arguments, console)
        return .success
      } catch {
        return MountStatus(Commands.tell(error, in: [], of: tree, console))
      }
    }
  }

  private static func mount(_ arguments: Arguments, _ console: Console) throws {
    let words = try MountWords(
      source: arguments.operands[0], mountpoint: arguments.operands[1],
      options: arguments.values(list).joined(separator: ","),
      ignoringUnknown: arguments.has(sloppy))
    var request = try words.request()
    if let user = words.user { try MountUser.become(user) } else { MountUser.findHome() }
    request.world = request.world ?? words.world(forUser: geteuid())
    if words.isRemount { return try Remount(request).run(isFake: arguments.has(fake)) }
    try words.checkSource(request)
    guard !arguments.has(fake) else { return }
    for notice in try MountVerbs.mount(request, as: request.profile) { console.tell(notice) }
    guard arguments.has(verbose) else { return }
    console.output.write("\(Terminal.printable(request.mountpoint)) is mounted.\n")
  }
}

/// How a mount helper ends, in the numbers of mount(8), which hands them on.
enum MountStatus: Int32, CaseIterable {
  case success = 0
  case usage = 1
  case failure = 32

  init(_ code: ExitCode) {
    switch code {
    case .success: self = .success
    case .usage: self = .usage
    default: self = .failure
    }
  }

  var meaning: String {
    switch self {
    case .success: "success"
    case .usage: "a wrong command line or mount option"
    case .failure: "the mount failed; the message says why"
    }
  }
}
