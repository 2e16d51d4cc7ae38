/// A world's clock.
public struct ClockState: Codable, Hashable, Sendable {
  /// By what time passes.
  public var kind: ClockKind
  /// The world's time, in nanoseconds since it began.
  public var now: Int64

  /// Says all of it.
  public init(kind: ClockKind, now: Int64) {
    self.kind = kind
    self.now = now
  }
}

/// Tells a world's time.
public enum ClockGet: ControlMethod {
  /// "clock.get"
  public static let name = "clock.get"

  /// What the caller says.
  public typealias Params = Nothing

  /// What it gets.
  public typealias Result = ClockState
}

/// Lets time pass on a manual clock, and answers when all that was due has been set going.
public enum ClockAdvance: ControlMethod {
  /// "clock.advance"
  public static let name = "clock.advance"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// How much; not negative.
    public var nanoseconds: Int64

    /// Says all of it.
    public init(nanoseconds: Int64) {
      self.nanoseconds = nanoseconds
    }
  }

  /// What it gets.
  public typealias Result = ClockState
}

/// Sets a manual clock forward to a moment, and answers when all that was due has been set going.
public enum ClockSet: ControlMethod {
  /// "clock.set"
  public static let name = "clock.set"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// The world's time, in nanoseconds since it began; not before the present.
    public var now: Int64

    /// Says all of it.
    public init(now: Int64) {
      self.now = now
    }
  }

  /// What it gets.
  public typealias Result = ClockState
}
