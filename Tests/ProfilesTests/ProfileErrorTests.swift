import Foundation
import Testing

@testable import Profiles

@Suite struct ProfileErrorTests {
  /// The printed `synology` profile with one place changed.
  private static func changed(_ old: String, _ new: String) throws -> String {
    let text = try #require(Profile.builtin(named: "synology")).json5
    try #require(text.contains(old), "the text to replace is not there: \(old)")
    return text.replacing(old, with: new, maxReplacements: 1)
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let what: String
    let old: String
    let new: String
    let keyPath: String
    let problem: String
    let allowed: String
    var testDescription: String { what }
  }

  static let mistakes = [
    Mistake(
      what: "unknown key", old: "hardLinks: false", new: "hardLinks: false, hardlinks: true",
      keyPath: "account.hardlinks", problem: "is not known here", allowed: "hardLinks"),
    Mistake(
      what: "missing key", old: "hardLinks: false,", new: "", keyPath: "account.hardLinks",
      problem: "is missing", allowed: ""),
    Mistake(
      what: "missing call class", old: "lookup: {", new: "look_up: {",
      keyPath: "representation.dial.look_up", problem: "is not known here", allowed: "lookup"),
    Mistake(
      what: "wrong type: a text for a truth value", old: "hardLinks: false",
      new: "hardLinks: \"no\"", keyPath: "account.hardLinks",
      problem: "must be true or false, not a text", allowed: ""),
    Mistake(
      what: "wrong type: a number for a duration", old: "uploadDelay: \"500ms\"",
      new: "uploadDelay: 500", keyPath: "account.uploadDelay",
      problem: "must be a text, not a number", allowed: ""),
    Mistake(
      what: "wrong type: a list for an object", old: "placeholder: {", new: "placeholder: [], x: {",
      keyPath: "representation.x", problem: "is not known here", allowed: "placeholder"),
    Mistake(
      what: "number out of range", old: "maximumBytes: 255", new: "maximumBytes: 256",
      keyPath: "account.names.maximumBytes", problem: "is out of range", allowed: "1 to 255"),
    Mistake(
      what: "number with a fraction", old: "versionsKept: 32", new: "versionsKept: 1.5",
      keyPath: "account.versionsKept", problem: "is out of range", allowed: "0 to 100000"),
    Mistake(
      what: "unknown choice", old: "materialization: \"alwaysFull\"",
      new: "materialization: \"always\"", keyPath: "representation.materialization",
      problem: "'always' is not known here", allowed: "partial"),
    Mistake(
      what: "unknown error name", old: "withoutGrant: \"EPERM\"", new: "withoutGrant: \"ENOPE\"",
      keyPath: "representation.withoutGrant", problem: "'ENOPE' is not the name of an error",
      allowed: "a C name, such as EPERM or ETIMEDOUT"),
    Mistake(
      what: "unknown error name in the dial", old: "unreachable: \"missing\"",
      new: "unreachable: \"ENOPE\"", keyPath: "representation.dial.stat.unreachable",
      problem: "'ENOPE' is neither an answer nor the name of an error", allowed: "present"),
    Mistake(
      what: "bad duration", old: "claimFor: \"30s\"", new: "claimFor: \"30 sec\"",
      keyPath: "representation.claimFor", problem: "'30 sec' is not a duration", allowed: "never"),
    Mistake(
      what: "negative duration", old: "claimFor: \"30s\"", new: "claimFor: \"-1s\"",
      keyPath: "representation.claimFor", problem: "'-1s' is not a duration", allowed: "never"),
    Mistake(
      what: "never where a delay must end", old: "uploadDelay: \"500ms\"",
      new: "uploadDelay: \"never\"", keyPath: "account.uploadDelay",
      problem: "'never' is not a duration", allowed: DurationText.explanation),
    Mistake(
      what: "wait in a call that locks its folder",
      old: "lookup: {\n        answer: \"present\"", new: "lookup: {\n        answer: \"wait\"",
      keyPath: "representation.dial.lookup.answer",
      problem: "'wait' is not allowed here: the kernel keeps the folder locked during this call",
      allowed: "missing"),
    Mistake(
      what: "wait when patience has ended", old: "outOfPatience: \"missing\"",
      new: "outOfPatience: \"wait\"", keyPath: "representation.dial.stat.outOfPatience",
      problem: "'wait' is not allowed here: the wait has just ended", allowed: "missing"),
    Mistake(
      what: "wait for nothing", old: "answer: \"wait\",\n        starts: \"content\"",
      new: "answer: \"wait\",\n        starts: \"nothing\"",
      keyPath: "representation.dial.open.starts",
      problem: "must start what the answer waits for", allowed: "content"),
    Mistake(
      what: "bytes of what is not here",
      old: "read: {\n        answer: \"wait\"", new: "read: {\n        answer: \"present\"",
      keyPath: "representation.dial.read",
      problem: "must not be 'present', since a document that is not here has no bytes",
      allowed: "wait"),
    Mistake(
      what: "an open that waits, and no content when it returns",
      old: "materialization: \"alwaysFull\"", new: "materialization: \"full\"",
      keyPath: "representation.materialization",
      problem: "must go with the dial, where an open waits for the content",
      allowed: "alwaysFull"),
    Mistake(
      what: "a form for names of which each form is one",
      old: "storedAs: \"asWritten\"", new: "storedAs: \"composed\"",
      keyPath: "account.names.storedAs",
      problem: "must go with normalizationSensitive, which says that each form is a name",
      allowed: "asWritten"),
    Mistake(
      what: "unknown part of a conflict's name", old: "{stem}_{device}", new: "{stem}_{host}",
      keyPath: "account.conflictCopies", problem: "'{host}' is not known here",
      allowed: "{device}"),
    Mistake(
      what: "conflict's name without the document's", old: "{stem}_{device}", new: "{device}",
      keyPath: "account.conflictCopies", problem: "is not a pattern for names", allowed: "none"),
    Mistake(
      what: "unknown refusal", old: "evictionRefusals: [\"pending\"",
      new: "evictionRefusals: [\"busy\"", keyPath: "representation.evictionRefusals",
      problem: "'busy' is not known here", allowed: "pending"),
    Mistake(
      what: "newer format", old: "format: 1", new: "format: 2", keyPath: "format",
      problem: "is out of range", allowed: "1 to 1"),
    Mistake(
      what: "bad name", old: "name: \"synology\"", new: "name: \"My NAS\"", keyPath: "name",
      problem: "'My NAS' is not a name",
      allowed: "up to 64 lower-case letters, digits and hyphens, a letter first"),
    Mistake(
      what: "missing evidence", old: "\"account.uploadDelay\"", new: "\"account.versionsKep\"",
      keyPath: "evidence.account.versionsKep", problem: "is not the path of a value",
      allowed: "account"),
    Mistake(
      what: "unknown level of evidence", old: "level: \"inferred\"", new: "level: \"guessed\"",
      keyPath: "evidence.account.reachedOver.level", problem: "'guessed' is not known here",
      allowed: "inferred"),
  ]

