public import Glibc

/// A moment of the system's calendar: seconds and nanoseconds since 1970, as in `struct timespec`.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Whole seconds since 1970-01-01 00:00 UTC; negative before.
  public let seconds: Int64
  /// Nanoseconds within the second, 0 to 999,999,999.
  public let nanoseconds: Int32

  /// A moment given by its two parts.
  public init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// The C value.
  public init(_ time: timespec) {
    self.init(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }

  /// The C value.
  public var timespec: timespec {
    Glibc.timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
  }

  /// The present, from CLOCK_REALTIME.
  public static var now: Timestamp {
    var time = Glibc.timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(time)
  }

  /// Orders by time.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}
