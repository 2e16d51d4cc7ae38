public import Platform

/// Why a world could not be made, opened or mounted.
public struct WorldError: Error, Codable, Hashable, Sendable {
  /// What happened, and what to do about it, in one sentence.
  public let message: String
  private let code: Int32

  /// Describes a failure that ends a command with `exitCode`.
  public init(_ exitCode: ExitCode, _ message: String) {
    code = exitCode.rawValue
    self.message = message
  }

  /// The exit status of the command.
  public var exitCode: ExitCode { ExitCode(rawValue: code) ?? .failure }
}

extension WorldError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
