import Platform

@testable import Profiles

/// What each built-in profile says of its account, value by value.
enum BuiltinAccounts {
  private static let appleNames = NameRules(
    caseSensitive: false, normalizationSensitive: false, storedAs: .asWritten,
    reservedCharacters: "", reservedNames: [], reservedBeginnings: [], reservedEndings: [],
    maximumBytes: 255, whenRefused: .invalid)

  private static let icloudAccount = AccountPolicy(
    reachedOver: .network, renameElsewhere: .kept, replacementElsewhere: .renewed,
    replacementByRename: .kept, conflictCopies: .pattern("{stem} {number}{extension}"),
    hiddenNameCreation: .conflictCopy, names: appleNames, versionsKept: 10,
    uploadDelay: .seconds(1), propagationDelay: .seconds(1), hardLinks: true)

  static let all: [(String, AccountPolicy)] = [
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
    (
      "googledrive",
      AccountPolicy(
        reachedOver: .network, renameElsewhere: .kept, replacementElsewhere: .kept,
        replacementByRename: .kept, conflictCopies: .pattern("{stem} ({number}){extension}"),
        hiddenNameCreation: .conflictCopy,
        names: NameRules(
          caseSensitive: true, normalizationSensitive: true, storedAs: .asWritten,
          reservedCharacters: "", reservedNames: [], reservedBeginnings: [], reservedEndings: [],
          maximumBytes: 255, whenRefused: .invalid),
        versionsKept: 100, uploadDelay: .seconds(1), propagationDelay: .seconds(1),
        hardLinks: true)
    ),
    ("dropbox-desktop", dropbox(renameElsewhere: .kept)),
    ("dropbox-ios", dropbox(renameElsewhere: .renewed)),
    ("nextcloud-mac", nextcloud(.kept, .kept)),
    ("nextcloud-ios", nextcloud(.kept, .renewed)),
    ("nextcloud-suffix", nextcloud(.renewed, .kept)),
    ("owncloud-ios", nextcloud(.kept, .renewed, endings: [])),
    (
      "smb",
      AccountPolicy(
        reachedOver: .network, renameElsewhere: .renewed, replacementElsewhere: .renewed,
        replacementByRename: .renewed, conflictCopies: .none, hiddenNameCreation: .refused,
        names: NameRules(
          caseSensitive: false, normalizationSensitive: true, storedAs: .asWritten,
          reservedCharacters: "\\", reservedNames: [], reservedBeginnings: [],
          reservedEndings: [], maximumBytes: 255, whenRefused: .invalid),
        versionsKept: 0, uploadDelay: .zero, propagationDelay: .seconds(1), hardLinks: false)
    ),
  ]

  private static func dropbox(renameElsewhere: IdentityFate) -> AccountPolicy {
    AccountPolicy(
      reachedOver: .network, renameElsewhere: renameElsewhere, replacementElsewhere: .kept,
      replacementByRename: .kept,
      conflictCopies: .pattern(
        "{stem} ({device}'s conflicted copy {year}-{month}-{day}){extension}"),
      hiddenNameCreation: .conflictCopy,
      names: NameRules(
        caseSensitive: false, normalizationSensitive: false, storedAs: .asWritten,
        reservedCharacters: "\\", reservedNames: [], reservedBeginnings: [], reservedEndings: [],
        maximumBytes: 255, whenRefused: .invalid),
      versionsKept: 100, uploadDelay: .seconds(1), propagationDelay: .seconds(1), hardLinks: true)
  }

  private static func nextcloud(
    _ rename: IdentityFate, _ replacement: IdentityFate, endings: [String] = [".part"]
  ) -> AccountPolicy {
    AccountPolicy(
      reachedOver: .network, renameElsewhere: rename, replacementElsewhere: replacement,
      replacementByRename: .kept,
      conflictCopies: .pattern(
        "{stem} (conflicted copy {year}-{month}-{day} {hour}{minute}{second}){extension}"),
      hiddenNameCreation: .conflictCopy,
      names: NameRules(
        caseSensitive: true, normalizationSensitive: false, storedAs: .composed,
        reservedCharacters: "\\", reservedNames: [".htaccess"], reservedBeginnings: [],
        reservedEndings: endings, maximumBytes: 250, whenRefused: .invalid),
      versionsKept: 20, uploadDelay: .seconds(1), propagationDelay: .seconds(1), hardLinks: false)
  }
}
