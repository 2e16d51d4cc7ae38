extension Completion {
  /// Lines for `~/.config/fish/completions`.
  var fish: String {
    """
    # Completion of \(program) for fish.

    # What stands before the cursor, without options and their arguments.
    function __\(program)_words
        set -l takes \(optionsWithArgument.joined(separator: " "))
        set -l skips no
        for word in (commandline -opc)[2..-1]
            if test $skips = yes
                set skips no
            else if contains -- $word $takes
                set skips yes
            else if not string match -q -- '-*' $word
                echo $word
            end
        end
    end

    # Whether the line names this command, whatever follows.
    function __\(program)_begins
        set -l words (__\(program)_words)
        set -q argv[1]; or return 0
        set -q words[(count $argv)]; and test "$words[1..$(count $argv)]" = "$argv"
    end

    # Whether so many words follow the command, which is named behind their number.
    function __\(program)_follow
        set -l words (__\(program)_words)
        test (count $words) -eq (math $argv[1] + (count $argv[2..-1]))
        and __\(program)_begins $argv[2..-1]
    end

    complete -c \(program) -f
    \(entries.map(fishLines).joined(separator: "\n"))

    """
  }

  private func fishLines(_ entry: Entry) -> String {
    let command = entry.page.command
    let names = entry.words.map { " " + $0 }.joined()
    let begins = "__\(program)_begins\(names)"
    let isJust = "__\(program)_follow 0\(names)"
    // A group's own options stand before the command.
    let condition = command.isGroup ? isJust : begins
    let commands = command.subcommands.map {
      fishLine(isJust, "-a \($0.name) -d \(Self.fishQuoted($0.summary))")
    }
    let options = entry.page.options.map { fishLine(condition, fishOption($0)) }
    let operands = command.operands.enumerated().compactMap { index, operand -> String? in
      let candidates = fishCandidates(operand.name, orNone: "")
      let isAlone = operand.maximum == 1
      let condition = isAlone ? "__\(program)_follow \(index)\(names)" : begins
      return candidates.isEmpty ? nil : fishLine(condition, candidates.dropFirst())
    }
    return (commands + options + operands).joined(separator: "\n")
  }

  private var optionsWithArgument: [String] {
    let options = entries.flatMap { $0.page.options.filter { $0.argument != nil } }
    return Set(options.flatMap { ["--\($0.name)"] + ($0.short.map { ["-\($0)"] } ?? []) }).sorted()
  }

  private func fishLine(_ condition: String, _ rest: some StringProtocol) -> String {
    "complete -c \(program) -n \(Self.fishQuoted(condition)) \(rest)"
  }

  private func fishOption(_ option: Option) -> String {
    (option.short.map { "-s \($0) " } ?? "") + "-l \(option.name)"
      + (option.argument.map { fishCandidates($0, orNone: " -x") } ?? "")
      + " -d \(Self.fishQuoted(option.help))"
  }

  /// The words and paths for an argument, as options of `complete`; -r asks for one.
  private func fishCandidates(_ argument: String, orNone none: String) -> String {
    let fitting = candidates(for: argument)
    let isOperand = none.isEmpty
    let words =
      fitting.words.isEmpty ? "" : " -a \(Self.fishQuoted(fitting.words.joined(separator: " ")))"
    switch fitting.paths {
    case .none: return words.isEmpty ? none : none + words
    case .files: return (isOperand ? "" : " -r") + " -F" + words
    case .folders where isOperand:
      return " -a '(__fish_complete_directories (commandline -ct))'" + words
    case .folders: return " -r -F" + words
    }
  }

  /// A text in single quotes, in which fish knows two escapes.
  private static func fishQuoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
