public import Platform

/// Holds what the drive reports at the gates of a world.
///
/// `first-byte` and `last-byte` pass: `SimulatedCloud` holds content there, on its way to the drive.
public struct SimulatedCheckpoints: Checkpoints {
  private let gates: Gates

  /// Reports to these gates.
  public init(gates: Gates) { self.gates = gates }

  /// Suspends while a gate holds `subject` at `checkpoint`.
  public func reach(
    _ checkpoint: Checkpoint, _ subject: CheckpointSubject
  ) async throws(CheckpointFailure) {
    guard checkpoint != .firstByte, checkpoint != .lastByte else { return }
    try await gates.meet(.checkpoint(checkpoint), subject)
  }
}
