/// The evidence of a profile file: one entry can stand for every value below its path, and the entry
/// with the longest path counts.
struct EvidenceTable {
  static let forNothing = "is not the path of a value"
  private var entries: [(path: String, evidence: Evidence)] = []

  init(_ node: JSON5Node?, of file: String, leaves: [String]) throws(ProfileError) {
    guard let node else { return }
    guard case .object(let members) = node.value else {
      throw ProfileError(
        file: file, at: node.place, keyPath: "evidence",
        problem: "must be an object, not \(node.kind)")
    }
    for member in members {
      let path = "evidence.\(member.key)"
      guard leaves.contains(where: { Self.covers(member.key, $0) }) else {
        throw ProfileError(
          file: file, at: member.place, keyPath: path,
          problem: Self.forNothing,
          allowed: ["account", "representation", "representation.dial.stat.answer and so on"])
      }
      let reader = try ObjectReader(member.node, at: path, of: file, keys: ["level", "source"])
      let source = try reader.text("source")
      guard !source.isEmpty else { throw reader.error("source", "must not be empty") }
      entries.append(
        (
          member.key,
          Evidence(
            level: try reader.choice("level", as: Evidence.Level.self),
            source: source)
        ))
    }
  }

  /// The evidence for a value; nil when there is none.
  func evidence(for leaf: String) -> Evidence? {
    entries.filter { Self.covers($0.path, leaf) }.max { $0.path.count < $1.path.count }?.evidence
  }

  static func covers(_ path: String, _ leaf: String) -> Bool {
    leaf == path || leaf.hasPrefix(path + ".")
  }

  /// The shortest table that gives every value the evidence that it has.
  static func entries(
    _ evidence: [String: Evidence], for tree: JSON5Node
  ) -> [(path: String, evidence: Evidence)] {
    var entries: [(String, Evidence)] = []
    func add(_ node: JSON5Node, at path: String) {
      let all = Set(node.leaves(below: path).map { evidence[$0] })
      if all.count == 1, let only = all.first, let only {
        entries.append((path, only))
      } else if case .object(let members) = node.value {
        for member in members { add(member.node, at: "\(path).\(member.key)") }
      }
    }
    if case .object(let members) = tree.value {
      for member in members { add(member.node, at: member.key) }
    }
    return entries
  }

  static func node(_ evidence: [String: Evidence], for tree: JSON5Node) -> JSON5Node {
    .object(
      entries(evidence, for: tree).map { path, evidence in
        (
          path,
          .object([("level", .text(evidence.level.rawValue)), ("source", .text(evidence.source))])
        )
      })
  }
}
