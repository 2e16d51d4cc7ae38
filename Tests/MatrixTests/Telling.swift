import MountKit

extension CallingProgram {
  /// Whether a program has told of an outcome, as far as it tells one error from another.
  func tells(of outcome: String, _ ended: TestProgram.Ended) -> Bool {
    let word = ended.output.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
    switch tells {
    case .words: return word == (outcome == "missing" ? "ENOENT" : outcome)
    case .status: return (ended.status == 0) == (outcome == "present")
    case .yesOrNo: return word == (outcome == "present" ? "present" : "no")
    case .sentences:
      if outcome == "present" { return ended.status == 0 }
      return ended.status != 0
        && (Self.sentences[outcome] ?? []).contains(where: ended.errors.contains)
    case .foundationErrors:
      if outcome == "present" { return word == "present" }
      let told = ended.output.split(separator: "\n").first.map(String.init) ?? ""
      return Self.foundationErrors[outcome]?.contains(told) == true
    case .noSuchFile:
      return outcome == "present" ? word == "present" : ended.output == "NSCocoaErrorDomain 260\n"
    }
  }

  private static let sentences: [String: [String]] = [
    "missing": ["No such file", "nonexistent"], "EPERM": ["Operation not permitted"],
    "EROFS": ["Read-only file system"], "ETIMEDOUT": ["Connection timed out"],
    "ENODATA": ["No data available", "No such attribute"], "EACCES": ["Permission denied"],
  ]

  // As Foundation's CocoaError+FilePath maps them, for reading and for writing.
  private static let foundationErrors: [String: Set<String>] = [
    "missing": ["ENOENT", "NSCocoaErrorDomain 260", "NSCocoaErrorDomain 4"],
    "EPERM": ["EPERM", "NSCocoaErrorDomain 257", "NSCocoaErrorDomain 513"],
    "EROFS": ["EROFS", "NSCocoaErrorDomain 642"],
    "ETIMEDOUT": ["ETIMEDOUT", "NSCocoaErrorDomain 256", "NSCocoaErrorDomain 512"],
  ]
}
