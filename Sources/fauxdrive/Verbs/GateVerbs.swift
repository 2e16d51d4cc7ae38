import Control
import DriveClient
import Options
import Platform

/// `fauxdrive gate close|crash|open|fail|cancel|list|await`
enum GateVerbs {
  static let all = [close, crash, open, fail, cancel, list, wait]

  private static let drive = Operand("PATH", help: "a drive, or a document on it")
  private static let gateOperand = Operand("GATE", help: "its number")

  private static let at = Option(
    "at", argument: "POINT",
    help: "requested, first-byte, byte:N, last-byte, before-publish or published of a download; "
      + "upload-requested, upload-first-byte, upload-byte:N, upload-last-byte, uploaded or "
      + "upload-noted of an upload; or reply:CALL of the cloud")

  private static let close = Verb(
    Command(
      "close", summary: "hold transfers, or a call's answer, at a point",
      discussion: """
        Prints the gate's number. What arrives at the point waits there until the gate is opened, \
        or is told to fail. With a document's path only its transfers are held.
        """,
      options: [at, .json], operands: [drive],
      examples: [
        Example(
          "fauxdrive gate close --at byte:4096 ~/Drive/Game.plist",
          meaning: "Stops its download after 4,096 bytes.")
      ],
      exitCodes: [.unavailable])
  ) { arguments, console in
    try close(arguments, console, at: arguments.value(at) ?? "first-byte", isDeadly: false)
  }

  private static let crashAt = Option(
    "at", argument: "POINT",
    help: "as for 'gate close'; before:CALL or after:CALL of a program's call, which is one of "
      + ChangingCall.allCases.map(\.rawValue).joined(separator: ", ")
      + "; or cloud:staged, cloud:renaming, cloud:renamed or cloud:recorded, in the middle of a "
      + "change of the cloud's folder")

  private static let crash = Verb(
    Command(
      "crash", summary: "end the world's process at a point, as SIGKILL does",
      discussion: """
        Prints the gate's number. Whatever arrives at the point first ends the process that serves the \
        drive, in the middle of what it does: programs get ENOTCONN, and 'fauxdrive mount' goes on \
        with what was closed. With a document's path only what is about that path does so.
        """,
      options: [crashAt, .json], operands: [drive],
      examples: [
        Example(
          "fauxdrive gate crash --at uploaded ~/Drive/Game.plist",
          meaning: "Crashes when the cloud has it and the device does not know yet.")
      ],
      exitCodes: [.unavailable])
  ) { arguments, console in
    guard let point = arguments.value(crashAt) else {
      throw UsageError("say where with --at, such as --at uploaded")
    }
    return try close(arguments, console, at: point, isDeadly: true)
  }

  private static func close(
    _ arguments: Arguments, _ console: Console, at point: String, isDeadly: Bool
  ) throws -> ExitCode {
    let location = try DriveLocation(of: Tilde.expand(arguments.operands[0]))
    let world = try DriveClient.World(directory: location.world)
    // The cloud's own steps are of no device.
    let params = GateClose.Params(
      checkpoint: point, path: location.path == "/" ? "*" : Glob.gate(location.path),
      device: point.hasPrefix("cloud:") ? nil : location.device, isDeadly: isDeadly)
    let result = try world.call(GateClose.self, params)
    console.output.write(arguments.has(.json) ? HumanText.json(result) : "\(result.gate)\n")
    return .success
  }

  private static let open = Verb(
    Command(
      "open", summary: "let what a gate holds go on, and remove the gate", options: [.json],
      operands: [drive, Operand("GATE", help: "its number; all gates without", minimum: 0)],
      examples: [Example("fauxdrive gate open ~/Drive 1", meaning: "Opens the first gate.")],
      exitCodes: [.noInput, .unavailable])
  ) { arguments, console in
    let gate = arguments.operands.count > 1 ? try number(arguments) : nil
    return try release(arguments, console) { world throws(ControlError) in
      try world.openGate(gate)
    }
  }

