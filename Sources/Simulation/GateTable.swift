internal import Platform

/// The state of `Gates`, as a plain value.
struct GateTable: Sendable {
  enum Verdict: Sendable {
    case go
    case fail(CheckpointFailure)
  }

  struct Arrival: Sendable {
    let subject: CheckpointSubject
    let since: WorldTime
    let wait: Wait<Verdict>
  }

  struct Met: Sendable {
    let identifier: GateIdentifier
    let satisfied: [Wait<Bool>]
    let isDeadly: Bool
  }

  private struct Watcher: Sendable {
    let count: Int
    let wait: Wait<Bool>
  }

  private struct Closed: Sendable {
    let identifier: GateIdentifier
    let gate: Gate
    var arrivals: [Arrival] = []
    var watchers: [Watcher] = []
    var heldCount = 0

    var isSpent: Bool { gate.limit.map { heldCount >= $0 } ?? false }
  }

  // In the order of their closing.
  private var closed: [Closed] = []
  private var lastNumber = 0

  mutating func close(_ gate: Gate, as name: GateIdentifier?) throws(GateError) -> GateIdentifier {
    let identifier = name ?? nextIdentifier()
    guard !closed.contains(where: { $0.identifier == identifier }) else {
      throw .taken(identifier)
    }
    closed.append(Closed(identifier: identifier, gate: gate))
    return identifier
  }

  mutating func takeFirst(_ identifier: GateIdentifier) throws(GateError) -> Arrival? {
    let index = try index(of: identifier)
    guard !closed[index].arrivals.isEmpty else { return nil }
    return closed[index].arrivals.removeFirst()
  }

  /// Takes everybody away from a gate, and the gate as well unless it stays closed.
  mutating func empty(
    _ identifier: GateIdentifier, keepClosed: Bool
  ) throws(GateError) -> ([Arrival], [Wait<Bool>]) {
    let index = try index(of: identifier)
    let arrivals = closed[index].arrivals
    closed[index].arrivals = []
    if keepClosed { return (arrivals, []) }
    return (arrivals, closed.remove(at: index).watchers.map(\.wait))
  }

  func list() -> [GateStatus] {
    closed.map { gate in
      GateStatus(
        identifier: gate.identifier, gate: gate.gate,
        waiting: gate.arrivals.map { .init(subject: $0.subject, since: $0.since) },
        heldCount: gate.heldCount)
    }
  }

  /// Puts an arrival at the first gate of the point that holds it; nil when none does.
  mutating func arrive(
    _ arrival: Arrival, at point: GatePoint, except passed: Set<GateIdentifier>
  ) -> Met? {
    let index = closed.firstIndex {
      $0.gate.point == point && !$0.isSpent && !passed.contains($0.identifier)
        && $0.gate.isFor(arrival.subject)
    }
    guard let index else { return nil }
    closed[index].arrivals.append(arrival)
    closed[index].heldCount += 1
    let count = closed[index].arrivals.count
    let satisfied = closed[index].watchers.filter { $0.count <= count }
    closed[index].watchers.removeAll { $0.count <= count }
    return Met(
      identifier: closed[index].identifier, satisfied: satisfied.map(\.wait),
      isDeadly: closed[index].gate.isDeadly)
  }

  /// Whether whoever comes to the point ends the process.
  func isDeadly(_ point: GatePoint, for subject: CheckpointSubject? = nil) -> Bool {
    closed.contains {
      $0.gate.isDeadly && $0.gate.point == point
        && (subject.map($0.gate.isFor) ?? true)
    }
  }

  mutating func leave(_ identifier: GateIdentifier, _ arrival: Arrival) {
    guard let index = try? index(of: identifier) else { return }
    closed[index].arrivals.removeAll { $0.wait === arrival.wait }
  }

  func points(
    for subject: CheckpointSubject, except passed: Set<GateIdentifier>
  ) -> [GatePoint] {
    closed.filter {
      !$0.isSpent && !passed.contains($0.identifier) && $0.gate.isFor(subject)
    }.map(\.gate.point)
  }

  /// Returns whether enough wait already; otherwise the watcher is kept.
  mutating func watch(
    _ identifier: GateIdentifier, count: Int, _ wait: Wait<Bool>
  ) throws(GateError) -> Bool {
    let index = try index(of: identifier)
    if closed[index].arrivals.count >= count { return true }
    closed[index].watchers.append(Watcher(count: count, wait: wait))
    return false
  }

  mutating func unwatch(_ identifier: GateIdentifier, _ wait: Wait<Bool>) {
    guard let index = try? index(of: identifier) else { return }
    closed[index].watchers.removeAll { $0.wait === wait }
  }

  private func index(of identifier: GateIdentifier) throws(GateError) -> Int {
    guard let index = closed.firstIndex(where: { $0.identifier == identifier }) else {
      throw .unknown(identifier)
    }
    return index
  }

  private mutating func nextIdentifier() -> GateIdentifier {
    repeat {
      lastNumber += 1
    } while closed.contains { $0.identifier.rawValue == "gate-\(lastNumber)" }
    return GateIdentifier(rawValue: "gate-\(lastNumber)")
  }
}
