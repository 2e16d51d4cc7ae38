extension Profile {
  private static let keys = [
    "format", "name", "title", "summary", "account", "representation", "evidence",
  ]
  /// The newest format that this program reads.
  static let format = 1

  /// The profile that a JSON5 text describes.
  ///
  /// A text with `basedOn` names a built-in profile, or one for the account and one for the representation,
  /// and says only what differs from it. What it changes without evidence of its own counts as inferred,
  /// from the file itself.
  ///
  /// - Parameter file: what errors call the text.
  public static func parse(_ text: some Sequence<UInt8>, file: String) throws(ProfileError)
    -> Profile
  {
    try read(try tree(of: text, file), file, bases: builtins)
  }

  /// The values of a text, not looked at.
  static func tree(
    of text: some Sequence<UInt8>, _ file: String
  ) throws(ProfileError) -> JSON5Node {
    do {
      return try JSON5Parser.parse(text)
    } catch {
      throw ProfileError(file: file, at: error.place, problem: error.problem)
    }
  }

  /// The profile that a text's values describe.
  ///
  /// - Parameter bases: what it may be based on.
  static func read(
    _ node: JSON5Node, _ file: String, bases: [Profile]
  ) throws(ProfileError) -> Profile {
    node["basedOn"] == nil ? try whole(node, file) : try derived(node, file, bases)
  }

  private static func whole(_ node: JSON5Node, _ file: String) throws(ProfileError) -> Profile {
    let reader = try ObjectReader(
      node, at: "", of: file, keys: keys)
    var profile = try values(reader, node, file)
    let tree = profile.tree
    let leaves = tree.leaves(below: "")
    let table = try EvidenceTable(node["evidence"], of: file, leaves: leaves)
    if let path = tree.paths(where: { table.evidence(for: $0) == nil }).first {
      throw reader.error(
        "evidence", "has no entry for '\(path)'",
        allowed: ["an entry for it, or for a path above it"])
    }
    for leaf in leaves { profile.evidence[leaf] = table.evidence(for: leaf) }
    return profile
  }

  private static func derived(
    _ node: JSON5Node, _ file: String, _ bases: [Profile]
  ) throws(ProfileError) -> Profile {
    let base = try ProfileBase(node, of: file, from: bases)
    let merged = base.node.overridden(by: node)
    let checked = try ObjectReader(
      merged, at: "", of: file, keys: keys, optional: ["basedOn"])
    var profile = try values(checked, merged, file)
    let leaves = profile.tree.leaves(below: "")
    let table = try EvidenceTable(node["evidence"], of: file, leaves: leaves)
    let changed = Set(node.leaves(below: ""))
    for leaf in leaves {
      profile.evidence[leaf] =
        table.evidence(for: leaf) ?? (changed.contains(leaf) ? nil : base.evidence(for: leaf))
        ?? Self.unfounded
    }
    return profile
  }

  /// The evidence of a value that a file changes without giving any.
  static let unfounded = Evidence(
    level: .inferred, source: "The profile file itself, which names no source.")

  private static func values(
    _ reader: ObjectReader, _ node: JSON5Node, _ file: String
  ) throws(ProfileError) -> Profile {
    _ = try reader.number("format", in: format...format)
    let name = try reader.text("name")
    guard isName(name) else {
      throw reader.error(
        "name", "'\(name)' is not a name",
        allowed: ["up to 64 lower-case letters, digits and hyphens, a letter first"])
    }
    return Profile(
      name: name, title: try reader.text("title"), summary: try reader.text("summary"),
      account: try AccountPolicy(try reader.node("account"), at: "account", of: file),
      representation: try Representation(
        try reader.node("representation"), at: "representation", of: file),
      evidence: [:])
  }

  private static func isName(_ name: String) -> Bool {
    guard (1...64).contains(name.utf8.count), let first = name.utf8.first,
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
    else { return false }
    return name.utf8.allSatisfy { byte in
      switch Unicode.Scalar(byte) {
      case "a"..."z", "0"..."9", "-": true
      default: false
      }
    }
  }
}

extension Profile {
  /// The account and the representation as they stand in a file.
  var tree: JSON5Node {
    .object([("account", account.node), ("representation", representation.node)])
  }

  var node: JSON5Node {
    .object([
      ("format", .number(Self.format)), ("name", .text(name)), ("title", .text(title)),
      ("summary", .text(summary)), ("account", account.node),
      ("representation", representation.node),
      ("evidence", EvidenceTable.node(evidence, for: tree)),
    ])
  }

  /// The profile as a JSON5 file that `parse` reads back.
  public var json5: String { JSON5Printer.print(node) }

  /// The profile as strict JSON, in the same order; `parse` reads it as well.
  public var json: String { JSON5Printer.print(node, isStrict: true) }
}
