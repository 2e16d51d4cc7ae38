public import Platform

/// What a request means, as far as the dial is concerned.
public enum CallClass: String, CaseIterable, Hashable, Sendable {
  /// A path walk that nothing follows: LOOKUP alone (`O_PATH`, `statx(AT_STATX_DONT_SYNC)`).
  case lookup
  /// GETATTR by path: `stat`, Foundation's `fileExists`, Python's `exists`.
  case stat
  /// ACCESS: `access`, `faccessat`, the shell's `-r` and `-w`, `chdir`.
  case access
  /// OPEN of a file.
  case open
  /// READ of a file.
  case read
  /// WRITE to a file.
  case write
  /// SETATTR of the size, or an open with `O_TRUNC`.
  case truncate
  /// OPENDIR or READDIR of a folder whose children are unknown.
  case readdir
  /// Any call on extended attributes.
  case xattr
  /// RENAME.
  case rename
  /// UNLINK or RMDIR.
  case unlink
  /// LINK.
  case link
  /// A download that somebody asked for in so many words.
  case explicit
}

/// What a caller gets.
public enum Answer: Hashable, Sendable {
  /// The real answer.
  case present
  /// ENOENT.
  case missing
  /// Nothing yet: the reply is held until the item is materialized, or the wait ends otherwise.
  case wait
  /// This error.
  case error(Errno)
}

extension Answer {
  /// The word in a profile file: "present", "missing", "wait", or the C name of an error.
  public var text: String {
    switch self {
    case .present: "present"
    case .missing: "missing"
    case .wait: "wait"
    case .error(let errno): errno.name
    }
  }
}

/// What a call sets going.
public enum Starts: String, CaseIterable, Hashable, Sendable {
  /// Nothing.
  case nothing
  /// The item's metadata, or a folder's children, are fetched.
  case metadata
  /// The content is fetched.
  case content
}

/// How one call class treats an item that is not here.
public struct Reaction: Hashable, Sendable {
  /// The answer while nothing runs.
  public var answer: Answer
  /// What the call sets going.
  public var starts: Starts
  /// The answer while the item is being materialized.
  public var whileMaterializing: Answer
  /// How long a held reply waits without progress; nil waits for ever.
  public var patience: Duration?
  /// The answer when patience ends. Never `wait`.
  public var outOfPatience: Answer
  /// The answer when the transfer fails because the cloud cannot be reached. Never `wait`.
  public var unreachable: Answer

  /// Describes a reaction.
  public init(
    answer: Answer, starts: Starts, whileMaterializing: Answer, patience: Duration?,
    outOfPatience: Answer, unreachable: Answer
  ) {
    self.answer = answer
    self.starts = starts
    self.whileMaterializing = whileMaterializing
    self.patience = patience
    self.outOfPatience = outOfPatience
    self.unreachable = unreachable
  }
}

/// One reaction for every call class: how a device shows what is not there.
public struct Dial: Hashable, Sendable {
  private var reactions: [Reaction]

  /// A dial with a reaction for each class.
  public init(_ reaction: (CallClass) -> Reaction) { reactions = CallClass.allCases.map(reaction) }

  /// The reaction of a class.
  public subscript(_ callClass: CallClass) -> Reaction {
    get { reactions[Self.index(of: callClass)] }
    set { reactions[Self.index(of: callClass)] = newValue }
  }

  private static func index(of callClass: CallClass) -> Int {
    switch callClass {
    case .lookup: 0
    case .stat: 1
    case .access: 2
    case .open: 3
    case .read: 4
    case .write: 5
    case .truncate: 6
    case .readdir: 7
    case .xattr: 8
    case .rename: 9
    case .unlink: 10
    case .link: 11
    case .explicit: 12
    }
  }
}
