extension Completion {
  /// A function of the new completion system, for a folder of `$fpath`; it can be sourced, too.
  var zsh: String {
    """
    #compdef \(program)
    # Completion of \(program) for zsh.

    \(entries.map(zshFunction).joined(separator: "\n\n"))

    \(zshPaths)
    if [[ $funcstack[1] == _\(program) ]]; then
      _\(program) "$@"
    else
      compdef _\(program) \(program)
    fi

    """
  }

  private func zshName(_ words: [String]) -> String {
    (["_\(program)"] + words).joined(separator: "_")
  }

  private func zshFunction(_ entry: Entry) -> String {
    let command = entry.page.command
    let options = entry.page.options.flatMap(zshOption)
    guard command.isGroup else {
      let specifications = options + command.operands.enumerated().map { zshOperand($0, $1) }
      return """
        \(zshName(entry.words))() {
          _arguments -s -S \\
            \(specifications.joined(separator: " \\\n    "))
        }
        """
    }
    let commands = command.subcommands.map {
      Self.quoted("\($0.name.replacing(":", with: "\\:")):\($0.summary)")
    }
    return """
      \(zshName(entry.words))() {
        local curcontext=$curcontext state line
        local -a commands=(
          \(commands.joined(separator: "\n    "))
        )
        _arguments -C -S \\
          \(options.joined(separator: " \\\n    ")) \\
          '1: :->command' '*:: :->rest'
        case $state in
        command) _describe command commands ;;
        rest)
          case $line[1] in
          \(command.subcommands.map { "\($0.name)) \(zshName(entry.words + [$0.name])) ;;" }
            .joined(separator: "\n    "))
          esac ;;
        esac
      }
      """
  }

  private func zshOption(_ option: Option) -> [String] {
    let argument = option.argument.map { ":\($0):\(zshAction($0))" } ?? ""
    let help = "[\(Self.zshEscaped(option.help))]\(argument)"
    let long = Self.quoted("--\(option.name)\(option.argument == nil ? "" : "=")\(help)")
    guard let short = option.short else { return [long] }
    return [long, Self.quoted("-\(short)\(option.argument == nil ? "" : "+")\(help)")]
  }

  private func zshOperand(_ index: Int, _ operand: Operand) -> String {
    let place = operand.maximum == 1 ? String(index + 1) : "*"
    let colons = operand.minimum == 0 && operand.maximum == 1 ? "::" : ":"
    return Self.quoted(
      "\(place)\(colons)\(Self.zshEscaped(operand.name)):\(zshAction(operand.name))")
  }

  private func zshAction(_ argument: String) -> String {
    let fitting = candidates(for: argument)
    if fitting.paths != .none, !fitting.words.isEmpty { return zshPathsName(argument) }
    switch fitting.paths {
    case .folders: return "_files -/"
    case .files: return "_files"
    case .none: return fitting.words.isEmpty ? " " : "(\(fitting.words.joined(separator: " ")))"
    }
  }

  private func zshPathsName(_ argument: String) -> String {
    "_\(program)_of_\(argument.lowercased())"
  }

  /// The functions for arguments that are a word or a path.
  private var zshPaths: String {
    let names = Set(
      entries.flatMap { entry in
        entry.page.options.compactMap(\.argument) + entry.page.command.operands.map(\.name)
      })
    return names.sorted().compactMap { name in
      let fitting = candidates(for: name)
      guard fitting.paths != .none, !fitting.words.isEmpty else { return nil }
      let files = fitting.paths == .folders ? "_files -/" : "_files"
      let prefixes = fitting.prefixes.map {
        "  if compset -P \(Self.quoted($0)); then \(files); return; fi\n"
      }
      return """
        \(zshPathsName(name))() {
        \(prefixes.joined())  local -a words=(\(fitting.words.map(Self.quoted).joined(separator: " ")))
          _alternative "words:\(name):compadd -S '' -a words" "paths:path:\(files)"
        }

        """
    }.joined(separator: "\n")
  }

  /// A text in a specification of `_arguments`.
  private static func zshEscaped(_ text: String) -> String {
    text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}
