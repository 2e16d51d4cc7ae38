import Foundation
import Testing

@testable import Profiles

/// A check tells every mistake of a file at once.
@Suite struct ProfileCheckTests {
  private static func told(_ text: String) -> [String] {
    ProfileCheck(text.utf8, file: "my.json5").mistakes.map {
      "\($0.line):\($0.column) \($0.keyPath): \($0.problem)"
    }
  }

  @Test func everyMistakeIsToldWithItsPlace() {
    let text = """
      {
        format: 1, name: "My NAS", basedOn: "synology",
        account: {
          uploadDelay: 500,
          names: { maximumBytes: 256, reservedEnding: [] },
        },
        representation: {
          placeholder: { style: "stab", prefix: "." },
          dial: { stat: { answer: "maybe" }, read: { answer: "present" } },
          blocks: true,
        },
        evidence: {
          "account.uploadDelays": { level: "reported", source: "seen" },
          "account.names": { level: "guessed", source: "" },
        },
      }
      """
    #expect(
      Self.told(text) == [
        "2:20 name: 'My NAS' is not a name",
        "5:33 account.names.reservedEnding: is not known here",
        "5:28 account.names.maximumBytes: is out of range",
        "4:18 account.uploadDelay: must be a text, not a number",
        "8:27 representation.placeholder.style: 'stab' is not known here",
        "9:29 representation.dial.stat.answer: 'maybe' is neither an answer nor the name of an error",
        "10:13 representation.blocks: must be a text, not true or false",
        "9:46 representation.dial.read: must not be 'present', since a document that is not here has no bytes",
        "13:5 evidence.account.uploadDelays: is not the path of a value",
        "14:50 evidence.account.names.source: must not be empty",
        "14:31 evidence.account.names.level: 'guessed' is not known here",
      ])
  }

  @Test func aMistakeThatDependsOnOthersIsToldOnce() {
    let text =
      "{ format: 1, name: 'x', basedOn: 'synology', "
      + "representation: { materialization: 'full', dial: { open: { answer: 'wait' } } } }"
    #expect(
      Self.told(text) == [
        "1:81 representation.materialization: must go with the dial, where an open waits for the content"
      ])
  }

  @Test func aWholeProfileLacksEvidenceForTheLargestPartsFirst() throws {
    let shown = try #require(Profile.builtin(named: "icloud")).json5
    let start = try #require(shown.range(of: "  evidence: {"))
    let told = Self.told(shown[..<start.lowerBound] + "  evidence: {},\n}")
    #expect(
      told.map { String($0.drop { $0 != " " }) } == [
        " evidence: has no entry for 'account'", " evidence: has no entry for 'representation'",
      ])
  }

  @Test func whatIsNoJSON5HasOneMistake() {
    #expect(Self.told("{\n  format 1 }") == ["2:10 : a colon is missing after the key 'format'"])
    #expect(ProfileCheck(fileAt: "/nowhere.json5").mistakes.count == 1)
  }

  @Test func aBaseThatIsNoneDoesNotHideOtherMistakes() {
    let told = Self.told("{ format: 1, name: 'x', basedOn: 'iclod', account: { hardLinks: 1 } }")
    #expect(
      told == [
        "1:34 basedOn: 'iclod' is not a built-in profile",
        "1:65 account.hardLinks: must be true or false, not a number",
      ])
  }

  @Test func doubtsAreWhatIsOnlyInferred() throws {
    let text =
      "{ format: 1, name: 'x', basedOn: 'icloud', account: { uploadDelay: '3s', versionsKept: 3 }, "
      + "evidence: { 'account.versionsKept': { level: 'verified', source: 'a page' } } }"
    let check = ProfileCheck(text.utf8, file: "x")
    let doubts = try #require(check.profile).doubts
    #expect(check.mistakes.isEmpty)
    #expect(
      doubts.contains(
        ProfileDoubt(keyPath: "account.uploadDelay", source: Profile.unfounded.source)))
    #expect(!doubts.contains { $0.keyPath.hasPrefix("account.versionsKept") })
    #expect(doubts.contains { $0.keyPath == "account.names" })
  }

  @Test func thePageAboutTheProfilesIsMadeOfTheirFiles() throws {
    let page = URL(filePath: #filePath).appending(path: "../../../docs/profiles.md").standardized
    #expect(
      try String(contentsOf: page, encoding: .utf8) == ProfilePage.markdown(of: Profile.builtins),
      "docs/profiles.md is out of date: run scripts/profile-docs")
  }
}
