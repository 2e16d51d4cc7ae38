import Foundation

/// The seed of tests that draw at random: the variable `SEED`, or a new one that is printed.
public enum TestSeed {
  /// The seed of this run.
  public static let value: UInt64 = {
    let seed =
      ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) }
      ?? UInt64.random(in: .min ... .max)
    print("SEED=\(seed)")
    return seed
  }()
}

/// How much tests do that take long.
public enum Thoroughness {
  /// How often a drive is killed under load, if the variable `FAUXDRIVE_KILLS` says so; then also the other
  /// tests of crashes try everything.
  public static let kills = ProcessInfo.processInfo.environment["FAUXDRIVE_KILLS"].flatMap {
    Int($0)
  }
  /// Whether tests of crashes try everything.
  public static var isThorough: Bool { kills != nil }
}
