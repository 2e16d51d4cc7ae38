public import Cloud
public import Platform

/// A cloud as devices see it: any store behind a network that a test steers.
///
/// A call fails at once while there is no network; otherwise it takes the latency, reaches the store,
/// and its answer is held while a gate says so. Content goes through at the bandwidth and stops at the
/// gates of its transfer. Calls carry their cause through.
///
/// A notice of a change that comes while there is no network is delivered when the network is back.
public final class SimulatedCloud: CloudStore {
  let inner: any CloudStore
  let clock: any WorldClock
  let conditions: Conditions
  let gates: Gates
  private let device: String
  private let describe: @Sendable (ItemIdentifier) -> String

  /// Puts a store behind a network.
  ///
  /// - Parameters:
  ///   - inner: the store.
  ///   - clock: the world's clock, by which latency and bandwidth go.
  ///   - conditions: the state of the network.
  ///   - gates: where calls and transfers can be held.
  ///   - device: who asks, for gates that hold one device only.
  ///   - describe: the path of an item, with a leading slash, for the patterns of gates.
  public init(
    _ inner: any CloudStore, clock: any WorldClock, conditions: Conditions, gates: Gates,
    device: String = "", describe: @escaping @Sendable (ItemIdentifier) -> String
  ) {
    self.inner = inner
    self.clock = clock
    self.conditions = conditions
    self.gates = gates
    self.device = device
    self.describe = describe
  }

  /// What the store can do.
  public var capabilities: CloudCapabilities { inner.capabilities }

  /// Calls `handler` after changes, not while there is no network.
  public func observeChanges(
    _ handler: @escaping @Sendable () -> Void
  ) -> any ChangeObservation { ConditionedObservation(inner, conditions, handler) }

  /// Begins a call: the network must be there, and the latency passes.
  func begin() async throws(CloudError) {
    try await Pacer(conditions, clock, .down).latency()
  }

  /// Ends a call: its answer may be held, failed or cancelled.
  func end(_ operation: CloudOperation, _ subject: CheckpointSubject) async throws(CloudError) {
    do {
      try await gates.meet(.reply(operation), subject)
    } catch {
      throw CloudError(error, at: .reply(operation))
    }
  }

  func subject(_ identifier: ItemIdentifier, _ cause: Cause) -> CheckpointSubject {
    subject(identifier.rawValue, at: describe(identifier), cause)
  }

  /// The subject of a call that is about no item.
  func account(_ cause: Cause) -> CheckpointSubject {
    subject("", at: "", cause)
  }

  func subject(_ item: String, at path: String, _ cause: Cause) -> CheckpointSubject {
    CheckpointSubject(item: item, path: path, cause: cause.rawValue, device: device)
  }
}

extension CloudError {
  /// What a test made of a transfer or call at a gate.
  init(_ failure: CheckpointFailure, at point: GatePoint) {
    switch failure {
    case .failed(let error): self.init(errno: error, "Failed by a gate at \(point)")
    case .cancelled: self.init(.cancelled, "Cancelled at a gate at \(point).")
    }
  }
}
