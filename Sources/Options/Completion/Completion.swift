/// What a shell may offer where an argument is expected.
public struct Candidates: Hashable, Sendable {
  /// Which paths are offered.
  public enum Paths: Hashable, Sendable {
    /// None.
    case none
    /// Folders only.
    case folders
    /// Files and folders.
    case files
  }

  /// Words that fit; one that ends with a colon is completed further.
  public let words: [String]
  /// The paths that fit.
  public let paths: Paths

  /// Describes what may be offered.
  public init(words: [String] = [], paths: Paths = .none) {
    self.words = words
    self.paths = paths
  }

  /// The words that a path may follow, such as "copy:".
  var prefixes: [String] { paths == .none ? [] : words.filter { $0.hasSuffix(":") } }
}

/// Makes shells complete a program's command line, from the description of its commands.
public struct Completion: Sendable {
  /// A shell that can be taught to.
  public enum Shell: String, CaseIterable, Sendable {
    /// GNU Bash, also without the package bash-completion.
    case bash
    /// The Z shell.
    case zsh
    /// Fish.
    case fish
  }

  /// Every command, those above before those below.
  struct Entry {
    /// The words behind the program: "profile show"; empty for the program.
    let words: [String]
    let page: CommandPage
    var name: String { words.joined(separator: " ") }
  }

  let program: String
  let entries: [Entry]
  private let candidates: [String: Candidates]

  /// Describes a program.
  ///
  /// - Parameter candidates: what is offered for an argument of each name, such as "DIR". For one such as
  ///   `system|manual` the words of its name are offered.
  public init(of tree: CommandTree, candidates: [String: Candidates]) {
    program = tree.root.name
    self.candidates = candidates
    entries = Self.entries([tree.root])
  }

  private static func entries(_ path: [Command]) -> [Entry] {
    [Entry(words: path.dropFirst().map(\.name), page: CommandPage(path))]
      + path[path.count - 1].subcommands.flatMap { entries(path + [$0]) }
  }

  /// What a shell reads to learn it.
  public func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  func candidates(for argument: String) -> Candidates {
    guard argument.contains("|") else { return candidates[argument] ?? Candidates() }
    return Candidates(words: argument.split(separator: "|").map(String.init))
  }

  /// A text in single quotes, as every shell reads it.
  static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
