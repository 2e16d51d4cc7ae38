import Control
import DriveClient
import Options
import Platform

/// `fauxdrive network online|offline|set|show`
enum NetworkVerbs {
  static let all = [online, offline, set, show]

  private static let drive = Operand("PATH", help: "a drive")

  private static let online = Verb(
    Command(
      "online", summary: "let the cloud be reached", options: [.json], operands: [drive],
      examples: [Example("fauxdrive network online ~/Drive", meaning: "Ends being offline.")],
      exitCodes: [.unavailable])
  ) { arguments, console in
    try change(arguments, console) { world throws(ControlError) in
      try world.setNetwork(isOnline: true)
    }
  }

  private static let offline = Verb(
    Command(
      "offline", summary: "let the cloud be out of reach", options: [.json], operands: [drive],
      examples: [
        Example("fauxdrive network offline ~/Drive", meaning: "Running transfers fail at once.")
      ],
      exitCodes: [.unavailable])
  ) { arguments, console in
    try change(arguments, console) { world throws(ControlError) in
      try world.setNetwork(isOnline: false)
    }
  }

  private static let latency = Option(
    "latency", argument: "TIME", help: "what every call takes, such as 250ms; 0ms for nothing")
  private static let bandwidth = Option(
    "bandwidth", argument: "BYTES", help: "bytes a second, such as 512Ki; 0 for no limit")

  private static let set = Verb(
    Command(
      "set", summary: "set latency and bandwidth", options: [latency, bandwidth, .json],
      operands: [drive],
      examples: [
        Example(
          "fauxdrive network set --latency 300ms --bandwidth 100Ki ~/Drive",
          meaning: "Makes it a train ride.")
      ],
      exitCodes: [.unavailable])
  ) { arguments, console in
    let time = try arguments.duration(latency)
    let rate = try arguments.value(bandwidth).map { text throws(UsageError) in
      try Arguments.bytes(text)
    }
    guard time != nil || rate != nil else {
      throw UsageError("say what to set: --latency TIME, --bandwidth BYTES, or both")
    }
    return try change(arguments, console) { world throws(ControlError) in
      try world.setNetwork(
        latencyMilliseconds: time.map { $0.nanoseconds / 1_000_000 }, bytesPerSecond: rate)
    }
  }

  private static let show = Verb(
    Command(
      "show", summary: "show the state of the network", options: [.json], operands: [drive],
      examples: [Example("fauxdrive network show ~/Drive", meaning: "Prints it.")],
      exitCodes: [.unavailable])
  ) { arguments, console in
    try change(arguments, console) { world throws(ControlError) in try world.network() }
  }

  private static func change(
    _ arguments: Arguments, _ console: Console,
    _ body: (DriveClient.World) throws(ControlError) -> NetworkState
  ) throws -> ExitCode {
    let location = try DriveLocation(of: Tilde.expand(arguments.operands[0]))
    let state = try body(try DriveClient.World(directory: location.world))
    if arguments.has(.json) {
      console.output.write(HumanText.json(state))
      return .success
    }
    let rate = state.bytesPerSecond == 0 ? "no limit" : HumanText.bytes(state.bytesPerSecond) + "/s"
    console.output.write(
      "\(state.isOnline ? "online" : "offline"), latency \(state.latencyMilliseconds) ms, "
        + "bandwidth \(rate)\n")
    return .success
  }
}
