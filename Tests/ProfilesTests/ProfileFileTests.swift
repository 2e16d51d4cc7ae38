import Foundation
import Platform
import Testing

@testable import Profiles

@Suite struct ProfileFileTests {
  @Test func aDerivedProfileSaysOnlyWhatDiffers() throws {
    let text = """
      {
        format: 1, name: "slow-nas", basedOn: "synology",
        account: { uploadDelay: "1.5s" },
        representation: { claimFor: "never", dial: { stat: { patience: "never" } } },
        evidence: { "representation.claimFor": { level: "reported", source: "seen at home" } },
      }
      """
    let profile = try Profile.parse(text.utf8, file: "slow.json5")
    var expected = try #require(Profile.builtin(named: "synology"))
    expected.name = "slow-nas"
    expected.account.uploadDelay = .milliseconds(1500)
    expected.representation.claimFor = nil
    expected.representation.dial[.stat].patience = nil
    #expect(profile.account == expected.account)
    #expect(profile.representation == expected.representation)
    #expect(profile.title == expected.title)
    #expect(
      profile.evidence["representation.claimFor"]
        == Evidence(level: .reported, source: "seen at home"))
    #expect(profile.evidence["account.uploadDelay"]?.level == .inferred)
    #expect(profile.evidence["account.uploadDelay"]?.source.contains("profile file itself") == true)
    #expect(
      profile.evidence["account.names.caseSensitive"]
        == expected.evidence["account.names.caseSensitive"])
    #expect(try Profile.parse(profile.json5.utf8, file: "printed") == profile)
  }

  @Test func aProfileCanTakeItsAccountAndItsRepresentationFromTwoOthers() throws {
    let text =
      "{ format: 1, name: 'x', title: 'X', summary: 'Both.', "
      + "basedOn: { account: 'nextcloud-mac', representation: 'icloud' }, "
      + "account: { versionsKept: 3 } }"
    let profile = try Profile.parse(text.utf8, file: "x")
    let nextcloud = try #require(Profile.builtin(named: "nextcloud-mac"))
    let icloud = try #require(Profile.builtin(named: "icloud"))
    var account = nextcloud.account
    account.versionsKept = 3
    #expect(profile.account == account)
    #expect(profile.representation == icloud.representation)
    #expect(
      profile.evidence["account.names.storedAs"] == nextcloud.evidence["account.names.storedAs"])
    #expect(
      profile.evidence["representation.dial.read.answer"]
        == icloud.evidence["representation.dial.read.answer"])
    #expect(profile.evidence["account.versionsKept"] == Profile.unfounded)
    let nameless = try #require(throws: ProfileError.self) {
      try Profile.parse(text.replacing("title: 'X', ", with: "").utf8, file: "x")
    }
    #expect((nameless.keyPath, nameless.problem) == ("title", "is missing"))
    let half = try #require(throws: ProfileError.self) {
      try Profile.parse(text.replacing("'icloud'", with: "'iclod'").utf8, file: "x")
    }
    #expect(half.keyPath == "basedOn.representation")
  }

  @Test func aDerivedProfileCanTakeAnotherPlaceholderStyle() throws {
    let text =
      "{ format: 1, name: 'x', basedOn: 'icloud-legacy', "
      + "representation: { placeholder: { style: 'dataless' } } }"
    #expect(try Profile.parse(text.utf8, file: "x").representation.placeholder == .dataless)
  }

  @Test func aStubNeedsAnotherNameThanItsDocument() throws {
    let text =
      "{ format: 1, name: 'x', basedOn: 'icloud', representation: { placeholder: "
      + "{ style: 'stub', prefix: '', suffix: '', opening: 'nothing' } } }"
    let error = try #require(throws: ProfileError.self) {
      try Profile.parse(text.utf8, file: "x")
    }
    #expect(error.keyPath == "representation.placeholder")
  }

  @Test func mistakesOfADerivedProfileAreNamedInItsOwnLines() throws {
    let text = "{\n format: 1,\n name: 'x',\n basedOn: 'icloud',\n account: {\n hardLink: true } }"
    let error = try #require(throws: ProfileError.self) {
      try Profile.parse(text.utf8, file: "x")
    }
    #expect(error.line == 6)
    #expect(error.keyPath == "account.hardLink")
    let base = try #require(throws: ProfileError.self) {
      try Profile.parse("{ format: 1, name: 'x', basedOn: 'icloude' }".utf8, file: "x")
    }
    #expect(base.allowed == Profile.builtins.map(\.name))
  }

  @Test func aProfileIsFoundByNameAndByPath() throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("profile-\(UUID().uuidString).json5").path
    defer { unlink(path) }
    let onedrive = try #require(Profile.builtin(named: "onedrive"))
    try onedrive.json5.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try Profile.find(path) == onedrive)
    #expect(try Profile.load(fileAt: path) == onedrive)
    #expect(try Profile.find("onedrive") == onedrive)
  }

  @Test func whatIsNoProfileIsRefusedWithAReason() throws {
    let unknown = try #require(throws: ProfileError.self) { try Profile.find("iclod") }
    #expect(unknown.allowed.contains("icloud"))
    let missing = try #require(throws: ProfileError.self) { try Profile.find("/nowhere/x.json5") }
    #expect(missing.problem.contains("ENOENT"))
    let folder = try #require(throws: ProfileError.self) { try Profile.find("/") }
    #expect(folder.problem.contains("EINVAL"))
  }

  static let durations: [(String, Duration?)] = [
    ("30s", .seconds(30)), ("250ms", .milliseconds(250)), ("1.5m", .seconds(90)),
    ("0s", .zero), ("8760h", .seconds(8760 * 3600)), ("8761h", nil), ("", nil), ("s", nil),
    ("30", nil), ("-1s", nil), ("1e3s", nil), ("1..5s", nil), ("infs", nil), ("30 s", nil),
  ]

  @Test(arguments: durations) func aDurationIsReadFromItsText(text: String, expected: Duration?) {
    #expect(DurationText.parse(text) == expected)
  }

  @Test func aDurationIsWrittenInItsLargestUnit() {
    #expect(DurationText.text(nil) == "never")
    #expect(DurationText.text(.zero) == "0s")
    #expect(DurationText.text(.seconds(90)) == "90s")
    #expect(DurationText.text(.seconds(120)) == "2m")
    #expect(DurationText.text(.milliseconds(1500)) == "1500ms")
  }
}
