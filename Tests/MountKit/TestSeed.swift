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
