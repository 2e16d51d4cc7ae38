/// What a kernel can do beyond the basic protocol: the flags of FUSE_INIT, bits 0 to 63.
///
/// Bits from 32 on travel in `flags2`. See `FUSE_*` in <linux/fuse.h>.
public struct KernelFeatures: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt64
  /// Wraps the bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  private init(bit: UInt64) { rawValue = 1 << bit }

  /// FUSE_ASYNC_READ: several reads of one file at once.
  public static let asyncRead = KernelFeatures(bit: 0)
  /// FUSE_POSIX_LOCKS: record locks come to the file system.
  public static let recordLocks = KernelFeatures(bit: 1)
  /// FUSE_ATOMIC_O_TRUNC: O_TRUNC comes with OPEN, not as a SETATTR after it.
  public static let atomicTruncation = KernelFeatures(bit: 3)
  /// FUSE_EXPORT_SUPPORT: LOOKUP of `.` and `..`, so that file handles outlive the kernel's caches.
  public static let exportSupport = KernelFeatures(bit: 4)
  /// FUSE_BIG_WRITES: writes larger than a page.
  public static let bigWrites = KernelFeatures(bit: 5)
  /// FUSE_DONT_MASK: the kernel does not apply the umask.
  public static let leavesModeUnmasked = KernelFeatures(bit: 6)
  /// FUSE_FLOCK_LOCKS: locks of flock(2) come to the file system.
  public static let wholeFileLocks = KernelFeatures(bit: 10)
  /// FUSE_AUTO_INVAL_DATA: new size or time in GETATTR drops cached pages.
  public static let automaticInvalidation = KernelFeatures(bit: 12)
  /// FUSE_DO_READDIRPLUS.
  public static let readdirplus = KernelFeatures(bit: 13)
  /// FUSE_READDIRPLUS_AUTO: READDIRPLUS only when it helps.
  public static let readdirplusAuto = KernelFeatures(bit: 14)
  /// FUSE_ASYNC_DIO: asynchronous direct I/O.
  public static let asyncDirectIO = KernelFeatures(bit: 15)
  /// FUSE_PARALLEL_DIROPS: lookups and listings of one folder at once.
  public static let parallelDirectoryOperations = KernelFeatures(bit: 18)
  /// FUSE_ABORT_ERROR: an aborted connection can be told from an unmounted one.
  public static let abortError = KernelFeatures(bit: 21)
  /// FUSE_MAX_PAGES: requests larger than 128 KiB.
  public static let maximumPages = KernelFeatures(bit: 22)
  /// FUSE_CACHE_SYMLINKS.
  public static let cachesLinks = KernelFeatures(bit: 23)
  /// FUSE_EXPLICIT_INVAL_DATA: cached pages are dropped only by the notifier.
  public static let explicitInvalidation = KernelFeatures(bit: 25)
  /// FUSE_INIT_EXT: there is a `flags2`.
  public static let extendedFlags = KernelFeatures(bit: 30)
  /// FUSE_HAS_EXPIRE_ONLY: a name can expire without being dropped (Linux 6.2).
  public static let expireOnly = KernelFeatures(bit: 35)
  /// FUSE_DIRECT_IO_ALLOW_MMAP: shared mappings of direct opens (Linux 6.6).
  public static let directIOAllowsMapping = KernelFeatures(bit: 36)
  /// FUSE_PASSTHROUGH (Linux 6.9).
  public static let passthrough = KernelFeatures(bit: 37)
  /// FUSE_HAS_RESEND: unanswered requests can be sent again to a new server (Linux 6.9).
  public static let resend = KernelFeatures(bit: 39)
}

extension KernelFeatures {
  /// Everything that Linux 6.1 knows: bits 0 to 30, SECURITY_CTX (32) and HAS_INODE_DAX (33).
  ///
  /// Debian 12 ships that kernel. It has neither expiry of names, mapping of direct opens,
  /// passthrough nor resending.
  public static let linux6_1 = KernelFeatures(rawValue: 0x7fff_ffff | 0b11 << 32)
  /// Everything that any kernel knows.
  public static let all = KernelFeatures(rawValue: .max)
}
