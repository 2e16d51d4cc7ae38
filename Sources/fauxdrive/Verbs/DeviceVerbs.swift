import Control
import Daemon
import DriveClient
import Foundation
import Options
import Platform
import Profiles

/// `fauxdrive device add|remove|list`
enum DeviceVerbs {
  static let all = [add, remove, list]

  private static let world = Option(
    "world", argument: "PATH",
    help: "a drive of the world, or the world's folder (the only one that runs)")
  private static let profile = Option(
    "profile", argument: "PROFILE",
    help: "whose way to show the account: a name or a .json5 file (as the account is)")
  private static let audit = Option(
    "audit", help: "let every request reach the ledger: the kernel keeps nothing")
  private static let allowOther = Option("allow-other", help: "let other users use the mount")
  private static let name = Operand("NAME", help: "what the device is called")

  private static let add = Verb(
    Command(
      "add", summary: "mount one more device of a world that runs",
      discussion: """
        The new device begins with nothing, as a computer does on which the user has just signed in. \
        What is done on one device reaches the others through the cloud. A device that was unmounted \
        goes on where it was.
        """,
      options: [profile, world, audit, allowOther, .json],
      operands: [name, Operand("MOUNTPOINT", help: "an empty folder")],
      examples: [
        Example(
          "fauxdrive device add laptop ~/Laptop --world ~/Drive --profile onedrive",
          meaning: "Shows the same account as on a computer.")
      ],
      exitCodes: [.noInput, .unavailable, .cannotCreate, .noPermission])
  ) { arguments, console in
    var request = MountRequest(mountpoint: Tilde.expand(arguments.operands[1]))
    request.device = arguments.operands[0]
    request.isAudited = arguments.has(audit)
    request.allowsOthers = arguments.has(allowOther)
    let params = try params(for: request, as: arguments.value(profile))
    let device = try connect(arguments).mountDevice(params)
    if arguments.has(.json) {
      console.output.write(HumanText.json(device))
      return .success
    }
    for notice in device.notices { console.tell(notice) }
    console.output.write(
      "\(Terminal.printable(device.name)) is mounted on "
        + "\(Terminal.printable(device.mountpoint ?? "")).\n")
    return .success
  }

  /// What a world that runs is asked for.
  static func params(for request: MountRequest, as profile: String?) throws -> DeviceMount.Params {
    var params = DeviceMount.Params(
      device: request.deviceName, mountpoint: URL(filePath: request.mountpoint).path)
    params.isAudited = request.isAudited
    params.allowsOthers = request.allowsOthers
    params.isReadOnly = request.isReadOnly
    params.forbidsExecution = request.forbidsExecution
    params.assumedKernel = request.assumedKernel
    if let profile {
      params.profile = profile
      // The world may have another working directory.
      params.profileText = try Profile.find(profile).json5
    }
    return params
  }

  private static let force = Option(
    "force", help: "although it has changes that are not in the cloud, which are lost")

  private static let remove = Verb(
    Command(
      "remove", summary: "remove a device that is not mounted, with its state",
      options: [force, world], operands: [name],
      examples: [
        Example(
          "fauxdrive device remove laptop --world ~/Drive",
          meaning: "Forgets it and its downloads; the documents stay in the cloud.")
      ],
      exitCodes: [.failure, .noInput, .unavailable, .cannotCreate])
  ) { arguments, _ in
    try connect(arguments).removeDevice(arguments.operands[0], force: arguments.has(force))
    return .success
  }

  private static let list = Verb(
    Command(
      "list", summary: "list the devices of a world", options: [world, .json],
      examples: [
        Example(
          "fauxdrive device list --world ~/Drive",
          meaning: "Shows where each is mounted, and what it is.")
      ],
      exitCodes: [.noInput, .unavailable])
  ) { arguments, console in
    let devices = try connect(arguments).devices()
    if arguments.has(.json) {
      console.output.write(HumanText.json(devices))
      return .success
    }
    var table = Table(["DEVICE", "PROFILE", "MOUNTPOINT"])
    for device in devices {
      table.add([
        Terminal.printable(device.name), device.profile,
        Terminal.printable(device.mountpoint ?? "not mounted"),
      ])
    }
    console.output.write(table.text(for: console.output))
    return .success
  }

  /// The world that is meant: the one that is named, or the only one that runs.
  private static func connect(_ arguments: Arguments) throws -> DriveClient.World {
    if let path = arguments.value(world).map(Tilde.expand) {
      if let location = try? DriveLocation(of: path) {
        return try DriveClient.World(directory: location.world)
      }
      return try DriveClient.World(directory: URL(filePath: path).path)
    }
    let worlds = Set(MountTable.current().drives.compactMap { $0.source?.world })
    let running = worlds.sorted().compactMap { try? DriveClient.World(directory: $0) }
    if running.count == 1 { return running[0] }
    guard running.isEmpty else {
      throw UsageError(
        "several worlds run; say which: --world PATH, as 'fauxdrive status' lists them")
    }
    throw ControlError(
      .notRunning, "no world runs", remedy: "make one first: fauxdrive mount MOUNTPOINT --cloud DIR"
    )
  }
}
