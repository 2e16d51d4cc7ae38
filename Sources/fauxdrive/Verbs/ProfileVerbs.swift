internal import Options
internal import Platform
internal import Profiles

/// `fauxdrive profile list|show|check`
enum ProfileVerbs {
  static let all = [list, show, check]

  private static let dial = Option("dial", help: "show only what each call gets, as a table")

  private static let list = Verb(
    Command(
      "list", summary: "list the built-in profiles", options: [.json],
      examples: [Example("fauxdrive profile list", meaning: "Shows the names and whose they are.")])
  ) { arguments, console in
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
      discussion: "Tells the file, the line, the value, and what is allowed for each mistake.",
      options: [.json],
      operands: [Operand("FILE", help: "the path of a .json5 file", maximum: nil)],
      examples: [Example("fauxdrive profile check ./slow-nas.json5", meaning: "Checks a file.")],
      exitCodes: [.badData])
  ) { arguments, console in
    let results = arguments.operands.map(CheckResult.init(of:))
    if arguments.has(.json) {
      console.output.write(HumanText.json(results))
    } else {
      for result in results {
        if let error = result.error {
          console.errors.write(Terminal.printable("\(error.asError)") + "\n")
        } else {
          console.output.write(
            Terminal.printable("\(result.file): ok, profile '\(result.name ?? "")'") + "\n")
        }
      }
    }
    return results.contains { $0.error != nil } ? .badData : .success
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
      let keyPath: String
      let problem: String
      let allowed: [String]

      var asError: ProfileError {
        ProfileError(file: file, line: line, keyPath: keyPath, problem: problem, allowed: allowed)
      }
    }

    let file: String
    let name: String?
    let error: Mistake?

    init(of file: String) {
      self.file = file
      do {
        name = try Profile.load(fileAt: file).name
        error = nil
      } catch {
        name = nil
        self.error = Mistake(
          file: error.file, line: error.line, keyPath: error.keyPath, problem: error.problem,
          allowed: error.allowed)
      }
    }
  }
}
