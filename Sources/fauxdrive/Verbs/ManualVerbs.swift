import Foundation
import Options
import Platform
import Profiles

/// `fauxdrive completion` and `fauxdrive manual`: what a package installs beside the program.
enum ManualVerbs {
  static let all = [completion, manual]

  private static let completion = Verb(
    Command(
      "completion", summary: "print what makes a shell complete the commands",
      discussion: """
        The package has installed it already. Paths are completed by the shell itself, which looks at \
        a drive then as any program does.
        """,
      operands: [
        Operand(shells.joined(separator: "|"), help: "the shell")
      ],
      examples: [
        Example(
          "fauxdrive completion bash >fauxdrive.bash", meaning: "For bash, which must source it."),
        Example(
          "fauxdrive completion zsh >_fauxdrive",
          meaning: "For zsh: belongs into a folder of $fpath."
        ),
        Example(
          "fauxdrive completion fish >fauxdrive.fish",
          meaning: "For fish: belongs into ~/.config/fish/completions."),
      ])
  ) { arguments, console in
    let name = arguments.operands[0]
    guard let shell = Completion.Shell(rawValue: name) else {
      throw UsageError(
        "'\(Terminal.printable(name))' is not one of \(shells.joined(separator: ", "))")
    }
    console.output.write(
      Completion(of: Commands.tree, candidates: candidates).script(for: shell))
    return .success
  }

  private static let shells = Completion.Shell.allCases.map(\.rawValue)

  /// What the arguments of the commands are, by the names that their help gives them.
  private static let candidates: [String: Candidates] = [
    "CLOUD": Candidates(words: ["copy:", "memory:"], paths: .folders),
    "DIR": Candidates(paths: .folders), "WORLD": Candidates(paths: .folders),
    "MOUNTPOINT": Candidates(paths: .folders), "PATH": Candidates(paths: .files),
    "NEWPATH": Candidates(paths: .files), "FILE": Candidates(paths: .files),
    "PROFILE": Candidates(words: Profile.builtins.map(\.name), paths: .files),
    "6.1": Candidates(words: ["6.1"]),
  ]

  private static let pages = ["fauxdrive", MountHelper.name]

  private static let manual = Verb(
    Command(
      "manual", summary: "print a manual page",
      discussion: """
        The package has installed it already. The page shows the date of SOURCE_DATE_EPOCH, or else \
        today's.
        """,
      operands: [
        Operand(pages.joined(separator: "|"), help: "the page (fauxdrive)", minimum: 0)
      ],
      examples: [
        Example(
          "fauxdrive manual >fauxdrive.1", meaning: "Saves the page of all commands, for man(1)."),
        Example(
          "fauxdrive manual mount.fauxdrive >mount.fauxdrive.8",
          meaning: "Saves that of mount -t fuse.fauxdrive."),
      ])
  ) { arguments, console in
    let name = arguments.operands.first ?? pages[0]
    guard let page = page(name) else {
      throw UsageError(
        "'\(Terminal.printable(name))' is not one of \(pages.joined(separator: ", "))")
    }
    console.output.write(page.text)
    return .success
  }

  private static func page(_ name: String) -> Manual? {
    switch name {
    case pages[0]:
      Manual(
        of: Commands.tree, section: 1, date: date, exitCodes: ExitCode.allCases,
        related: ["mount.fauxdrive(8)", "fusermount3(1)", "fuse(4)"])
    case pages[1]:
      Manual(
        of: MountHelper.tree, section: 8, date: date,
        related: ["fauxdrive(1)", "fstab(5)", "mount(8)", "mount.fuse3(8)"])
    default: nil
    }
  }

  /// The day of a build that can be repeated, else today.
  private static var date: String {
    let epoch = Terminal.variable("SOURCE_DATE_EPOCH").flatMap(Int64.init)
    let day = epoch.map { Date(timeIntervalSince1970: Double($0)) } ?? Date()
    return day.formatted(.iso8601.year().month().day())
  }
}
