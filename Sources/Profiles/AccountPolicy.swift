/// How an account is reached, and so whether a world's network applies to it.
public enum Reach: String, CaseIterable, Hashable, Sendable {
  /// Over a network: latency, bandwidth and being offline apply.
  case network
  /// It is a local disk: no condition of the network applies.
  case disk
}

/// What becomes of an item's identifier when something happens to its name or its content.
public enum IdentityFate: String, CaseIterable, Hashable, Sendable {
  /// The identifier stays: the item is the same one, with another name, folder or version.
  case kept
  /// The old identifier is gone, and a new one is there: a deletion and a creation.
  case renewed
}

/// What happens when a program creates a name that a representation hides, such as the real name of
/// a document that is listed as a stand-in file.
///
/// In neither case is the cloud's item destroyed.
public enum HiddenNameCreation: String, CaseIterable, Hashable, Sendable {
  /// The creation succeeds; the new document reaches the cloud as a conflict copy.
  case conflictCopy
  /// The creation is refused with EEXIST.
  case refused
}

/// How one provider's account behaves, whatever device shows it.
public struct AccountPolicy: Hashable, Sendable {
  /// Steers whether the network's conditions apply to what the account does.
  public var reachedOver: Reach
  /// Steers what a device does with an item that another device has renamed or moved: `kept` renames
  /// it here (a bookmark finds it, stale), `renewed` shows a deletion and a creation (a bookmark is lost).
  public var renameElsewhere: IdentityFate
  /// Steers what a device does with an item under whose name another client has put a new file:
  /// `kept` makes that a new version of the same item.
  public var replacementElsewhere: IdentityFate
  /// Steers which identifier a document has after a temp-and-rename save on a device: `kept` is that
  /// of the document that was there before, `renewed` is that of the temporary file.
  public var replacementByRename: IdentityFate
  /// Steers the name of the copy that a lost race leaves.
  public var conflictCopies: ConflictNaming
  /// Steers the creation of a name that a representation hides.
  public var hiddenNameCreation: HiddenNameCreation
  /// Steers which names the account takes, and which of them it takes for the same.
  public var names: NameRules
  /// Steers how many earlier versions of a document the cloud's history keeps.
  public var versionsKept: Int
  /// Steers how long after the last close a changed document's upload begins.
  public var uploadDelay: Duration
  /// Steers how long after a change in the cloud a device is told of it.
  public var propagationDelay: Duration
  /// Whether the account's file system has hard links.
  ///
  /// Fidelity: a drive makes none yet, so `link` answers EPERM under every profile; programs that link to save
  /// room copy instead.
  public var hardLinks: Bool

  /// Describes an account.
  public init(
    reachedOver: Reach, renameElsewhere: IdentityFate, replacementElsewhere: IdentityFate,
    replacementByRename: IdentityFate, conflictCopies: ConflictNaming,
    hiddenNameCreation: HiddenNameCreation, names: NameRules, versionsKept: Int,
    uploadDelay: Duration, propagationDelay: Duration, hardLinks: Bool
  ) {
    self.reachedOver = reachedOver
    self.renameElsewhere = renameElsewhere
    self.replacementElsewhere = replacementElsewhere
    self.replacementByRename = replacementByRename
    self.conflictCopies = conflictCopies
    self.hiddenNameCreation = hiddenNameCreation
    self.names = names
    self.versionsKept = versionsKept
    self.uploadDelay = uploadDelay
    self.propagationDelay = propagationDelay
    self.hardLinks = hardLinks
  }
}
