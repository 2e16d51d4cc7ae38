/// The text of `--help`, made from the description of a command.
enum Help {
  /// `Usage: fauxdrive profile show [OPTION...] NAME`
  static func usage(_ path: [Command]) -> String {
    let page = CommandPage(path)
    return "Usage: \(page.title) \(page.operands)"
  }

  static func text(_ path: [Command], version: String, columns: Int) -> String {
    let page = CommandPage(path)
    let command = page.command
    let width = min(columns, 100)
    var text = usage(path) + "\n" + fill(page.sentence, width: width) + "\n"
    if !command.discussion.isEmpty { text += "\n" + fill(command.discussion, width: width) + "\n" }
    text += list("Commands", command.subcommands.map { ($0.name, $0.summary) }, width)
    text += list("Arguments", command.operands.map { ($0.name, $0.help) }, width)
    text += list("Options", page.options.map { (label($0), $0.help) }, width)
    for part in command.lists { text += list(part.title, part.rows, width) }
    text += examples(command, width)
    text += list("Exit status", page.exits.map { (String($0.status), $0.meaning) }, width)
    if command.isGroup {
      text += "\n'\(page.title) COMMAND --help' tells more about a command.\n"
    }
    return text
  }

  private static func label(_ option: Option) -> String {
    (option.short.map { "-\($0), " } ?? "    ") + CommandPage.long(option)
  }

  private static func examples(_ command: Command, _ width: Int) -> String {
    guard !command.examples.isEmpty else { return "" }
    let lines = command.examples.map {
      "  \($0.line)\n" + fill($0.meaning, width: width, margin: 6)
    }
    return "\nExample\(lines.count == 1 ? "" : "s"):\n" + lines.joined(separator: "\n") + "\n"
  }

  private static func list(_ title: String, _ rows: [(String, String)], _ width: Int) -> String {
    guard !rows.isEmpty else { return "" }
    let column = min(30, (rows.map(\.0.count).max() ?? 0) + 4)
    var text = "\n\(title):\n"
    for (label, meaning) in rows {
      let filled = fill(meaning, width: width, margin: column)
      let head = "  " + label
      // A label that is too long stands in a line of its own.
      text +=
        head.count + 2 > column
        ? head + "\n" + filled
        : head + String(filled.dropFirst(head.count))
      text += "\n"
    }
    return text
  }

  /// Breaks a text into lines; an empty line of it stays.
  static func fill(_ text: String, width: Int, margin: Int = 0) -> String {
    let indentation = String(repeating: " ", count: margin)
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { paragraph in
      var lines: [String] = []
      var line = ""
      for word in paragraph.split(separator: " ") {
        if !line.isEmpty, margin + line.count + 1 + word.count > max(width, margin + 20) {
          lines.append(line)
          line = ""
        }
        line += line.isEmpty ? String(word) : " \(word)"
      }
      return (lines + [line]).map { $0.isEmpty ? "" : indentation + $0 }.joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
