/// What a command's exit status means; the numbers are those of sysexits.h where it has one.
public enum ExitCode: Int32, CaseIterable, Hashable, Sendable {
  /// It did what was asked.
  case success = 0
  /// It failed for a reason that has no number of its own here; the message says which.
  case failure = 1
  /// EX_USAGE: the command line is wrong.
  case usage = 64
  /// EX_DATAERR: a file that was given is wrong, such as a profile.
  case badData = 65
  /// EX_NOINPUT: what was named is not there, such as the cloud's folder or a document.
  case noInput = 66
  /// EX_UNAVAILABLE: what is needed is not there or does not run: /dev/fuse, fusermount3, the world.
  case unavailable = 69
  /// EX_CANTCREAT: what was to be made cannot be, such as a mount on a mountpoint in use.
  case cannotCreate = 73
  /// EX_TEMPFAIL: it may work later: offline, or out of time.
  case temporaryFailure = 75
  /// EX_PROTOCOL: the other side does not speak as expected, such as a daemon of another version.
  case protocolError = 76
  /// EX_NOPERM: not allowed.
  case noPermission = 77
  /// EX_CONFIG: a world's own files are damaged or from a newer version.
  case badConfiguration = 78

  /// The meaning in a few words, for a manual page.
  public var meaning: String {
    switch self {
    case .success: "success"
    case .failure: "failure; the message says why"
    case .usage: "wrong command line"
    case .badData: "a given file is wrong, such as a profile"
    case .noInput: "what was named does not exist"
    case .unavailable: "something needed is missing or does not run"
    case .cannotCreate: "cannot be created, or already in use"
    case .temporaryFailure: "offline or out of time; may work later"
    case .protocolError: "the running world does not speak as expected"
    case .noPermission: "not allowed"
    case .badConfiguration: "a world's files are damaged or newer than this program"
    }
  }
}
