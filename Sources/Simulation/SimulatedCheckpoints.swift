public import Platform

/// Holds what the drive reports at the gates of a world.
///
/// `first-byte` and `last-byte`, also of an upload, pass: `SimulatedCloud` holds content there, on its way.
public struct SimulatedCheckpoints: Checkpoints {
  private let gates: Gates
  private let device: String
  private let holds: Bool

  /// Reports to these gates.
  ///
  /// - Parameters:
  ///   - device: whose checkpoints they are.
  ///   - holds: false where nothing waits, as on a local disk; a gate may end the process only.
  public init(gates: Gates, device: String = "", holds: Bool = true) {
    self.gates = gates
    self.device = device
    self.holds = holds
  }

  /// Suspends while a gate holds `subject` at `checkpoint`.
  public func reach(
    _ checkpoint: Checkpoint, _ subject: CheckpointSubject
  ) async throws(CheckpointFailure) {
    guard !Self.points.contains(checkpoint) else { return }
    guard holds else { return pass(checkpoint) { subject } }
    try await gates.meet(.checkpoint(checkpoint), named(subject))
  }

  private static let points: Set<Checkpoint> = [
    .firstByte, .lastByte, .uploadFirstByte, .uploadLastByte,
  ]

  /// Ends the process if a gate says so.
  public func pass(_ checkpoint: Checkpoint, _ subject: () -> CheckpointSubject) {
    gates.pass(.checkpoint(checkpoint)) { named(subject()) }
  }

  private func named(_ subject: CheckpointSubject) -> CheckpointSubject {
    var subject = subject
    subject.device = device
    return subject
  }
}
