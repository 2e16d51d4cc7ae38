import Platform
import Simulation

/// The numbers by which the control protocol calls gates.
struct GateNumbers: Sendable {
  private let next = Locked(1)

  init() {}

  /// A number that no gate of this process had.
  func take() -> Int {
    next.withLock { next in
      defer { next += 1 }
      return next
    }
  }

  static func identifier(_ number: Int) -> GateIdentifier {
    GateIdentifier(rawValue: String(number))
  }
  static func number(_ identifier: GateIdentifier) -> Int { Int(identifier.rawValue) ?? 0 }
}
