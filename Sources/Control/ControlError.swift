public import Platform

/// Why a request over the control socket failed.
public struct ControlError: Error, Codable, Hashable, Sendable {
  /// What kind of failure it is; JSON-RPC's `code`.
  public var code: Code
  /// What happened, as a sentence without its full stop; JSON-RPC's `message`.
  public var message: String
  /// What to do about it, as a sentence without its full stop.
  public var remedy: String?
  /// The C name of the error that a program would get ("ETIMEDOUT"), where there is one.
  public var errno: String?

  /// Describes a failure.
  public init(_ code: Code, _ message: String, remedy: String? = nil, errno: Errno? = nil) {
    self.code = code
    self.message = message
    self.remedy = remedy
    self.errno = errno?.name
  }
}

extension ControlError {
  /// A kind of failure. Negative numbers are JSON-RPC's, positive ones are this program's.
  public struct Code: RawRepresentable, Codable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: Int
    /// Wraps a number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The line is not JSON.
    public static let parseError = Code(rawValue: -32700)
    /// The line is not a JSON-RPC 2.0 request, or it is too long.
    public static let invalidRequest = Code(rawValue: -32600)
    /// There is no method of that name.
    public static let unknownMethod = Code(rawValue: -32601)
    /// The parameters are not those of the method.
    public static let invalidParameters = Code(rawValue: -32602)
    /// The server itself failed.
    public static let internalError = Code(rawValue: -32603)

    /// It failed for another reason.
    public static let failed = Code(rawValue: 1)
    /// There is no such item, device, gate or grant.
    public static let notFound = Code(rawValue: 2)
    /// The item's state forbids it: it is open, pending, pinned, and the like.
    public static let refused = Code(rawValue: 3)
    /// The cloud cannot be reached.
    public static let offline = Code(rawValue: 4)
    /// It did not happen in time.
    public static let timedOut = Code(rawValue: 5)
    /// It was cancelled.
    public static let cancelled = Code(rawValue: 6)
    /// The caller may not do it.
    public static let denied = Code(rawValue: 7)
    /// This world cannot do it, such as advancing the system's clock.
    public static let unsupported = Code(rawValue: 8)
    /// What was to be made is there already, or in use.
    public static let exists = Code(rawValue: 9)

    /// No server listens. Told by the client.
    public static let notRunning = Code(rawValue: 20)
    /// The server went away before it answered. Told by the client.
    public static let disconnected = Code(rawValue: 21)
    /// A path does not lie on a drive. Told by the client.
    public static let notOnADrive = Code(rawValue: 22)
    /// The answer cannot be understood. Told by the client.
    public static let badReply = Code(rawValue: 23)
  }

  /// The exit status of a command that fails with this error.
  public var exitCode: ExitCode {
    switch code {
    case .invalidParameters: .usage
    case .notFound, .notOnADrive: .noInput
    case .notRunning, .unsupported: .unavailable
    case .offline, .timedOut, .cancelled, .disconnected: .temporaryFailure
    case .denied: .noPermission
    case .exists: .cannotCreate
    case .parseError, .invalidRequest, .unknownMethod, .internalError, .badReply: .protocolError
    default: .failure
    }
  }
}

extension ControlError: CustomStringConvertible {
  /// The message and, after a semicolon, the remedy.
  public var description: String { remedy.map { "\(message); \($0)" } ?? message }
}
