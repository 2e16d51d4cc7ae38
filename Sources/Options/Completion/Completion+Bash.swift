extension Completion {
  /// A function for `complete -F`. It needs nothing but the shell itself.
  var bash: String {
    """
    # Completion of \(program) for bash.

    # What there is at a command: words, options with the names of their arguments, and operands.
    _\(program)_describe() {
      commands= options= operands=
      case $1 in
    \(entries.map(bashCase).joined(separator: "\n"))
      esac
    }

    # What fits for an argument of a name.
    _\(program)_argument() {
      words= paths=
      case $1 in
    \(bashArguments)
      esac
    }

    \(Self.bashBody.replacing("PROGRAM", with: program))
    """
  }

  private func bashCase(_ entry: Entry) -> String {
    let options = entry.page.options.flatMap { option in
      [CommandPage.long(option)]
        + (option.short.map { ["-\($0)" + (option.argument.map { "=\($0)" } ?? "")] } ?? [])
    }
    let command = entry.page.command
    let parts = [
      ("commands", command.subcommands.map(\.name)), ("options", options),
      ("operands", command.operands.map { $0.name + ($0.maximum == 1 ? "" : "...") }),
    ]
    // With a blank before each, so that a whole word is found.
    let assignments = parts.filter { !$0.1.isEmpty }
      .map { "\($0.0)=\(Self.quoted($0.1.map { " " + $0 }.joined()))" }
    return "  \(Self.quoted(entry.name))) \(assignments.joined(separator: " ")) ;;"
  }

  private var bashArguments: String {
    let names = Set(
      entries.flatMap { entry in
        entry.page.options.compactMap(\.argument) + entry.page.command.operands.map(\.name)
      })
    return names.sorted().compactMap { name in
      let fitting = candidates(for: name)
      guard fitting != Candidates() else { return nil }
      let paths =
        switch fitting.paths {
        case .none: ""
        case .folders: " paths=dirnames"
        case .files: " paths=default"
        }
      return "  \(Self.quoted(name)))"
        + " words=\(Self.quoted(fitting.words.joined(separator: " ")))\(paths) ;;"
    }.joined(separator: "\n")
  }

  private static let bashBody = #"""
    # Offers what begins with $1 for an argument of the name $2. Of the word, bash replaces only $3: what
    # stands behind the last '=' or ':'.
    _PROGRAM_offer() {
      local words paths word
      _PROGRAM_argument "$2"
      for word in $words; do
        if [[ -n $paths && $word == *: && $1 == "$word"* ]]; then words=; fi
      done
      mapfile -t COMPREPLY < <(compgen -W "$words" -- "$1")
      [[ ${COMPREPLY[0]-} == *: ]] && compopt -o nospace
      COMPREPLY=("${COMPREPLY[@]#"${1%"$3"}"}")
      # Where no word fits, the shell completes paths itself; it knows best about quotes.
      [[ -n $paths && ${#COMPREPLY[@]} -eq 0 ]] && compopt -o "$paths"
    }

    _PROGRAM() {
      local commands options operands
      # The words as the program gets them: bash parts them at '=' and ':' too.
      local line=${COMP_LINE:0:COMP_POINT} index word own=
      local -a given=()
      for ((index = 0; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if [[ $index -gt 0 && $line != [[:space:]]* ]]; then
          given[${#given[@]}-1]+=$word
        else
          given+=("$word")
        fi
        line=${line#"${line%%[![:space:]]*}"}
        line=${line#"$word"}
        own=$word
      done
      [[ $own == = || $own == : ]] && own=
      local current=${given[${#given[@]}-1]} path= operand=0 awaited= ended=
      _PROGRAM_describe ''
      for word in "${given[@]:1:${#given[@]}-2}"; do
        if [[ -n $awaited ]]; then
          awaited=
        elif [[ -z $ended && $word == -- ]]; then
          ended=yes
        elif [[ -z $ended && $word == -?* ]]; then
          if [[ $word != *=* && $options == *" $word="* ]]; then
            awaited=${options#*" $word="}
            awaited=${awaited%% *}
          fi
        elif [[ -n $commands ]]; then
          path+=${path:+ }$word
          _PROGRAM_describe "$path"
        else
          operand=$((operand + 1))
        fi
      done
      COMPREPLY=()
      if [[ -n $awaited ]]; then
        _PROGRAM_offer "$current" "$awaited" "$own"
      elif [[ -z $ended && $current == --*=* ]]; then
        local name=${current%%=*} argument
        [[ $options == *" $name="* ]] || return
        argument=${options#*" $name="}
        _PROGRAM_offer "${current#*=}" "${argument%% *}" "$own"
      elif [[ -z $ended && $current == -* ]]; then
        local -a offered=()
        for word in $options; do
          [[ $word == --*=* ]] && offered+=("${word%%=*}=") || offered+=("${word%%=*}")
        done
        mapfile -t COMPREPLY < <(compgen -W "${offered[*]}" -- "$current")
        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
      elif [[ -n $commands ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
      else
        local -a names=($operands)
        local count=${#names[@]}
        ((count > 0)) || return
        if ((operand >= count)); then
          [[ ${names[count-1]} == *... ]] || return
          operand=$((count - 1))
        fi
        _PROGRAM_offer "$current" "${names[operand]%...}" "$own"
      fi
    }

    complete -F _PROGRAM PROGRAM

    """#
}
