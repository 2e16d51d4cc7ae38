/// Why a catalog could not be opened, read or changed.
///
/// A change that failed has changed nothing: each is one transaction.
public struct CatalogError: Error, Hashable, Sendable {
  /// The kind of a failure.
  public enum Code: Hashable, Sendable {
    /// The file is damaged, or no catalog at all.
    case corrupt
    /// A newer program wrote the file.
    case newerFormat(found: Int, supported: Int)
    /// Another process has the catalog open.
    case locked
    /// There is no room, on the disk or for another number.
    case full
    /// The file could not be read or written.
    case io
    /// The caller asked for something that makes no sense: an error of the program.
    case misuse
  }

  /// The kind.
  public let code: Code
  /// What happened, where, and what to do about it.
  public let message: String
  /// Of damage: what is wrong, in a few words.
  public let reason: String

  /// Describes a failure.
  public init(_ code: Code, _ message: String, reason: String? = nil) {
    self.code = code
    self.message = message
    self.reason = reason ?? message
  }
}

extension CatalogError: CustomStringConvertible {
  /// The message with the code.
  public var description: String { "\(message) (\(code))" }
}

extension CatalogError {
  /// A file that is no catalog, or not one any more.
  static func corrupt(_ path: String, _ reason: String) -> CatalogError {
    CatalogError(
      .corrupt,
      "\(path) is damaged or not a catalog (\(reason)): it must be rebuilt from the cloud and from "
        + "what is on the device", reason: reason)
  }

  /// A call after `close()`.
  static let closed = CatalogError(.misuse, "the catalog is closed: open it again first")
}
