internal import Platform

extension AccountPolicy {
  private static let keys = [
    "reachedOver", "renameElsewhere", "replacementElsewhere", "replacementByRename",
    "conflictCopies", "hiddenNameCreation", "names", "versionsKept", "uploadDelay",
    "propagationDelay", "hardLinks",
  ]

  init(_ node: JSON5Node, at path: String, of file: String) throws(ProfileError) {
    let reader = try ObjectReader(node, at: path, of: file, keys: Self.keys)
    self.init(
      reachedOver: try reader.choice("reachedOver", as: Reach.self),
      renameElsewhere: try reader.choice("renameElsewhere", as: IdentityFate.self),
      replacementElsewhere: try reader.choice("replacementElsewhere", as: IdentityFate.self),
      replacementByRename: try reader.choice("replacementByRename", as: IdentityFate.self),
      conflictCopies: try ConflictNaming(reader, "conflictCopies"),
      hiddenNameCreation: try reader.choice("hiddenNameCreation", as: HiddenNameCreation.self),
      names: try NameRules(reader, "names"),
      versionsKept: try reader.number("versionsKept", in: 0...100_000),
      uploadDelay: try reader.duration("uploadDelay"),
      propagationDelay: try reader.duration("propagationDelay"),
      hardLinks: try reader.boolean("hardLinks"))
  }

  var node: JSON5Node {
    .object([
      ("reachedOver", .text(reachedOver.rawValue)),
      ("renameElsewhere", .text(renameElsewhere.rawValue)),
      ("replacementElsewhere", .text(replacementElsewhere.rawValue)),
      ("replacementByRename", .text(replacementByRename.rawValue)),
      ("conflictCopies", .text(conflictCopies.text)),
      ("hiddenNameCreation", .text(hiddenNameCreation.rawValue)),
      ("names", names.node),
      ("versionsKept", .number(versionsKept)),
      ("uploadDelay", .text(DurationText.text(uploadDelay))),
      ("propagationDelay", .text(DurationText.text(propagationDelay))),
      ("hardLinks", .boolean(hardLinks)),
    ])
  }
}

extension ConflictNaming {
  private static let longest = 120

  init(_ reader: ObjectReader, _ key: String) throws(ProfileError) {
    let text = try reader.text(key)
    if text == "none" {
      self = .none
      return
    }
    for piece in Self.pieces(of: text)
    where piece.isPlaceholder && !Self.placeholders.contains(piece.text) {
      throw reader.error(
        key, "'{\(piece.text)}' is not known here", allowed: Self.placeholders.map { "{\($0)}" })
    }
    guard text.contains("{stem}"), text.contains("{extension}"), !text.contains("/"),
      text.utf8.count <= Self.longest
    else {
      throw reader.error(
        key, "is not a pattern for names",
        allowed: [
          "none", "up to \(Self.longest) bytes with {stem} and {extension} and without a slash",
        ])
    }
    self = .pattern(text)
  }

  var text: String {
    switch self {
    case .none: "none"
    case .pattern(let pattern): pattern
    }
  }
}

extension NameRules {
  private static let keys = [
    "caseSensitive", "normalizationSensitive", "storedAs", "reservedCharacters", "reservedNames",
    "reservedBeginnings", "reservedEndings", "maximumBytes", "whenRefused",
  ]

  init(_ outer: ObjectReader, _ key: String) throws(ProfileError) {
    let reader = try outer.object(key, keys: Self.keys)
    self.init(
      caseSensitive: try reader.boolean("caseSensitive"),
      normalizationSensitive: try reader.boolean("normalizationSensitive"),
      storedAs: try reader.choice("storedAs", as: NormalizationForm.self),
      reservedCharacters: try reader.text("reservedCharacters"),
      reservedNames: try reader.texts("reservedNames"),
      reservedBeginnings: try reader.texts("reservedBeginnings"),
      reservedEndings: try reader.texts("reservedEndings"),
      maximumBytes: try reader.number("maximumBytes", in: 1...FileName.maximumLength),
      whenRefused: try reader.errno("whenRefused"))
    if storedAs != .asWritten, normalizationSensitive {
      throw reader.error(
        "storedAs", "must go with normalizationSensitive, which says that each form is a name",
        allowed: [NormalizationForm.asWritten.rawValue])
    }
  }

  var node: JSON5Node {
    .object([
      ("caseSensitive", .boolean(caseSensitive)),
      ("normalizationSensitive", .boolean(normalizationSensitive)),
      ("storedAs", .text(storedAs.rawValue)),
      ("reservedCharacters", .text(reservedCharacters)),
      ("reservedNames", .texts(reservedNames)),
      ("reservedBeginnings", .texts(reservedBeginnings)),
      ("reservedEndings", .texts(reservedEndings)),
      ("maximumBytes", .number(maximumBytes)),
      ("whenRefused", .text(whenRefused.name)),
    ])
  }
}
