import Control
import DriveClient
import Options
import Platform

/// `fauxdrive clock show|advance|set`
enum ClockVerbs {
  static let all = [show, advance, set]

  private static let drive = Operand("PATH", help: "a drive")

  private static let show = Verb(
    Command(
      "show", summary: "show the world's time", options: [.json], operands: [drive],
      examples: [
        Example("fauxdrive clock show ~/Drive", meaning: "Prints the time since it began.")
      ],
      exitCodes: [.unavailable])
  ) { arguments, console in
    try tell(arguments, console) { world throws(ControlError) in try world.clock() }
  }

  private static let advance = Verb(
    Command(
      "advance", summary: "let time pass in a world with a manual clock", options: [.json],
      operands: [drive, Operand("TIME", help: "how much, such as 30s")],
      examples: [
        Example("fauxdrive clock advance ~/Drive 30s", meaning: "Everything due by then happens.")
      ],
      exitCodes: [.unavailable])
  ) { arguments, console in
    let time = try Arguments.duration(arguments.operands[1])
    return try tell(arguments, console) { world throws(ControlError) in
      try world.advanceClock(by: time)
    }
  }

  private static let set = Verb(
    Command(
      "set", summary: "let time pass up to a moment, in a world with a manual clock",
      options: [.json],
      operands: [drive, Operand("TIME", help: "the time since the world began, such as 90s")],
      examples: [Example("fauxdrive clock set ~/Drive 2h", meaning: "Goes to two hours.")],
      exitCodes: [.unavailable])
  ) { arguments, console in
    let time = try Arguments.duration(arguments.operands[1])
    return try tell(arguments, console) { world throws(ControlError) in
      try world.setClock(to: .zero + time)
    }
  }

  private static func tell(
    _ arguments: Arguments, _ console: Console,
    _ body: (DriveClient.World) throws(ControlError) -> ClockState
  ) throws -> ExitCode {
    let location = try DriveLocation(of: Tilde.expand(arguments.operands[0]))
    let state = try body(try DriveClient.World(directory: location.world))
    console.output.write(
      arguments.has(.json)
        ? HumanText.json(state) : "\(HumanText.duration(.nanoseconds(state.now)))\n")
    return .success
  }
}
