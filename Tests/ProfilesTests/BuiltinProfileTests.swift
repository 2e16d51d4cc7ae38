import Foundation
import Platform
import Testing

@testable import Profiles

/// What each built-in profile says, value by value, so that no value changes unnoticed.
///
/// A dial is written as `answer starts whileMaterializing patience outOfPatience unreachable`.
@Suite struct BuiltinProfileTests {
  private static let present = "present nothing present never present present"
  private static let missing = "missing nothing missing never missing missing"

  private static func held(_ starts: String, _ patience: String) -> String {
    "wait \(starts) wait \(patience) ETIMEDOUT ETIMEDOUT"
  }

  private static func dial(
    _ usual: String, _ others: [CallClass: String] = [:]
  ) -> [CallClass: String] {
    Dictionary(uniqueKeysWithValues: CallClass.allCases.map { ($0, others[$0] ?? usual) })
  }

  private static let dials: [(String, [CallClass: String])] = [
    ("local", dial(present)),
    (
      "icloud",
      dial(
        present,
        [
          .read: held("content", "1m"), .write: held("content", "1m"),
          .truncate: held("content", "1m"), .link: held("content", "1m"),
          .readdir: held("metadata", "1m"), .explicit: held("content", "1m"),
        ])
    ),
    (
      "icloud-legacy",
      dial(
        missing,
        [
          .read: held("content", "1m"), .write: held("content", "1m"),
          .readdir: held("metadata", "1m"), .explicit: held("content", "1m"),
        ])
    ),
    (
      "synology",
      dial(
        present,
        [
          .stat: "missing content wait 20s missing missing",
          .access: "missing content wait 20s missing missing",
          .open: "wait content wait 30s ETIMEDOUT missing",
          .read: held("content", "30s"), .write: held("content", "30s"),
          .readdir: held("metadata", "30s"),
          .link: "EPERM nothing EPERM never EPERM EPERM",
          .explicit: held("content", "1m"),
        ])
    ),
    (
      "onedrive",
      dial(
        present,
        [
          .read: held("content", "1m"), .write: held("content", "1m"),
          .link: held("content", "1m"), .readdir: held("metadata", "1m"),
          .explicit: held("content", "1m"),
        ])
    ),
  ]

