internal import CFuse
internal import Glibc
public import Platform

/// A file that the kernel reads, writes and maps by itself in place of an open node.
///
/// It keeps the file open in the kernel, at no cost of a descriptor, until the value goes away; opens
/// that were answered with it go on using the file after that.
public final class BackingFile: Sendable {
  /// What an OPEN reply calls it.
  public struct Identifier: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt32
    /// Wraps a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
  }

  /// What an OPEN reply calls it.
  public let identifier: Identifier
  private let core: SessionCore

  init(_ identifier: Identifier, _ core: SessionCore) {
    self.identifier = identifier
    self.core = core
  }

  deinit { cfuse_backing_close(core.device, identifier.rawValue) }
}

/// Registers backing files with the kernel.
public final class Passthrough: Sendable {
  private enum State: Sendable {
    case idle
    case running(SessionCore)
    case refused
  }

  private let state = Locked(State.idle)

  /// Ready for a session.
  public init() {}

  /// Registers an open file, which may be closed afterwards.
  ///
  /// - Returns: nil when there is no passthrough: the kernel lacks it, the options leave it out, or
  ///   the process has no CAP_SYS_ADMIN (as every ordinary user's). After the first EPERM the kernel
  ///   is not asked again.
  /// - Throws: what the kernel says of the file: EOPNOTSUPP when it cannot back (it is no regular
  ///   file), ELOOP when it lies on a file system of this kind itself.
  public func register(_ file: CInt) throws(Errno) -> BackingFile? {
    guard case .running(let core) = state.withLock({ $0 }) else { return nil }
    let number = cfuse_backing_open(core.device, file)
    if number > 0 {
      return BackingFile(BackingFile.Identifier(rawValue: UInt32(number)), core)
    }
    if number == -EPERM {
      state.withLock { $0 = .refused }
      return nil
    }
    throw Errno(rawValue: number == 0 ? EIO : -number)
  }

  /// Whether registering can succeed, as far as is known.
  public var isAvailable: Bool {
    if case .running = state.withLock({ $0 }) { return true }
    return false
  }

  func start(_ core: SessionCore) { state.withLock { $0 = .running(core) } }
  func stop() { state.withLock { $0 = .refused } }
}
