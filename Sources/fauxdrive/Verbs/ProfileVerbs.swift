internal import Options
internal import Platform
internal import Profiles

/// `fauxdrive profile list|show|check`
enum ProfileVerbs {
  static let all = [list, show, check]

  private static let dial = Option("dial", help: "show only what each call gets, as a table")

  private static let markdown = Option(
    "markdown", help: "write the page about them, docs/profiles.md")

  private static let list = Verb(
    Command(
      "list", summary: "list the built-in profiles", options: [markdown, .json],
      examples: [Example("fauxdrive profile list", meaning: "Shows the names and whose they are.")])
  ) { arguments, console in
    if arguments.has(markdown) {
      console.output.write(ProfilePage.markdown(of: Profile.builtins))
      return .success
    }
    if arguments.has(.json) {
      let entries = Profile.builtins.map {
        ListEntry(name: $0.name, title: $0.title, summary: $0.summary)
      }
      console.output.write(HumanText.json(entries))
      return .success
    }
    var table = Table(["NAME", "TITLE", "SUMMARY"])
    for profile in Profile.builtins { table.add([profile.name, profile.title, profile.summary]) }
    console.output.write(table.text(for: console.output))
    return .success
  }

  private static let show = Verb(
    Command(
      "show", summary: "show a profile, every value with its evidence",
      discussion: """
        Prints JSON5 that can be changed, saved under another name, and used in place of a name. \
        A file of your own may also say only what differs: basedOn: "synology".
        """,
      options: [dial, .json],
      operands: [Operand("PROFILE", help: "a name, or the path of a .json5 file")],
      examples: [
        Example("fauxdrive profile show synology", meaning: "Prints the whole profile."),
        Example(
          "fauxdrive profile show --dial ./slow-nas.json5",
          meaning:
            "Shows what stat, open, read and the other calls get on a document that is not here."),
      ],
      exitCodes: [.badData])
  ) { arguments, console in
    let profile = try Profile.find(arguments.operands[0])
    switch (arguments.has(dial), arguments.has(.json)) {
    case (false, false): console.output.write(profile.json5)
    case (false, true): console.output.write(profile.json)
    case (true, false): console.output.write(table(of: profile).text(for: console.output))
    case (true, true): console.output.write(HumanText.json(rows(of: profile)))
    }
    return .success
  }

  private static let check = Verb(
    Command(
      "check", summary: "check profile files",
      discussion: """
        Tells the file, the line and column, the value, and what is allowed for each mistake; and of a \
        file without mistakes which values are doubtful, since their evidence is only inferred.
        """,
      options: [.json],
      operands: [Operand("FILE", help: "the path of a .json5 file", maximum: nil)],
      examples: [Example("fauxdrive profile check ./slow-nas.json5", meaning: "Checks a file.")],
      exitCodes: [.badData])
  ) { arguments, console in
    let checks = arguments.operands.map(ProfileCheck.init(fileAt:))
    if arguments.has(.json) {
      console.output.write(HumanText.json(checks.map(CheckResult.init)))
    } else {
      for check in checks { tell(check, console) }
    }
    return checks.contains { !$0.mistakes.isEmpty } ? .badData : .success
  }

  private static func tell(_ check: ProfileCheck, _ console: Console) {
    for mistake in check.mistakes {
      console.errors.write(Terminal.printable("\(mistake)") + "\n")
    }
    guard let profile = check.profile else { return }
    var lines = ["\(check.file): ok, profile '\(profile.name)'"]
    lines += profile.doubts.map { "doubt: \($0.keyPath): \($0.source)" }
    for line in lines { console.output.write(Terminal.printable(line) + "\n") }
  }
}

extension ProfileVerbs {
  private struct ListEntry: Encodable {
    let name: String
    let title: String
    let summary: String
  }

  /// One line of the dial.
  private struct Row: Encodable {
    let call: String
    let answer: String
    let starts: String
    let whileMaterializing: String
    let patience: String
    let outOfPatience: String
    let unreachable: String
  }

  private static func rows(of profile: Profile) -> [Row] {
    CallClass.allCases.map { callClass in
      let reaction = profile.representation.dial[callClass]
      return Row(
        call: callClass.rawValue, answer: reaction.answer.text, starts: reaction.starts.rawValue,
        whileMaterializing: reaction.whileMaterializing.text,
        patience: reaction.patience.map(HumanText.duration) ?? "never",
        outOfPatience: reaction.outOfPatience.text, unreachable: reaction.unreachable.text)
    }
  }

  private static func table(of profile: Profile) -> Table {
    var table = Table([
      "CALL", "ANSWER", "STARTS", "MEANWHILE", "PATIENCE", "AFTER IT", "UNREACHABLE",
    ])
    for row in rows(of: profile) {
      table.add([
        row.call, row.answer, row.starts, row.whileMaterializing, row.patience, row.outOfPatience,
        row.unreachable,
      ])
    }
    return table
  }

  private struct CheckResult: Encodable {
    struct Mistake: Encodable {
      let file: String
      let line: Int
      let column: Int
      let keyPath: String
      let problem: String
      let allowed: [String]
    }

    struct Doubt: Encodable {
      let keyPath: String
      let source: String
    }

    let file: String
    let name: String?
    let mistakes: [Mistake]
    let doubts: [Doubt]

    init(_ check: ProfileCheck) {
      file = check.file
      name = check.profile?.name
      mistakes = check.mistakes.map {
        Mistake(
          file: $0.file, line: $0.line, column: $0.column, keyPath: $0.keyPath,
          problem: $0.problem, allowed: $0.allowed)
      }
      doubts = (check.profile?.doubts ?? []).map { Doubt(keyPath: $0.keyPath, source: $0.source) }
    }
  }
}