  @Test func fiveProfilesAreBuiltInUnderTheirNames() {
    #expect(
      Profile.builtins.map(\.name) == ["local", "icloud", "icloud-legacy", "synology", "onedrive"])
    #expect(Profile.builtin(named: "none-of-them") == nil)
  }

  @Test(arguments: dials) func everyCallClassReactsAsTheTableSays(
    name: String, expected: [CallClass: String]
  ) throws {
    let profile = try #require(Profile.builtin(named: name))
    for callClass in CallClass.allCases {
      let reaction = profile.representation.dial[callClass]
      let said = [
        reaction.answer.text, reaction.starts.rawValue, reaction.whileMaterializing.text,
        DurationText.text(reaction.patience), reaction.outOfPatience.text,
        reaction.unreachable.text,
      ].joined(separator: " ")
      #expect(said == expected[callClass], "\(name), \(callClass)")
    }
  }

  private static let representations: [(String, Representation)] = [
    ("local", shown(.none, .full, .fatalOnly, refusals: .always, .materialize)),
    ("icloud", shown(.dataless, .full, .anySignal, refusals: [.pending, .pinned], .evict)),
    (
      "icloud-legacy",
      shown(
        .stub(prefix: ".", suffix: ".icloud", opening: .content), .full, .anySignal,
        refusals: .pending, .evict)
    ),
    (
      "synology",
      shown(
        .dataless, .alwaysFull, .anySignal, claim: .seconds(30), refusals: [.pending, .open],
        .evict)
    ),
    (
      "onedrive", shown(.dataless, .full, .anySignal, refusals: [.pending, .open, .pinned], .evict)
    ),
  ]

  /// The values that are not in the dial; `blocks` and `withoutGrant` are the same everywhere.
  private static func shown(
    _ placeholder: PlaceholderStyle, _ policy: MaterializationPolicy,
    _ interruptible: Interruptible, claim: Duration? = nil, refusals: EvictionRefusals,
    _ change: RemoteChangeReaction
  ) -> Representation {
    Representation(
      placeholder: placeholder, materialization: policy, dial: Dial { _ in .nothing },
      blocks: .safe, interruptible: interruptible, claimFor: claim, evictionRefusals: refusals,
      onRemoteChange: change, withoutGrant: .notPermitted)
  }

  @Test(arguments: representations) func theRestOfARepresentationIsAsTheTableSays(
    name: String, expected: Representation
  ) throws {
    var said = try #require(Profile.builtin(named: name)).representation
    said.dial = Dial { _ in .nothing }
    #expect(said == expected)
  }

  private static let appleNames = NameRules(
    caseSensitive: false, normalizationSensitive: false, storedAs: .asWritten,
    reservedCharacters: "", reservedNames: [], reservedBeginnings: [], reservedEndings: [],
    maximumBytes: 255, whenRefused: .invalid)

  private static let icloudAccount = AccountPolicy(
    reachedOver: .network, renameElsewhere: .kept, replacementElsewhere: .renewed,
    replacementByRename: .kept, conflictCopies: .pattern("{stem} {number}{extension}"),
    hiddenNameCreation: .conflictCopy, names: appleNames, versionsKept: 10,
    uploadDelay: .seconds(1), propagationDelay: .seconds(1), hardLinks: true)

  private static let accounts: [(String, AccountPolicy)] = [
    (
      "local",
      AccountPolicy(
        reachedOver: .disk, renameElsewhere: .kept, replacementElsewhere: .renewed,
        replacementByRename: .renewed, conflictCopies: .none, hiddenNameCreation: .refused,
        names: NameRules(
          caseSensitive: true, normalizationSensitive: true, storedAs: .asWritten,
          reservedCharacters: "", reservedNames: [], reservedBeginnings: [], reservedEndings: [],
          maximumBytes: 255, whenRefused: .invalid),
        versionsKept: 0, uploadDelay: .seconds(1), propagationDelay: .zero, hardLinks: true)
    ),
    ("icloud", icloudAccount),
    ("icloud-legacy", icloudAccount),
    (
      "synology",
      AccountPolicy(
        reachedOver: .network, renameElsewhere: .renewed, replacementElsewhere: .kept,
        replacementByRename: .kept,
        conflictCopies: .pattern(
          "{stem}_{device}_{monthName}-{day}-{hour}{minute}-{year}_Conflict{extension}"),
        hiddenNameCreation: .conflictCopy,
        names: NameRules(
          caseSensitive: false, normalizationSensitive: true, storedAs: .asWritten,
          reservedCharacters: "\\:*?\"<>|", reservedNames: [], reservedBeginnings: [],
          reservedEndings: [" ", "."], maximumBytes: 255, whenRefused: .invalid),
        versionsKept: 32, uploadDelay: .milliseconds(500), propagationDelay: .milliseconds(500),
        hardLinks: false)
    ),
    (
      "onedrive",
      AccountPolicy(
        reachedOver: .network, renameElsewhere: .kept, replacementElsewhere: .kept,
        replacementByRename: .kept, conflictCopies: .pattern("{stem}-{device}{extension}"),
        hiddenNameCreation: .conflictCopy,
        names: NameRules(
          caseSensitive: false, normalizationSensitive: false, storedAs: .asWritten,
          reservedCharacters: "\"*:<>?\\|",
          reservedNames: ["CON", "PRN", "AUX", "NUL", ".lock", "desktop.ini"]
            + (0...9).map { "COM\($0)" } + (0...9).map { "LPT\($0)" },
          reservedBeginnings: ["~$", " "], reservedEndings: [" ", "."], maximumBytes: 255,
          whenRefused: .invalid),
        versionsKept: 25, uploadDelay: .seconds(1), propagationDelay: .seconds(1), hardLinks: true)
    ),
  ]

  @Test(arguments: accounts) func anAccountIsAsTheTableSays(
    name: String, expected: AccountPolicy
  ) throws {
    #expect(try #require(Profile.builtin(named: name)).account == expected)
  }

  @Test(arguments: Profile.builtins.map(\.name)) func everyValueHasEvidence(name: String) throws {
    let profile = try #require(Profile.builtin(named: name))
    let classes = CallClass.allCases.flatMap { callClass in
      ["answer", "starts", "whileMaterializing", "patience", "outOfPatience", "unreachable"]
        .map { "representation.dial.\(callClass.rawValue).\($0)" }
    }
    for path in classes + ["account.names.caseSensitive", "representation.placeholder.style"] {
      #expect(profile.evidence[path]?.source.isEmpty == false, "\(profile.name): \(path)")
    }
    // 6 for each of 13 classes, 19 of the account, 8 of the representation, and the placeholder's.
    let placeholder = profile.name == "icloud-legacy" ? 4 : 1
    #expect(profile.evidence.count == 78 + 19 + 7 + placeholder)
  }

  @Test(arguments: Profile.builtins.map(\.name)) func aProfileThatIsPrintedReadsBackTheSame(
    name: String
  ) throws {
    let profile = try #require(Profile.builtin(named: name))
    #expect(try Profile.parse(profile.json5.utf8, file: "printed") == profile)
    #expect(try Profile.parse(profile.json.utf8, file: "printed") == profile)
    _ = try JSONSerialization.jsonObject(with: Data(profile.json.utf8))
  }
}
