/// How long the kernel may use an answer without asking again.
public struct CacheTimeout: Hashable, Sendable {
  /// Whole seconds.
  public let seconds: UInt64
  /// Nanoseconds within the second.
  public let nanoseconds: UInt32

  /// A time given by its two parts; `nanoseconds` must be below 1,000,000,000.
  ///
  /// More than 2^30 seconds become that: the kernel's conversion overflows beyond 2^32, and what was
  /// meant to last for ever would have passed already.
  public init(seconds: UInt64, nanoseconds: UInt32 = 0) {
    precondition(nanoseconds < 1_000_000_000, "a second has 1,000,000,000 nanoseconds")
    self.seconds = min(seconds, Self.maximumSeconds)
    self.nanoseconds = nanoseconds
  }

  /// The kernel asks at every use.
  public static let zero = CacheTimeout(seconds: 0)
  /// The kernel asks only after an invalidation, or in 34 years.
  public static let forever = CacheTimeout(seconds: maximumSeconds)
  private static let maximumSeconds: UInt64 = 1 << 30

  /// So many milliseconds.
  public static func milliseconds(_ count: UInt64) -> CacheTimeout {
    CacheTimeout(seconds: count / 1000, nanoseconds: UInt32(count % 1000) * 1_000_000)
  }
}
