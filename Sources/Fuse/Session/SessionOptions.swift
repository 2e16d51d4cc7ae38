/// Operations that a session may leave out.
///
/// What is left out is answered ENOSYS by libfuse at the first request and never asked again: record
/// and whole-file locks are then the kernel's own, right between the processes of one mount.
public struct OfferedOperations: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt32
  /// Wraps the bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// ACCESS. Left out, or with `default_permissions`, access(2) is the kernel's.
  public static let access = OfferedOperations(rawValue: 1 << 0)
  /// GETLK, SETLK and SETLKW.
  public static let recordLocks = OfferedOperations(rawValue: 1 << 1)
  /// SETLK of flock(2).
  public static let wholeFileLocks = OfferedOperations(rawValue: 1 << 2)
  /// The four requests of extended attributes.
  public static let extendedAttributes = OfferedOperations(rawValue: 1 << 3)
  /// FALLOCATE.
  public static let fallocate = OfferedOperations(rawValue: 1 << 4)
  /// LSEEK.
  public static let lseek = OfferedOperations(rawValue: 1 << 5)
  /// COPY_FILE_RANGE.
  public static let copyFileRange = OfferedOperations(rawValue: 1 << 6)
  /// IOCTL.
  public static let ioctl = OfferedOperations(rawValue: 1 << 7)
  /// FLUSH.
  public static let flush = OfferedOperations(rawValue: 1 << 8)
  /// CREATE; left out, the kernel uses MKNOD and OPEN.
  public static let create = OfferedOperations(rawValue: 1 << 9)

  /// All but the locks.
  public static let standard: OfferedOperations = [
    .access, .extendedAttributes, .fallocate, .lseek, .copyFileRange, .ioctl, .flush, .create,
  ]
}

extension Session {
  /// How a session serves and what it asks of the kernel.
  public struct Options: Sendable {
    /// When the kernel uses READDIRPLUS.
    public enum Readdirplus: Hashable, Sendable {
      /// Never.
      case never
      /// When it helps: at the first listing, and again when entries are looked up.
      case automatic
      /// Always.
      case always
    }

    /// What makes the kernel drop the pages of a file.
    public enum DataInvalidation: Hashable, Sendable {
      /// New size or modification time in an answer, and the notifier.
      case automatic
      /// The notifier alone.
      case explicit
    }

    /// How many threads answer; more than cores cost latency. 0 is one for each core.
    public var threads = 0
    /// What is offered.
    public var operations = OfferedOperations.standard
    /// What the kernel may be assumed to know; less than `all` is for tests of older kernels.
    public var assumedKernel = KernelFeatures.all
    /// Whether several reads of one file come at once. Without it each waits for the one before, can
    /// be interrupted, and a held one takes no background slot.
    public var asyncRead = true
    /// Whether O_TRUNC comes with OPEN.
    public var atomicTruncation = true
    /// Whether LOOKUP of `.` and `..` is served.
    public var exportSupport = true
    /// Whether the kernel keeps the targets of symbolic links.
    public var cachesLinks = true
    /// Whether a caller's umask is left to the file system.
    public var leavesModeUnmasked = false
    /// When the kernel uses READDIRPLUS.
    public var readdirplus = Readdirplus.automatic
    /// What makes the kernel drop pages.
    public var dataInvalidation = DataInvalidation.automatic
    /// Whether lookups and listings of one folder come at once.
    public var parallelDirectoryOperations = true
    /// Whether direct opens can be mapped shared. Such a mapping puts the node into cached mode.
    public var directIOAllowsMapping = true
    /// Whether passthrough is agreed, where the kernel knows it.
    public var passthrough = true
    /// How many background requests (asynchronous reads, releases) may be out; capped for users.
    public var maximumBackground = UInt16.max
    /// From how many background requests on the kernel holds back read-ahead.
    public var congestionThreshold = UInt16(49151)
    /// The most bytes of a WRITE; at most 1 MiB.
    public var maximumWrite = 1 << 20
    /// The most bytes of read-ahead; nil is the kernel's own limit, which it can only lower.
    public var maximumReadahead: UInt32?
    /// Gives the resumed INIT request of a server that died on this device.
    ///
    /// The session then takes over: it answers no INIT, and asks the kernel to send again what the
    /// other did not answer (Linux 6.9).
    public var resumedInitialization: [UInt8]?

    /// What suits most file systems.
    public init() {}
  }
}
