import Control
import DriveClient
import Foundation
import Options
import Platform

/// `fauxdrive cloud ls|cat|put|mkdir|mv|rm|refresh`
enum CloudVerbs {
  static let all = [list, cat] + CloudEditVerbs.all + [refresh]

  static let drivePath = Operand(
    "PATH", help: "a path on a drive; the same place in the cloud is meant")

  private static let list = Verb(
    Command(
      "ls", summary: "list what is in the cloud, whatever the device has", options: [.json],
      operands: [drivePath],
      examples: [Example("fauxdrive cloud ls ~/Drive", meaning: "Lists the cloud's top folder.")],
      exitCodes: [.noInput, .unavailable])
  ) { arguments, console in
    let location = try DriveLocation(of: Tilde.expand(arguments.operands[0]))
    let items = try DriveClient.World(directory: location.world).cloudList(location.path)
    if arguments.has(.json) {
      console.output.write(HumanText.json(items))
      return .success
    }
    var table = Table(["SIZE", "NAME", "ITEM"], alignments: [.right, .left, .left])
    for item in items {
      let name = Terminal.printable(item.name) + (item.kind == .folder ? "/" : "")
      table.add([item.kind == .file ? HumanText.bytes(item.size) : "-", name, item.item])
    }
    console.output.write(table.text(for: console.output))
    return .success
  }

  private static let cat = Verb(
    Command(
      "cat", summary: "print a document as it is in the cloud", operands: [drivePath],
      examples: [
        Example(
          "fauxdrive cloud cat ~/Drive/notes.txt",
          meaning: "Prints it; the device downloads nothing.")
      ],
      exitCodes: [.noInput, .unavailable])
  ) { arguments, _ in
    let location = try DriveLocation(of: Tilde.expand(arguments.operands[0]))
    let content = try DriveClient.World(directory: location.world).cloudContent(location.path)
    try FileHandle.standardOutput.write(contentsOf: Data(content))
    return .success
  }

  private static let refresh = Verb(
    Command(
      "refresh", summary: "look for changes that were made by hand, and tell the devices now",
      options: [.json], operands: [Operand("PATH", help: "a drive")],
      examples: [
        Example("fauxdrive cloud refresh ~/Drive", meaning: "Returns when the device shows them.")
      ],
      exitCodes: [.unavailable, .temporaryFailure])
  ) { arguments, console in
    let location = try DriveLocation(of: Tilde.expand(arguments.operands[0]))
    let changes = try DriveClient.World(directory: location.world).cloudRefresh()
    console.output.write(
      arguments.has(.json)
        ? HumanText.json(CloudRefresh.Result(changes: changes)) : "\(changes) changes\n")
    return .success
  }
}
