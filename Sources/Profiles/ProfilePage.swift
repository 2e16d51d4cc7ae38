/// The page about the built-in profiles, made of their files.
public enum ProfilePage {
  /// The whole page, as Markdown.
  public static func markdown(of profiles: [Profile]) -> String {
    ([introduction, overview(of: profiles)] + profiles.map(section)).joined(separator: "\n") + "\n"
  }

  private static let introduction = """
    # Profiles

    <!-- scripts/profile-docs writes this page from the profile files; change those. -->

    A profile says how a provider's account behaves, and how a device shows it. `fauxdrive profile show NAME`
    prints one with every value and what it is founded on; [the semantics](semantics.md) say what the values do.
    A file of your own may be used in place of a name, and may say only what differs:

    ```
    {
      format: 1,
      name: "slow-nas",
      basedOn: "synology",
      account: { uploadDelay: "30s" },
      evidence: { "account.uploadDelay": { level: "reported", source: "seen at home" } },
    }
    ```

    `basedOn: { account: "nextcloud-mac", representation: "synology" }` takes the account of one profile and the
    representation of another. `fauxdrive profile check FILE` tells what is wrong with a file.

    Each value is *verified* (the provider's or system's own documentation or source says so), *reported* (seen, but
    promised by nobody) or *inferred* (it follows from something else, or had to be chosen). The inferred ones are
    the doubts: they are listed with each profile.

    """

  private static func overview(of profiles: [Profile]) -> String {
    var lines = [
      "## What a document that is not here looks like", "",
      "| Profile | Listed as | stat | access | open | read | read without a network |",
      "|---|---|---|---|---|---|---|",
    ]
    for profile in profiles {
      let dial = profile.representation.dial
      let classes: [CallClass] = [.stat, .access, .open, .read]
      let cells = classes.map { brief($0, of: profile.representation) } + [offline(dial)]
      lines.append(
        "| [\(profile.name)](#\(profile.name)) | \(profile.representation.placeholder.example) | "
          + cells.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What the first call of a class gets, and what it starts.
  private static func brief(_ callClass: CallClass, of shown: Representation) -> String {
    // What cannot be opened cannot be read.
    callClass == .read && shown.dial[.open].answer.isRefusal ? "-" : shown.dial[callClass].brief
  }

  /// What a program gets that opens and reads without a network.
  private static func offline(_ dial: Dial) -> String {
    switch dial[.open].answer {
    case .present where dial[.read].answer == .present: Answer.present.text
    case .present: dial[.read].unreachable.text
    case .wait: dial[.open].unreachable.text
    default: dial[.open].answer.text
    }
  }

  private static func section(of profile: Profile) -> String {
    var lines = ["## \(profile.name)", "", "\(profile.title). \(profile.summary)", ""]
    lines += [
      "| Call | Answer | Starts | Meanwhile | Patience | After it | Unreachable | Founded |",
      "|---|---|---|---|---|---|---|---|",
    ]
    for callClass in CallClass.allCases {
      let path = "representation.dial.\(callClass.rawValue)"
      let cells = profile.representation.dial[callClass].cells
      lines.append(
        "| \(callClass.rawValue) | \(cells.joined(separator: " | ")) | \(profile.levels(at: path)) |"
      )
    }
    lines += ["", "| Value | Is | Founded |", "|---|---|---|"]
    for path in profile.tree.leaves(below: "") where !path.hasPrefix("representation.dial.") {
      let value = profile.tree.value(at: path.split(separator: ".").map(String.init)[...])
      let text = value.map { JSON5Printer.print($0).dropLast() } ?? ""
      lines.append(
        "| \(path) | `\(text.replacing("|", with: "\\|"))` | \(profile.levels(at: path)) |")
    }
    lines += ["", "Doubts:", ""]
    lines += profile.doubts.map { "- `\($0.keyPath)`: \($0.source.escaped)" }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension Profile {
  /// How well the values at a path are founded: the levels that occur, the best first.
  fileprivate func levels(at path: String) -> String {
    let levels = Set(
      evidence.filter { EvidenceTable.covers(path, $0.key) }.map { $0.value.level })
    return Evidence.Level.allCases.filter(levels.contains).map(\.rawValue).joined(separator: ", ")
  }
}

extension Answer {
  fileprivate var isRefusal: Bool { self != .present && self != .wait }
}

extension Reaction {
  /// The six values, as words.
  fileprivate var cells: [String] {
    [
      answer.text, starts.rawValue, whileMaterializing.text, DurationText.text(patience),
      outOfPatience.text, unreachable.text,
    ]
  }

  /// What the first call gets, and what it starts.
  fileprivate var brief: String {
    var text = answer == .wait ? "waits" : answer.text
    if answer != .wait, starts != .nothing { text += ", starts \(starts.rawValue)" }
    if answer == .missing, whileMaterializing == .wait { text += "; then waits" }
    return text
  }
}

extension PlaceholderStyle {
  fileprivate var example: String {
    switch self {
    case .none, .dataless: "`name`"
    case .stub(let prefix, let suffix, _): "`\(prefix)name\(suffix)`"
    }
  }
}

extension String {
  /// As text of a page: no mark of Markdown means anything.
  fileprivate var escaped: String {
    var text = ""
    for character in self {
      if "\\`*_<>[]|".contains(character) { text += "\\" }
      text.append(character)
    }
    return text
  }
}
