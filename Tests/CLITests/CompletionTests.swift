import Foundation
import Testing

/// What shells offer when they have read what `fauxdrive completion` prints.
@Suite(.timeLimit(.minutes(15))) struct CompletionTests {
  /// A line up to the cursor, and what its last word becomes.
  private static let cases: [(line: String, becomes: [String])] = [
    ("mo", ["mount"]),
    ("cloud l", ["ls"]),
    ("gate ", ["close", "crash", "open", "fail", "cancel", "list", "await"]),
    ("--ver", ["--version"]),
    ("ledger --fol", ["--follow"]),
    ("mount Drive --sco", ["--scoped"]),
    ("profile show syn", ["synology"]),
    ("mount --profile onedr", ["onedrive"]),
    ("mount --clock ", ["system", "manual"]),
    ("mount --clock=sys", ["--clock=system"]),
    ("mount --cloud mem", ["memory:"]),
    ("mount --cloud copy:doc", ["copy:docs/"]),
    ("mount --cloud=copy:doc", ["--cloud=copy:docs/"]),
    ("mount --json Dri", ["Drive/"]),
    ("completion z", ["zsh"]),
    ("device add laptop Dri", ["Drive/"]), ("device add --profile one", ["onedrive"]),
    ("cloud mv Drive doc", ["docs/"]), ("profile check slow", ["slow nas.json5"]),
    ("mount --seed 1 Dri", ["Drive/"]),
  ]

  /// Lines that nothing continues: they stay as they are.
  private static let ends = [
    "nonsense x", "mount Drive slo", "mount --seed 1", "clock show Drive slo",
  ]

  private static func makeFolder() throws -> String {
    let folder = "/tmp/fauxdrive-shell-\(UUID().uuidString)"
    for name in ["docs", "Drive"] {
      try FileManager.default.createDirectory(
        atPath: folder + "/" + name, withIntermediateDirectories: true)
    }
    try Data().write(to: URL(filePath: folder + "/slow nas.json5"))
    return folder
  }

  /// Whether that was offered, with or without the slash that a shell adds behind a folder.
  private static func agree(_ offered: some Sequence<String>, _ expected: [String]) -> Bool {
    func plain(_ words: some Sequence<String>) -> [String] {
      words.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }.sorted()
    }
    return plain(offered) == plain(expected)
  }

  /// Types all cases; `key` puts everything that is offered into the line.
  private static func check(_ start: String, key: String, in folder: String) throws {
    let lines = cases.map(\.line) + ends
    let answers = try ShellSession.type(lines, behind: key, to: start, in: folder)
    try #require(answers.count == lines.count)
    for (expected, answer) in zip(cases, answers) {
      let before = expected.line.split(separator: " ", omittingEmptySubsequences: false).dropLast()
        .map(String.init)
      #expect(
        answer.prefix(before.count) == before[...]
          && agree(answer.dropFirst(before.count), expected.becomes),
        "\(expected.line): \(answer)")
    }
    for (line, answer) in zip(ends, answers.dropFirst(cases.count)) {
      #expect(answer.joined(separator: " ") == line)
    }
  }

  @Test(.enabled(if: ShellSession.isInstalled("python3"), "python3 is not installed"))
  func bashCompletesCommandsOptionsAndTheirArguments() throws {
    let folder = try Self.makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let settings = """
      source <(fauxdrive completion bash)
      fauxdrive() { printf '<%s>' "$@"; echo; }
      bind 'set enable-bracketed-paste off'; bind 'set bell-style none'
      PS1='@@ '
      """
    try settings.write(toFile: folder + "/bashrc", atomically: true, encoding: .utf8)
    try Self.check("bash --noprofile --rcfile bashrc -i", key: "\u{1B}*", in: folder)
  }

  @Test(
    .enabled(if: ShellSession.isInstalled("zsh"), "zsh is not installed"),
    .enabled(if: ShellSession.isInstalled("python3"), "python3 is not installed"))
  func zshCompletesCommandsOptionsAndTheirArguments() throws {
    let folder = try Self.makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let settings = """
      fpath=($PWD/functions $fpath)
      mkdir functions; fauxdrive completion zsh >functions/_fauxdrive
      autoload -Uz compinit; compinit -u -D
      fauxdrive() { printf '<%s>' "$@"; print }
      zle -C all complete-word _generic
      zstyle ':completion:all:*' completer _all_matches _complete
      zstyle ':completion:all:*' insert true
      bindkey '^Xa' all
      unsetopt zle_bracketed_paste prompt_cr prompt_sp beep
      PS1='@@ '
      """
    try settings.write(toFile: folder + "/.zshrc", atomically: true, encoding: .utf8)
    try Self.check("zsh -d -i", key: "\u{18}a", in: folder)
  }

  @Test(.enabled(if: ShellSession.isInstalled("fish"), "fish is not installed"))
  func fishCompletesCommandsOptionsAndTheirArguments() throws {
    let folder = try Self.makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let lines = Self.cases.map(\.line) + Self.ends
    let script =
      "fauxdrive completion fish | source\n"
      + lines.map { "complete -C 'fauxdrive \($0)'\necho '@@'" }.joined(separator: "\n") + "\n"
    try script.write(toFile: folder + "/script.fish", atomically: true, encoding: .utf8)
    let output = try ShellSession.run("fish --no-config script.fish", in: folder)
    let answers = output.components(separatedBy: "@@\n").map { answer in
      answer.split(separator: "\n").map { String($0.split(separator: "\t")[0]) }
    }
    try #require(answers.count == lines.count + 1, "\(output)")
    for (expected, answer) in zip(Self.cases, answers) {
      #expect(Self.agree(answer, expected.becomes), "\(expected.line): \(answer)")
    }
    for (line, answer) in zip(Self.ends, answers.dropFirst(Self.cases.count)) {
      #expect(answer.isEmpty, "\(line): \(answer)")
    }
  }

  @Test func anUnknownShellIsAMistake() throws {
    let run = try ProgramRun(["completion", "tcsh"])
    #expect(run.status == 64 && run.output.isEmpty)
    #expect(run.errors.hasPrefix("fauxdrive completion: 'tcsh' is not one of bash, zsh, fish\n"))
  }
}
