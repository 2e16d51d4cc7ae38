public import Platform

/// Why a ledger's file cannot be used.
public struct LedgerError: Error, Hashable, Sendable {
  /// The file.
  public let path: String
  /// What the system said.
  public let errno: Errno

  /// Describes a failure.
  public init(path: String, errno: Errno) {
    self.path = path
    self.errno = errno
  }
}

extension LedgerError: CustomStringConvertible {
  /// One sentence with the path and the reason.
  public var description: String {
    "cannot write the ledger \(path): \(errno); check the folder, its permissions and free space"
  }
}
