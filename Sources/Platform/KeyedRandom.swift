/// Random draws that depend on what they are for, not on when they are made.
///
/// A draw is keyed by (seed, operation, subject, n-th occurrence), so two runs with one seed draw the
/// same, whatever order their threads take.
public struct KeyedRandom: Sendable {
  /// The world's seed.
  public let seed: UInt64

  /// Draws for a seed.
  public init(seed: UInt64) { self.seed = seed }

  /// A uniformly distributed number for a key.
  public func draw(_ operation: String, _ subject: String, occurrence: UInt64) -> UInt64 {
    // FNV-1a over the key, then the SplitMix64 finalizer, which spreads every bit of it.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ seed
    func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for byte in operation.utf8 { mix(byte) }
    mix(0)
    for byte in subject.utf8 { mix(byte) }
    mix(0)
    withUnsafeBytes(of: occurrence.littleEndian) { for byte in $0 { mix(byte) } }
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
    return hash ^ (hash >> 31)
  }

  /// A number below `bound`, which must be positive.
  public func draw(
    below bound: UInt64, _ operation: String, _ subject: String, occurrence: UInt64
  ) -> UInt64 {
    draw(operation, subject, occurrence: occurrence).multipliedFullWidth(by: bound).high
  }
}
