import Control
import DriveClient
import Options
import Platform

/// `fauxdrive grant add|remove|list`
enum GrantVerbs {
  static let all = [add, remove, list]

  private static let process = Option("process", argument: "PID", help: "who gets the grant")
  private static let descendants = Option("descendants", help: "and its descendants")

  private static let add = Verb(
    Command(
      "add", summary: "let a process touch a document or folder in a scoped world",
      options: [process, descendants, .json],
      operands: [Operand("PATH", help: "a document or folder on a drive")],
      examples: [
        Example(
          "fauxdrive grant add --process 4711 ~/Drive/Game.plist",
          meaning: "As if its user had picked the document.")
      ],
      exitCodes: [.noInput, .unavailable])
  ) { arguments, console in
    guard let number: Int32 = try arguments.number(process, in: 1...Int32.max) else {
      throw UsageError("say who gets it: --process PID")
    }
    let location = try DriveLocation(of: Tilde.expand(arguments.operands[0]))
    let grant = try DriveClient.Drive(at: location).grant(
      location.path, to: number, includingDescendants: arguments.has(descendants))
    console.output.write(
      arguments.has(.json) ? HumanText.json(["grant": grant]) : "\(grant)\n")
    return .success
  }

  private static let remove = Verb(
    Command(
      "remove", summary: "take a grant back",
      operands: [Operand("PATH", help: "the drive"), Operand("GRANT", help: "its number")],
      examples: [Example("fauxdrive grant remove ~/Drive 1", meaning: "Takes the first one back.")],
      exitCodes: [.noInput, .unavailable])
  ) { arguments, _ in
    guard let number = Int(arguments.operands[1]) else {
      throw UsageError("'\(arguments.operands[1])' is no grant's number; see 'grant list'")
    }
    try DriveClient.Drive(at: Tilde.expand(arguments.operands[0])).removeGrant(number)
    return .success
  }

  private static let list = Verb(
    Command(
      "list", summary: "list the grants of a scoped world", options: [.json],
      operands: [Operand("PATH", help: "the drive")],
      examples: [Example("fauxdrive grant list ~/Drive", meaning: "Shows who may touch what.")],
      exitCodes: [.unavailable])
  ) { arguments, console in
    let grants = try DriveClient.Drive(at: Tilde.expand(arguments.operands[0])).grants()
    if arguments.has(.json) {
      console.output.write(HumanText.json(grants))
      return .success
    }
    guard !grants.isEmpty else {
      console.output.write("Nobody has a grant.\n")
      return .success
    }
    var table = Table(["GRANT", "PROCESS", "PATH"])
    for grant in grants {
      let process = "\(grant.process)" + (grant.includesDescendants ? " and descendants" : "")
      table.add([String(grant.grant), process, Terminal.printable(grant.path)])
    }
    console.output.write(table.text(for: console.output))
    return .success
  }
}
