/// What kernel and session agreed on at the start.
public struct Agreement: Hashable, Sendable {
  /// The minor version of the protocol (7.x) that is spoken.
  public var protocolMinor: UInt32
  /// What the kernel offered, less what the options hide.
  public var offered: KernelFeatures
  /// What is in force.
  public var agreed: KernelFeatures
  /// The most bytes of a WRITE.
  public var maximumWrite: UInt32
  /// The most bytes of read-ahead.
  public var maximumReadahead: UInt32
  /// How many background requests were asked for; the kernel grants users fewer.
  public var maximumBackground: UInt16

  /// Whether a name can expire without being dropped; else expiring drops it.
  public var canExpireEntries: Bool { offered.contains(.expireOnly) }
  /// Whether backing files can be used; only a process with CAP_SYS_ADMIN may register any.
  public var canPassthrough: Bool { agreed.contains(.passthrough) }
  /// Whether another process may take over the device (`resumedInitialization`).
  public var canResume: Bool { offered.contains(.resend) }
}

/// Why a session ended.
public enum SessionEnd: Hashable, Sendable {
  /// `stop` was called.
  case stopped
  /// Somebody unmounted it.
  case unmounted
  /// Somebody aborted the connection.
  case aborted
  /// The device failed.
  case failed(CInt)
}