  private static let error = Option(
    "with", argument: "ERRNO", help: "the error, such as EIO or ENOSPC (EIO)")

  private static let fail = Verb(
    Command(
      "fail", summary: "let what a gate holds fail, and remove the gate", options: [error, .json],
      operands: [drive, gateOperand],
      examples: [
        Example("fauxdrive gate fail --with ENOSPC ~/Drive 1", meaning: "Fails what it holds.")
      ],
      exitCodes: [.noInput, .unavailable])
  ) { arguments, console in
    let name = arguments.value(error) ?? "EIO"
    guard let errno = Errno(name: name) else {
      throw UsageError("--with: '\(name)' is no error's name; use one such as EIO")
    }
    let gate = try number(arguments)
    return try release(arguments, console) { world throws(ControlError) in
      try world.failGate(gate, with: errno)
    }
  }

  private static let cancel = Verb(
    Command(
      "cancel", summary: "cancel what a gate holds, and remove the gate", options: [.json],
      operands: [drive, gateOperand],
      examples: [Example("fauxdrive gate cancel ~/Drive 1", meaning: "Cancels what it holds.")],
      exitCodes: [.noInput, .unavailable])
  ) { arguments, console in
    let gate = try number(arguments)
    return try release(arguments, console) { world throws(ControlError) in
      try world.cancelGate(gate)
    }
  }

  private static let list = Verb(
    Command(
      "list", summary: "list the gates and what they hold", options: [.json], operands: [drive],
      examples: [Example("fauxdrive gate list ~/Drive", meaning: "Shows who waits where.")],
      exitCodes: [.unavailable])
  ) { arguments, console in
    let gates = try world(of: arguments).gates()
    if arguments.has(.json) {
      console.output.write(HumanText.json(gates))
      return .success
    }
    guard !gates.isEmpty else {
      console.output.write("No gate is closed.\n")
      return .success
    }
    var table = Table(["GATE", "POINT", "PATH", "HOLDS"])
    for gate in gates {
      let held = gate.held.map { Terminal.printable($0.path) }.joined(separator: ", ")
      let holds = gate.isDeadly ? "ends the process" : held.isEmpty ? "-" : held
      table.add([String(gate.gate), gate.checkpoint, gate.path, holds])
    }
    console.output.write(table.text(for: console.output))
    return .success
  }

  private static let count = Option("count", argument: "N", help: "how many it must hold (1)")
  private static let timeout = Option("timeout", argument: "TIME", help: "how long to wait at most")

  private static let wait = Verb(
    Command(
      "await", summary: "wait until a gate holds something", options: [count, timeout, .json],
      operands: [drive, gateOperand],
      examples: [
        Example("fauxdrive gate await ~/Drive 1", meaning: "Returns when something waits there.")
      ],
      exitCodes: [.noInput, .unavailable, .temporaryFailure])
  ) { arguments, console in
    let held = try world(of: arguments).awaitGate(
      try number(arguments), holds: try arguments.number(count, in: 1...1_000_000) ?? 1,
      timeout: try arguments.duration(timeout))
    if arguments.has(.json) {
      console.output.write(HumanText.json(held))
    } else {
      for item in held { console.output.write(Terminal.printable(item.path) + "\n") }
    }
    return .success
  }

  private static func world(of arguments: Arguments) throws(ControlError) -> DriveClient.World {
    let location = try DriveLocation(of: Tilde.expand(arguments.operands[0]))
    return try DriveClient.World(directory: location.world)
  }

  private static func number(_ arguments: Arguments) throws(UsageError) -> Int {
    guard let number = Int(arguments.operands[1]) else {
      throw UsageError("'\(arguments.operands[1])' is no gate's number; see 'gate list'")
    }
    return number
  }

  private static func release(
    _ arguments: Arguments, _ console: Console,
    _ body: (DriveClient.World) throws(ControlError) -> Int
  ) throws -> ExitCode {
    let released = try body(try world(of: arguments))
    console.output.write(
      arguments.has(.json)
        ? HumanText.json(["released": released]) : "\(released) went on\n")
    return .success
  }
}
