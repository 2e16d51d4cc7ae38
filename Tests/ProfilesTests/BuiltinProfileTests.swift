import Foundation
import Platform
import Testing

@testable import Profiles

/// What each built-in profile says, value by value, so that no value changes unnoticed.
///
/// A dial is written as `answer starts whileMaterializing patience outOfPatience unreachable`.
@Suite struct BuiltinProfileTests {
  /// The profile; the one in a file where `scripts/mutate-profiles` names one for it.
  private static func profile(named name: String) throws -> Profile {
    let parts = (ProcessInfo.processInfo.environment["FAUXDRIVE_PROFILE_UNDER_TEST"] ?? "")
      .split(separator: "=", maxSplits: 1)
    if parts.count == 2, parts[0] == name { return try .load(fileAt: String(parts[1])) }
    return try #require(Profile.builtin(named: name))
  }

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

  private static let replicated = dial(
    present,
    [
      .read: held("content", "1m"), .write: held("content", "1m"),
      .link: held("content", "1m"), .readdir: held("metadata", "1m"),
      .explicit: held("content", "1m"),
    ])

  private static let hidden = dial(
    missing,
    [
      .read: held("content", "1m"), .write: held("content", "1m"),
      .readdir: held("metadata", "1m"), .explicit: held("content", "1m"),
    ])

  private static let refusedLink = "EPERM nothing EPERM never EPERM EPERM"

  private static func notReplicated(offline: String) -> [CallClass: String] {
    dial(
      present,
      [
        .stat: "missing content wait 20s missing missing",
        .access: "missing content wait 20s missing missing",
        .open: "wait content wait 30s ETIMEDOUT \(offline)",
        .read: held("content", "30s"), .write: held("content", "30s"),
        .readdir: held("metadata", "30s"), .link: refusedLink, .explicit: held("content", "1m"),
      ])
  }

  private static func share(_ starts: String) -> String {
    "wait \(starts) wait 30s EHOSTDOWN EHOSTDOWN"
  }

  private static let dials: [(String, [CallClass: String])] = [
    ("local", dial(present)),
    ("icloud", replicated.merging([.truncate: held("content", "1m")]) { $1 }),
    ("icloud-legacy", hidden),
    ("synology", notReplicated(offline: "missing")),
    ("onedrive", replicated),
    ("googledrive", replicated),
    ("dropbox-desktop", replicated),
    ("dropbox-ios", notReplicated(offline: "missing")),
    ("nextcloud-mac", replicated),
    ("nextcloud-ios", notReplicated(offline: "missing")),
    ("nextcloud-suffix", hidden),
    ("owncloud-ios", notReplicated(offline: "ETIMEDOUT")),
    (
      "smb",
      dial(
        present,
        [
          .read: share("content"), .write: share("content"), .readdir: share("metadata"),
          .explicit: share("content"), .link: refusedLink,
        ])
    ),
  ]

  @Test func theProfilesAreBuiltInUnderTheirNames() {
    let names = Profile.builtins.map(\.name)
    #expect(names == Self.dials.map(\.0))
    #expect(names == Self.representations.map(\.0))
    #expect(names == BuiltinAccounts.all.map(\.0))
    #expect(Profile.builtin(named: "none-of-them") == nil)
  }

  @Test(arguments: dials) func everyCallClassReactsAsTheTableSays(
    name: String, expected: [CallClass: String]
  ) throws {
    let profile = try Self.profile(named: name)
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
    ("googledrive", macOS), ("dropbox-desktop", macOS), ("dropbox-ios", iOS),
    ("nextcloud-mac", macOS), ("nextcloud-ios", iOS),
    (
      "nextcloud-suffix",
      shown(
        .stub(prefix: "", suffix: ".nextcloud", opening: .content), .full, .anySignal,
        refusals: [.pending, .pinned], .materialize)
    ),
    ("owncloud-ios", iOS),
    ("smb", shown(.dataless, .partial, .fatalOnly, refusals: .always, .evict)),
  ]

  private static let macOS = shown(
    .dataless, .full, .anySignal, refusals: [.pending, .open, .pinned], .evict)
  private static let iOS = shown(
    .dataless, .alwaysFull, .anySignal, claim: .seconds(30), refusals: [.pending, .open], .evict)

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
    var said = try Self.profile(named: name).representation
    said.dial = Dial { _ in .nothing }
    #expect(said == expected)
  }

  @Test(arguments: BuiltinAccounts.all) func anAccountIsAsTheTableSays(
    name: String, expected: AccountPolicy
  ) throws {
    #expect(try Self.profile(named: name).account == expected)
  }

  @Test(arguments: Profile.builtins.map(\.name)) func everyValueHasEvidence(name: String) throws {
    let profile = try Self.profile(named: name)
    let classes = CallClass.allCases.flatMap { callClass in
      ["answer", "starts", "whileMaterializing", "patience", "outOfPatience", "unreachable"]
        .map { "representation.dial.\(callClass.rawValue).\($0)" }
    }
    for path in classes + ["account.names.caseSensitive", "representation.placeholder.style"] {
      #expect(profile.evidence[path]?.source.isEmpty == false, "\(profile.name): \(path)")
    }
    // 6 for each of 13 classes, 19 of the account, 8 of the representation, and the placeholder's.
    let placeholder = ["icloud-legacy", "nextcloud-suffix"].contains(name) ? 4 : 1
    #expect(profile.evidence.count == 78 + 19 + 7 + placeholder)
    #expect(!profile.evidence.values.contains(Profile.unfounded))
  }

  @Test(arguments: Profile.builtins.map(\.name)) func aProfileThatIsPrintedReadsBackTheSame(
    name: String
  ) throws {
    let profile = try Self.profile(named: name)
    #expect(try Profile.parse(profile.json5.utf8, file: "printed") == profile)
    #expect(try Profile.parse(profile.json.utf8, file: "printed") == profile)
    _ = try JSONSerialization.jsonObject(with: Data(profile.json.utf8))
  }
}
