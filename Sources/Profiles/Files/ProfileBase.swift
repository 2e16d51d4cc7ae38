/// What a profile file is based on: a built-in profile, or one for the account and one for the
/// representation.
struct ProfileBase {
  private static let halves = ["account", "representation"]

  private let account: Profile
  private let representation: Profile
  /// The profile, where there is only one; its title and summary stand for the file's then.
  private let whole: Profile?

  /// Reads `basedOn`, and checks which other keys the file has.
  init(_ node: JSON5Node, of file: String, from bases: [Profile]) throws(ProfileError) {
    var keys = ["format", "name", "basedOn"]
    var optional = ["title", "summary", "account", "representation", "evidence"]
    if case .object = node["basedOn"]?.value {
      keys += optional[..<2]
      optional.removeFirst(2)
    }
    let reader = try ObjectReader(node, at: "", of: file, keys: keys, optional: optional)
    if case .object = try reader.node("basedOn").value {
      let halves = try reader.object("basedOn", keys: Self.halves)
      account = try Self.base(halves, "account", bases)
      representation = try Self.base(halves, "representation", bases)
      whole = nil
    } else {
      let base = try Self.base(reader, "basedOn", bases)
      (account, representation, whole) = (base, base, base)
    }
  }

  private static func base(
    _ reader: ObjectReader, _ key: String, _ bases: [Profile]
  ) throws(ProfileError) -> Profile {
    let name = try reader.text(key)
    guard let base = bases.first(where: { $0.name == name }) else {
      throw reader.error(
        key, "'\(name)' is not a built-in profile", allowed: bases.map(\.name))
    }
    return base
  }

  /// What the file's own values are put upon.
  var node: JSON5Node {
    if let whole { return whole.node }
    return .object([
      ("account", account.account.node), ("representation", representation.representation.node),
      ("evidence", .object([])),
    ])
  }

  /// What a value that the file does not change is founded on.
  func evidence(for leaf: String) -> Evidence? {
    (EvidenceTable.covers("account", leaf) ? account : representation).evidence[leaf]
  }
}
