/// The system calls by which a drive keeps content in local files, so that a test can make each of them
/// fail. Production code passes `LocalFiles.real`.
public struct LocalFiles: Sendable {
  /// What is about to be called.
  public enum Call: String, CaseIterable, Hashable, Sendable {
    /// open(2) of a file that is there, or that may be made.
    case open
    /// pread(2)
    case read
    /// pwrite(2)
    case write
    /// ftruncate(2)
    case truncate
    /// fallocate(2)
    case allocate
    /// fdatasync(2) or syncfs(2)
    case synchronize
    /// fstat(2) or fstatat(2)
    case status
    /// linkat(2)
    case link
    /// renameat(2)
    case rename
    /// unlinkat(2)
    case remove
    /// fchmodat(2)
    case mark
  }

  /// How a call fails instead of being made.
  public enum Failure: Hashable, Sendable {
    /// With this error.
    case error(Errno)
    /// With this error after the first half of what is to be written.
    case halfway(Errno)
  }

  /// Every call is made.
  public static let real = LocalFiles { _ in nil }

  private let fails: @Sendable (Call) -> Failure?

  /// Asks before each call how it fails; nil for a call that is made.
  public init(fails: @escaping @Sendable (Call) -> Failure?) { self.fails = fails }

  /// Throws the error of a call that fails.
  public func willCall(_ call: Call) throws(Errno) {
    switch fails(call) {
    case .error(let error), .halfway(let error): throw error
    case nil: break
    }
  }

  /// How many of so many bytes are to be written, and the error that comes then, if any.
  public func willWrite(_ count: Int) -> (count: Int, error: Errno?) {
    switch fails(.write) {
    case .error(let error): (0, error)
    case .halfway(let error): (count / 2, error)
    case nil: (count, nil)
    }
  }
}
