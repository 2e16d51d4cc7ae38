public import Platform

/// A program's manual page in the `man` macros of roff, made from the description of its commands.
public struct Manual: Sendable {
  /// The manual's section, such as 1 for commands of users and 8 for those of administrators.
  private let section: Int
  private let tree: CommandTree
  private let date: String
  private let exitCodes: [ExitCode]
  private let related: [String]

  /// Describes a page.
  ///
  /// - Parameters:
  ///   - section: 1 for commands of users, 8 for those of administrators.
  ///   - date: what the foot of the page shows, as YYYY-MM-DD.
  ///   - exitCodes: those that the whole program can end with.
  ///   - related: pages that are worth reading too, such as "mount(8)".
  public init(
    of tree: CommandTree, section: Int, date: String, exitCodes: [ExitCode] = [],
    related: [String]
  ) {
    self.tree = tree
    self.section = section
    self.date = date
    self.exitCodes = exitCodes
    self.related = related
  }

  /// The page.
  public var text: String {
    let root = CommandPage([tree.root])
    var roff = Roff()
    roff.request(
      "TH", [root.title.uppercased(), String(section), date, "\(root.title) \(tree.version)"])
    roff.request("SH", ["NAME"])
    roff.line("\(root.title) - \(root.command.summary)", escapingHyphens: false)
    roff.request("SH", ["SYNOPSIS"])
    roff.synopsis(root.title, root.operands)
    roff.request("SH", ["DESCRIPTION"])
    roff.paragraphs(root.command.discussion.isEmpty ? root.sentence : root.command.discussion)
    if tree.root.isGroup {
      roff.request("SH", ["COMMANDS"])
      describe([tree.root], &roff)
    }
    roff.rows(root.command.operands.map { ($0.name, $0.help) }, under: "Arguments")
    roff.request("SH", ["OPTIONS"])
    if tree.root.isGroup { roff.line("Every command has the first two of these options.") }
    roff.options(root.options)
    for list in root.command.lists { roff.rows(list.rows, under: list.title) }
    roff.rows(exits.map { (String($0.status), $0.meaning) }, under: "Exit status")
    roff.examples(root.command.examples, heading: "SH", "EXAMPLES")
    roff.request("SH", ["SEE ALSO"])
    roff.references(related)
    return roff.text
  }

  private var exits: [ExitStatus] {
    CommandPage([tree.root]).exits + exitCodes.map { ExitStatus($0.rawValue, $0.meaning) }
  }

  /// Describes the verbs below a group, one after the other.
  private func describe(_ path: [Command], _ roff: inout Roff) {
    for command in path[path.count - 1].subcommands {
      let below = path + [command]
      if command.isGroup {
        describe(below, &roff)
      } else {
        describe(verb: CommandPage(below), &roff)
      }
    }
  }

  private func describe(verb page: CommandPage, _ roff: inout Roff) {
    roff.request("SS", [page.title])
    roff.synopsis(page.title, page.operands)
    roff.paragraphs(page.sentence)
    if !page.command.discussion.isEmpty { roff.paragraphs(page.command.discussion) }
    roff.rows(page.command.operands.map { ($0.name, $0.help) })
    roff.options(page.command.options)
    let statuses = page.exits.map { String($0.status) }
    roff.paragraphs("Exit status: \(statuses.joined(separator: ", ")).")
    roff.examples(page.command.examples, heading: nil, "For example:")
  }
}
