/// How well a value of a profile is founded, and by what.
public struct Evidence: Hashable, Sendable {
  /// How much a value can be trusted.
  public enum Level: String, CaseIterable, Hashable, Sendable {
    /// The provider's or system's own documentation or source says so.
    case verified
    /// Users or developers have seen it; no contract says so.
    case reported
    /// It follows from something else, or a choice had to be made.
    case inferred
  }

  /// How much the value can be trusted.
  public var level: Level
  /// Where it is from, or what it follows from.
  public var source: String

  /// Describes evidence.
  public init(level: Level, source: String) {
    self.level = level
    self.source = source
  }
}