  @Test(arguments: mistakes) func aMistakeIsNamedWithItsLineKeyAndWhatIsAllowed(
    mistake: Mistake
  ) throws {
    let text = try Self.changed(mistake.old, mistake.new)
    let error = try #require(throws: ProfileError.self) {
      try Profile.parse(text.utf8, file: "my.json5")
    }
    #expect(error.file == "my.json5")
    #expect(error.keyPath == mistake.keyPath)
    #expect(error.problem == mistake.problem)
    #expect(
      mistake.allowed.isEmpty ? error.allowed.isEmpty : error.allowed.contains(mistake.allowed))
    // The line is that of the change, or of the object that lacks a key.
    let prefix = try #require(text.range(of: mistake.new.isEmpty ? "account: {" : mistake.new))
    let first = text[..<prefix.lowerBound].count { $0 == "\n" } + 1
    let last = first + mistake.new.count { $0 == "\n" }
    #expect((first...last).contains(error.line), "\(error)")
  }

  @Test func aValueWithoutEvidenceIsRefusedInAWholeProfile() throws {
    let text = try #require(Profile.builtin(named: "synology")).json5
    let start = try #require(text.range(of: "  evidence: {"))
    let error = try #require(throws: ProfileError.self) {
      try Profile.parse((text[..<start.lowerBound] + "  evidence: {},\n}").utf8, file: "my.json5")
    }
    #expect(error.keyPath == "evidence")
    #expect(error.problem == "has no entry for 'account'")
  }

  static let syntax: [(String, Int, String)] = [
    ("", 1, "a value is missing at the end of the file"),
    ("{\n  format: 1\n  name: 'x'\n}", 3, "a comma or '}' is missing after the value of 'format'"),
    ("{\n  format 1 }", 2, "a colon is missing after the key 'format'"),
    (
      "{\n\n  name: \"x\n\" }", 3,
      "a text ends with its line; its closing quotation mark is missing"
    ),
    ("{ name: synology }", 1, "'synology' is no value; a text needs quotation marks"),
    ("{ a: 1,\n a: 2 }", 2, "the key 'a' is written twice"),
    ("{ a: 1 }\n{}", 2, "something follows the value"),
    ("\n/* open", 2, "a comment is not closed"),
    ("{ a: [1\n 2] }", 2, "a comma or ']' is missing in a list"),
    ("{ a: '\\u12' }", 1, "an escape needs 4 hexadecimal digits"),
    (String(repeating: "[", count: 100_000), 1, "values are nested deeper than 32"),
  ]

  @Test(arguments: syntax) func aSyntaxErrorIsNamedWithItsLine(
    text: String, line: Int, problem: String
  ) throws {
    let error = try #require(throws: ProfileError.self) {
      try Profile.parse(text.utf8, file: "my.json5")
    }
    #expect((error.file, error.line) == ("my.json5", line))
    #expect(error.keyPath.isEmpty && error.problem == problem && error.column > 0)
  }

  @Test func theMessageReadsLikeACompilers() {
    let error = ProfileError(
      file: "my.json5", line: 7, column: 5, keyPath: "account.hardLinks",
      problem: "is wrong",
      allowed: ["true", "false"])
    #expect("\(error)" == "my.json5:7:5: account.hardLinks: is wrong (allowed: true, false)")
    #expect("\(ProfileError(file: "x", problem: "is wrong"))" == "x: is wrong")
  }
}
