public import Platform

/// Names a gate.
public struct GateIdentifier: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name.
  public let rawValue: String
  /// Wraps a name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Wraps a name.
  public init(stringLiteral name: String) { rawValue = name }
}

extension GateIdentifier: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}

/// A place where transfers or calls are held, or end the world's process.
public struct Gate: Hashable, Sendable {
  /// Where it holds.
  public var point: GatePoint
  /// Whom it holds.
  public var pattern: SubjectPattern
  /// Whose transfers and calls; nil for those of every device.
  public var device: String?
  /// How many it holds before it lets everybody pass; nil for no limit.
  public var limit: Int?
  /// Whether whoever comes ends the process, as SIGKILL does, and nobody is held.
  public var isDeadly: Bool

  /// Describes a gate.
  public init(
    at point: GatePoint, for pattern: SubjectPattern = .any, device: String? = nil,
    limit: Int? = nil, isDeadly: Bool = false
  ) {
    self.point = point
    self.pattern = pattern
    self.device = device
    self.limit = limit
    self.isDeadly = isDeadly
  }

  /// Whether it is for this transfer or call.
  func isFor(_ subject: CheckpointSubject) -> Bool {
    pattern.matches(subject) && (device == nil || device == subject.device)
  }
}

/// A closed gate and who waits there.
public struct GateStatus: Hashable, Sendable {
  /// Somebody who waits.
  public struct Waiting: Hashable, Sendable {
    /// The item, its path and the cause.
    public let subject: CheckpointSubject
    /// Since when, on the world's clock.
    public let since: WorldTime
  }

  /// The gate's name.
  public let identifier: GateIdentifier
  /// Where it holds whom.
  public let gate: Gate
  /// Who waits there, in the order of arrival.
  public let waiting: [Waiting]
  /// How many it has held so far, with those who wait.
  public let heldCount: Int
}

/// A gate was asked for that is not closed, or closed twice.
public struct GateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and what to do about it.
  public let description: String

  static func unknown(_ identifier: GateIdentifier) -> GateError {
    GateError(description: "There is no closed gate \"\(identifier)\"; list the gates to see them.")
  }

  static func taken(_ identifier: GateIdentifier) -> GateError {
    GateError(
      description: "A gate \"\(identifier)\" is closed already; open it or take another name.")
  }

  static let cancelled = GateError(description: "The wait at a gate was cancelled.")
}
