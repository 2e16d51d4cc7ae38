public import Platform

/// Holds what the drive reports at the gates of a world.
///
/// `first-byte` and `last-byte`, also of an upload, pass: `SimulatedCloud` holds content there, on its way.
public struct SimulatedCheckpoints: Checkpoints {
  private let gates: Gates
  private let holds: Bool

  /// Reports to these gates.
  ///
  /// - Parameter holds: false where nothing waits, as on a local disk; a gate may end the process only.
  public init(gates: Gates, holds: Bool = true) {
    self.gates = gates
    self.holds = holds
  }

  /// Suspends while a gate holds `subject` at `checkpoint`.
  public func reach(
    _ checkpoint: Checkpoint, _ subject: CheckpointSubject
  ) async throws(CheckpointFailure) {
    guard !Self.points.contains(checkpoint) else { return }
    guard holds else { return pass(checkpoint) { subject } }
    try await gates.meet(.checkpoint(checkpoint), subject)
  }

  private static let points: Set<Checkpoint> = [
    .firstByte, .lastByte, .uploadFirstByte, .uploadLastByte,
  ]

  /// Ends the process if a gate says so.
  public func pass(_ checkpoint: Checkpoint, _ subject: () -> CheckpointSubject) {
    gates.pass(.checkpoint(checkpoint), subject)
  }
}
