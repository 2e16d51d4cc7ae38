internal import Platform

/// Everything that is wrong with a profile file, and what is doubtful about it.
public struct ProfileCheck: Sendable {
  /// The file's path.
  public let file: String
  /// The profile; nil when there are mistakes.
  public let profile: Profile?
  /// All mistakes, in the order in which they were found; of a text that is no JSON5 only the first.
  public let mistakes: [ProfileError]

  private static let maximumMistakes = 100

  /// Checks the file at a path.
  public init(fileAt path: String) {
    do {
      self.init(try Profile.text(ofFileAt: path), file: path)
    } catch {
      self.init(file: path, profile: nil, mistakes: [error])
    }
  }

  /// Checks a text.
  init(_ text: some Sequence<UInt8>, file: String) {
    do {
      self.init(tree: try Profile.tree(of: text, file), file: file)
    } catch {
      self.init(file: file, profile: nil, mistakes: [error])
    }
  }

  private init(file: String, profile: Profile?, mistakes: [ProfileError]) {
    self.file = file
    self.profile = profile
    self.mistakes = mistakes
  }

  /// Reads the file again and again, each time with the mistake that was found put right.
  private init(tree: JSON5Node, file: String) {
    var repair = ProfileRepair(tree)
    var mistakes: [ProfileError] = []
    var profile: Profile?
    while profile == nil, mistakes.count < Self.maximumMistakes {
      do {
        profile = try Profile.read(repair.tree, file, bases: Profile.builtins)
      } catch {
        let isNew = !mistakes.contains {
          $0.keyPath == error.keyPath && $0.problem == error.problem
        }
        if isNew { mistakes.append(error) }
        guard repair.mend(error, isAgain: !isNew) else { break }
      }
    }
    self.init(file: file, profile: mistakes.isEmpty ? profile : nil, mistakes: mistakes)
  }
}

/// A file's values, in which one mistake after another is put right, so that the next one is found.
private struct ProfileRepair {
  private(set) var tree: JSON5Node
  private let model: JSON5Node

  /// - Parameter tree: the values. What is wrong becomes that of the profile that they are based on.
  init(_ tree: JSON5Node) {
    self.tree = tree
    var base: Profile?
    if case .text(let name) = tree["basedOn"]?.value { base = Profile.builtin(named: name) }
    var model = (base ?? Profile.builtins.first { $0.name == "icloud" })?.node ?? .object([])
    model.set(["basedOn"], to: .text("icloud"))
    self.model = model
  }

  /// Puts a mistake right.
  ///
  /// - Parameter isAgain: whether that was tried before, so that it must lie in what is around it.
  /// - Returns: whether anything was done.
  mutating func mend(_ mistake: ProfileError, isAgain: Bool) -> Bool {
    let before = tree
    if mistake.keyPath == "evidence" {
      mendTable(mistake)
    } else if mistake.keyPath.hasPrefix("evidence.") {
      mendEntry(String(mistake.keyPath.dropFirst("evidence.".count)), mistake)
    } else {
      var path = mistake.keyPath.split(separator: ".").map(String.init)[...]
      // Which other keys there are depends on it.
      if path.last == "style" { path.removeLast() }
      if isAgain { path = path.prefix(1) }
      tree.set(path, to: model.value(at: path))
    }
    return tree != before
  }

  private static let anyEvidence = JSON5Node.object([
    ("level", .text(Evidence.Level.inferred.rawValue)), ("source", .text("-")),
  ])

  /// A table that is none, or that lacks an entry.
  private mutating func mendTable(_ mistake: ProfileError) {
    guard case .object = tree["evidence"]?.value else {
      return tree.set(
        ["evidence"],
        to: .object([("account", Self.anyEvidence), ("representation", Self.anyEvidence)]))
    }
    let quoted = mistake.problem.split(separator: "'", omittingEmptySubsequences: false)
    guard quoted.count == 3 else { return }
    tree.set(["evidence", String(quoted[1])], to: Self.anyEvidence)
  }

  /// An entry that is wrong, or is for nothing.
  private mutating func mendEntry(_ path: String, _ mistake: ProfileError) {
    guard case .object(let entries) = tree["evidence"]?.value else { return }
    guard
      let key = entries.map(\.key).filter({ EvidenceTable.covers($0, path) })
        .max(by: { $0.utf8.count < $1.utf8.count })
    else { return }
    let part = path.dropFirst(key.count + 1)
    if mistake.problem == EvidenceTable.forNothing {
      tree.set(["evidence", key], to: nil)
    } else if part.isEmpty {
      tree.set(["evidence", key], to: Self.anyEvidence)
    } else {
      tree.set(["evidence", key, String(part)], to: Self.anyEvidence[String(part)])
    }
  }
}

/// A value that nothing but reasoning stands for.
public struct ProfileDoubt: Hashable, Sendable {
  /// The path of the value, or of all values below it.
  public let keyPath: String
  /// What it was inferred from.
  public let source: String
}

extension Profile {
  /// The values whose evidence is only inferred, values of one source together.
  public var doubts: [ProfileDoubt] {
    EvidenceTable.entries(evidence, for: tree).filter { $0.evidence.level == .inferred }
      .map { ProfileDoubt(keyPath: $0.path, source: $0.evidence.source) }
  }
}
