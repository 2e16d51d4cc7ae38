internal import Platform

extension Representation {
  private static let keys = [
    "placeholder", "materialization", "dial", "blocks", "interruptible", "claimFor",
    "evictionRefusals", "onRemoteChange", "withoutGrant",
  ]

  init(_ node: JSON5Node, at path: String, of file: String) throws(ProfileError) {
    let reader = try ObjectReader(node, at: path, of: file, keys: Self.keys)
    self.init(
      placeholder: try PlaceholderStyle(reader, "placeholder"),
      materialization: try reader.choice("materialization", as: MaterializationPolicy.self),
      dial: try Dial(reader, "dial"),
      blocks: try reader.choice("blocks", as: BlockCount.self),
      interruptible: try reader.choice("interruptible", as: Interruptible.self),
      claimFor: try reader.durationOrNever("claimFor"),
      evictionRefusals: try EvictionRefusals(reader, "evictionRefusals"),
      onRemoteChange: try reader.choice("onRemoteChange", as: RemoteChangeReaction.self),
      withoutGrant: try reader.errno("withoutGrant"))
    try checkOpening(reader)
    try checkReading(reader)
  }

  /// What is not here has no bytes to be read at once.
  private func checkReading(_ reader: ObjectReader) throws(ProfileError) {
    let reaction = dial[.read]
    guard placeholder != .none, [reaction.answer, reaction.whileMaterializing].contains(.present)
    else { return }
    throw reader.error(
      "dial.read", "must not be 'present', since a document that is not here has no bytes",
      allowed: [
        Answer.wait.text, Answer.missing.text, "the C name of an error, such as ETIMEDOUT",
      ],
      at: try reader.node("dial")["read"]?.place)
  }

  /// `alwaysFull` means that the content is here when an open returns, and the dial must say the same.
  private func checkOpening(_ reader: ObjectReader) throws(ProfileError) {
    if dial[.open].answer == .wait, materialization != .alwaysFull {
      throw reader.error(
        "materialization", "must go with the dial, where an open waits for the content",
        allowed: [MaterializationPolicy.alwaysFull.rawValue])
    }
    if dial[.open].answer == .present, materialization == .alwaysFull {
      throw reader.error(
        "materialization", "must go with the dial, where an open does not wait for the content",
        allowed: MaterializationPolicy.allCases.filter { $0 != .alwaysFull }.map(\.rawValue))
    }
  }

  var node: JSON5Node {
    .object([
      ("placeholder", placeholder.node),
      ("materialization", .text(materialization.rawValue)),
      ("dial", dial.node),
      ("blocks", .text(blocks.rawValue)),
      ("interruptible", .text(interruptible.rawValue)),
      ("claimFor", .text(DurationText.text(claimFor))),
      ("evictionRefusals", .texts(evictionRefusals.words)),
      ("onRemoteChange", .text(onRemoteChange.rawValue)),
      ("withoutGrant", .text(withoutGrant.name)),
    ])
  }
}

extension PlaceholderStyle {
  private enum Style: String, CaseIterable { case none, dataless, stub }

  private static let stubKeys = ["prefix", "suffix", "opening"]
  private static let longestAddition = 64

  init(_ outer: ObjectReader, _ key: String) throws(ProfileError) {
    let node = try outer.node(key)
    let path = outer.path(of: key)
    let any = try ObjectReader(
      node, at: path, of: outer.file, keys: ["style"], optional: Self.stubKeys)
    let style = try any.choice("style", as: Style.self)
    let keys = style == .stub ? ["style"] + Self.stubKeys : ["style"]
    let reader = try ObjectReader(node, at: path, of: outer.file, keys: keys)
    switch style {
    case .none: self = .none
    case .dataless: self = .dataless
    case .stub:
      let prefix = try Self.addition(reader, "prefix")
      let suffix = try Self.addition(reader, "suffix")
      self = .stub(
        prefix: prefix, suffix: suffix, opening: try reader.choice("opening", as: Starts.self))
      if prefix.isEmpty && suffix.isEmpty {
        throw reader.error("", "needs a prefix or a suffix, or both names would be the same")
      }
    }
  }

  private static func addition(
    _ reader: ObjectReader, _ key: String
  ) throws(ProfileError) -> String {
    let text = try reader.text(key)
    guard text.utf8.count <= longestAddition, !text.contains("/"), !text.contains("\0") else {
      throw reader.error(
        key, "cannot be a part of a name",
        allowed: ["up to \(longestAddition) bytes without a slash"])
    }
    return text
  }

  var node: JSON5Node {
    switch self {
    case .none: .object([("style", .text("none"))])
    case .dataless: .object([("style", .text("dataless"))])
    case .stub(let prefix, let suffix, let opening):
      .object([
        ("style", .text("stub")), ("prefix", .text(prefix)), ("suffix", .text(suffix)),
        ("opening", .text(opening.rawValue)),
      ])
    }
  }
}

extension EvictionRefusals {
  private static let words: [(word: String, refusal: EvictionRefusals)] = [
    ("pending", .pending), ("open", .open), ("pinned", .pinned), ("always", .always),
  ]

  init(_ reader: ObjectReader, _ key: String) throws(ProfileError) {
    self = []
    for text in try reader.texts(key) {
      guard let known = Self.words.first(where: { $0.word == text }) else {
        throw reader.error(key, "'\(text)' is not known here", allowed: Self.words.map(\.word))
      }
      insert(known.refusal)
    }
  }

  var words: [String] { Self.words.filter { contains($0.refusal) }.map(\.word) }
}
