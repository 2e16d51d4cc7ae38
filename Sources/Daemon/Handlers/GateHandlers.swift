import Control
import Platform
import Simulation

/// The methods `gate.*`.
extension ControlMethods {
  mutating func registerGates(_ world: World) {
    register(GateClose.self) { params, _ throws(ControlError) in
      let gate = try Self.gate(params)
      let number = world.gateNumbers.take()
      return try ControlError.translatingGate { () throws(GateError) in
        _ = try world.gates.close(gate, as: GateNumbers.identifier(number))
        return GateClose.Result(gate: number)
      }
    }
    register(GateOpen.self) { params, _ throws(ControlError) in
      guard let number = params.gate else {
        let released = world.gates.list().reduce(0) { $0 + $1.waiting.count }
        world.gates.openAll()
        return GateOpen.Result(released: released)
      }
      let released = world.held(number).count
      return try ControlError.translatingGate { () throws(GateError) in
        try world.gates.open(GateNumbers.identifier(number))
        return GateOpen.Result(released: released)
      }
    }
    register(GateFail.self) { params, _ throws(ControlError) in
      guard let error = Errno(name: params.errno) else {
        throw ControlError(
          .invalidParameters, "'\(params.errno)' is no error's name", remedy: "use one such as EIO")
      }
      let released = world.held(params.gate).count
      return try ControlError.translatingGate { () throws(GateError) in
        try world.gates.fail(GateNumbers.identifier(params.gate), with: error)
        return GateFail.Result(released: released)
      }
    }
    register(GateCancel.self) { params, _ throws(ControlError) in
      let released = world.held(params.gate).count
      return try ControlError.translatingGate { () throws(GateError) in
        try world.gates.cancel(GateNumbers.identifier(params.gate))
        return GateCancel.Result(released: released)
      }
    }
    register(GateList.self) { _, _ throws(ControlError) in
      GateList.Result(gates: world.gates.list().map { world.info($0) }.sorted { $0.gate < $1.gate })
    }
    register(GateAwait.self) { params, _ throws(ControlError) in
      try await Deadline.run(milliseconds: params.timeoutMilliseconds) { () async throws in
        try await world.gates.awaitWaiting(
          params.count, at: GateNumbers.identifier(params.gate))
      }
      return GateAwait.Result(held: world.held(params.gate))
    }
  }

  private static func gate(_ params: GateClose.Params) throws(ControlError) -> Gate {
    guard let point = GatePoint(params.checkpoint) else {
      throw ControlError(
        .invalidParameters, "there is no point '\(params.checkpoint)'",
        remedy: "use requested, first-byte, byte:N, last-byte, before-publish, published, the same "
          + "of an upload such as upload-byte:N, or reply:CALL such as reply:enumerate; "
          + "'fauxdrive gate crash --help' has those where a process can only be ended")
    }
    guard params.isDeadly || point.canHold else {
      throw ControlError(
        .invalidParameters,
        "nothing can be held at '\(point)', since the kernel or the cloud would "
          + "stand still meanwhile", remedy: "end the process there: fauxdrive gate crash")
    }
    guard point.hasPath || params.path == "*" else {
      throw ControlError(
        .invalidParameters, "what arrives at '\(point)' has no path", remedy: "leave the path out")
    }
    return Gate(
      at: point, for: params.path == "*" ? .any : SubjectPattern(params.path),
      device: params.device, isDeadly: params.isDeadly)
  }
}

extension World {
  fileprivate func held(_ number: Int) -> [HeldInfo] {
    let identifier = GateNumbers.identifier(number)
    guard let gate = gates.list().first(where: { $0.identifier == identifier }) else { return [] }
    return info(gate).held
  }

  fileprivate func info(_ status: GateStatus) -> GateInfo {
    let held = status.waiting.map {
      HeldInfo(
        path: $0.subject.path, item: $0.subject.item, device: $0.subject.device,
        cause: $0.subject.cause, since: $0.since.nanoseconds)
    }
    return GateInfo(
      gate: GateNumbers.number(status.identifier), checkpoint: status.gate.point.description,
      path: status.gate.pattern.text.isEmpty ? "*" : status.gate.pattern.text,
      device: status.gate.device,
      isDeadly: status.gate.isDeadly, held: held)
  }
}
