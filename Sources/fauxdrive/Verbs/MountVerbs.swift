import Control
import Daemon
import DriveClient
import Foundation
import Glibc
import Options
import Platform

/// `fauxdrive mount|unmount|status`
enum MountVerbs {
  static let all = [mount, unmount, status]

  private static let cloud = Option(
    "cloud", argument: "CLOUD",
    help: "DIR: what lies in it is in the cloud; copy:DIR: a copy of it; memory: an empty one")
  private static let profile = Option(
    "profile", argument: "PROFILE", help: "whose behaviour: a name or a .json5 file (icloud)")
  private static let world = Option(
    "world", argument: "DIR", help: "where the world is kept (one for each mountpoint)")
  private static let device = Option(
    "device", argument: "NAME", help: "what this device is called (device)")
  private static let scoped = Option(
    "scoped", help: "a process may touch only what it has a grant for")
  private static let seed = Option(
    "seed", argument: "N", help: "the seed of everything that is drawn at random (0)")
  private static let clock = Option(
    "clock", argument: "system|manual", help: "whether time passes or is advanced")
  private static let foreground = Option(
    "foreground", short: "f", help: "stay in the foreground until unmounted")
  private static let audit = Option(
    "audit", help: "let every request reach the ledger: the kernel keeps nothing")
  private static let allowOther = Option(
    "allow-other", help: "let other users use the mount")
  private static let readOnly = Option("read-only", help: "let nobody change anything on the drive")
  private static let assumeKernel = Option(
    "assume-kernel", argument: "6.1", help: "do without what newer kernels brought")

  private enum ClockChoice: String, CaseIterable { case system, manual }
  private enum KernelChoice: String, CaseIterable { case linux6_1 = "6.1" }

  /// The options that mount(8) takes as mount options, too.
  static let mountOptions = [
    profile, world, device, scoped, seed, clock, audit, allowOther, assumeKernel,
  ]

  private static let mount = Verb(
    Command(
      "mount", summary: "mount a drive",
      discussion: """
        The drive is served in the background until it is unmounted. What a world was before \
        (cloud, profile, seed, clock) it is again when it is mounted again.
        """,
      options: [cloud] + mountOptions + [readOnly, foreground, .json],
      operands: [Operand("MOUNTPOINT", help: "an empty folder")],
      examples: [
        Example(
          "fauxdrive mount ~/Drive --cloud copy:~/docs --profile synology",
          meaning: "Shows the documents of ~/docs as a Synology drive does; ~/docs is not touched.")
      ],
      exitCodes: [
        .badData, .noInput, .unavailable, .cannotCreate, .noPermission, .badConfiguration,
      ])
  ) { arguments, console in
    let request = try request(from: arguments)
    if arguments.has(foreground) {
      try WorldServer().run(request) { layout, _ in
        if !arguments.has(.json) { tellMounted(request, layout.directory, console) }
        Readiness.tell()
        return true
      }
      return .success
    }
    for notice in try mount(request, as: arguments.value(profile)) { console.tell(notice) }
    let location = try DriveLocation(of: request.mountpoint)
    if arguments.has(.json) {
      console.output.write(
        HumanText.json(try DriveClient.World(directory: location.world).status()))
    } else {
      tellMounted(request, location.world, console)
    }
    return .success
  }

  /// Mounts in a world that runs, or starts it.
  ///
  /// - Returns: what somebody should know about the device, each in a sentence.
  static func mount(_ request: MountRequest, as profile: String?) throws -> [String] {
    let directory = WorldServer.layout(of: request).directory
    // Where a drive is mounted already the start of a world says what is wrong.
    guard (try? DriveLocation(of: request.mountpoint))?.path != "/",
      let world = try? DriveClient.World(directory: directory),
      let status = try? world.call(WorldStatus.self, Nothing(), timeout: patience)
    else { return try Background.mount(request) }
    guard request.seed == nil, request.hasManualClock == nil, request.isScoped == nil else {
      throw UsageError("the world at '\(directory)' runs: it has its seed, its clock and its scope")
    }
    if let cloud = request.cloud, cloud != status.cloud {
      throw UsageError(
        "the world at '\(directory)' runs and has the cloud '\(status.cloud)'; leave out --cloud")
    }
    return try world.mountDevice(DeviceVerbs.params(for: request, as: profile)).notices
  }

  /// What words of the command line ask for, such as `--profile synology ~/Drive`.
  static func request(words: [String]) throws(UsageError) -> MountRequest {
    let silent = Terminal(isTerminal: false, usesColor: false, columns: 80) { _ in }
    let tree = CommandTree(root: mount.command, version: Commands.version)
    guard case .run(let invocation) = tree.parse(words, output: silent, errors: silent) else {
      throw UsageError("\(words.joined(separator: " ")): no command line of mount")
    }
    return try request(from: invocation.arguments)
  }

  private static func request(from arguments: Arguments) throws(UsageError) -> MountRequest {
    var request = MountRequest(mountpoint: Tilde.expand(arguments.operands[0]))
    request.cloud = arguments.value(cloud).map(Tilde.expandCloud)
    request.profile = arguments.value(profile)
    request.world = arguments.value(world).map(Tilde.expand)
    request.device = arguments.value(device)
    request.isScoped = arguments.has(scoped) ? true : nil
    request.seed = try arguments.number(seed)
    request.hasManualClock = try arguments.choice(clock, as: ClockChoice.self).map { $0 == .manual }
    request.isAudited = arguments.has(audit)
    request.allowsOthers = arguments.has(allowOther)
    request.isReadOnly = arguments.has(readOnly)
    request.assumedKernel = try arguments.choice(assumeKernel, as: KernelChoice.self)?.rawValue
    return request
  }

  private static func tellMounted(_ request: MountRequest, _ world: String, _ console: Console) {
    let name = Terminal.printable(request.mountpoint)
    let mountpoint = Terminal.printable(ShellWord.quoted(request.mountpoint))
    console.output.write(
      """
      \(name) is mounted.
        fauxdrive ls \(mountpoint)       what is here and what is not
        fauxdrive ledger \(mountpoint)   who asked for what
        fauxdrive unmount \(mountpoint)

      """)
  }

  private static let force = Option(
    "force", help: "although programs use it, or its world does not answer")
  private static let remove = Option(
    "remove-world", help: "and remove the world: its state, its downloads, its copy of the cloud")

  private static let unmount = Verb(
    Command(
      "unmount", summary: "unmount a drive",
      discussion: "With the last of its devices a world ends; the next mount goes on from there.",
      options: [force, remove],
      operands: [Operand("MOUNTPOINT", help: "where it is mounted")],
      examples: [
        Example("fauxdrive unmount ~/Drive", meaning: "Unmounts; the next mount goes on from here.")
      ],
      exitCodes: [.failure, .noInput, .temporaryFailure])
  ) { arguments, _ in
    let path = Tilde.expand(arguments.operands[0])
    let location = try DriveLocation(of: path)
    guard location.path == "/" else {
      throw UsageError("'\(path)' lies in the drive on '\(location.mountpoint)'; name that")
    }
    if arguments.has(remove) { try refuseRemoval(location) }
    if try end(location, force: arguments.has(force)) {
      MountCleaner.awaitEnd(ofWorld: location.world)
    }
    if arguments.has(remove) { try WorldRemoval.remove(location.world) }
    return .success
  }

  /// A world that others use is not removed.
  private static func refuseRemoval(_ location: DriveLocation) throws(ControlError) {
    let others = MountTable.current().drives.filter {
      $0.source?.world == location.world && $0.source?.device != location.device
    }
    guard let other = others.first else { return }
    throw ControlError(
      .refused, "the world has another device, mounted on '\(other.mountpoint)'",
      remedy: "unmount that first")
  }

  /// How long a world may take to unmount, in real time; nobody else's answer is waited for.
  private static let patience: Duration = .seconds(10)

  /// - Returns: whether the world ends.
  private static func end(_ location: DriveLocation, force: Bool) throws -> Bool {
    let world: DriveClient.World
    do throws(ControlError) {
      world = try DriveClient.World(directory: location.world)
    } catch {
      guard error.code == .notRunning || force else { throw error }
      try MountCleaner.unmount(location.mountpoint, force: force)
      return true
    }
    do throws(ControlError) {
      return try world.unmountDevice(location.device, force: force, timeout: patience)
    } catch {
      // Disconnected: the world ended before it could say so.
      if error.code != .disconnected { try end(location, world, after: error, force: force) }
      return true
    }
  }

  private static func end(
    _ location: DriveLocation, _ world: DriveClient.World, after error: ControlError, force: Bool
  ) throws {
    guard force else {
      guard error.code == .timedOut else { throw error }
      throw ControlError(
        .timedOut, "the world of '\(location.mountpoint)' does not answer",
        remedy: "unmount with --force, which ends its process")
    }
    try MountCleaner.unmount(location.mountpoint, force: true)
    if error.code == .timedOut { kill(world.process, SIGKILL) }
  }

  private static let status = Verb(
    Command(
      "status", summary: "show how a drive, or documents on it, are", options: [.json],
      operands: [
        Operand(
          "PATH", help: "a mountpoint, or documents on a drive; all drives without", minimum: 0,
          maximum: nil)
      ],
      examples: [
        Example("fauxdrive status", meaning: "Lists the drives that are mounted."),
        Example("fauxdrive status ~/Drive", meaning: "Shows the world: cloud, profile, network."),
        Example("fauxdrive status ~/Drive/Game.plist", meaning: "Shows whether it is here."),
      ],
      exitCodes: [.noInput, .unavailable])
  ) { arguments, console in
    if arguments.operands.isEmpty { return showDrives(arguments, console) }
    let paths = arguments.operands.map(Tilde.expand)
    let drive = try DriveClient.Drive(at: paths[0])
    let inside = try paths.map { path throws(ControlError) in try drive.path(of: path) }
    if inside == ["/"] { return try showWorld(drive, arguments, console) }
    return try ItemVerbs.show(try drive.status(inside), arguments, console)
  }

  /// A drive in the list of all.
  private struct DriveEntry: Encodable {
    let mountpoint: String
    let state: String
    let world: String?
  }

  private static func showDrives(_ arguments: Arguments, _ console: Console) -> ExitCode {
    let drives = MountCleaner.drives()
    if arguments.has(.json) {
      let entries = drives.map {
        DriveEntry(mountpoint: $0.mountpoint, state: $0.health, world: $0.world)
      }
      console.output.write(HumanText.json(entries))
      return .success
    }
    guard !drives.isEmpty else {
      console.output.write("No drive is mounted.\n")
      return .success
    }
    var table = Table(["MOUNTPOINT", "STATE", "WORLD"])
    for drive in drives { table.add([drive.mountpoint, drive.health, drive.world ?? "-"]) }
    console.output.write(table.text(for: console.output))
    return .success
  }

  private static func showWorld(
    _ drive: DriveClient.Drive, _ arguments: Arguments, _ console: Console
  ) throws -> ExitCode {
    let status = try drive.world.status()
    if arguments.has(.json) {
      console.output.write(HumanText.json(status))
      return .success
    }
    var table = Table(["WORLD", Terminal.printable(status.directory)])
    table.add(["cloud", Terminal.printable(status.cloud)])
    table.add(["profile", status.profile])
    table.add(["network", status.isOnline ? "online" : "offline"])
    table.add([
      "clock", "\(status.clock.rawValue), \(HumanText.duration(.nanoseconds(status.now)))",
    ])
    table.add(["process", String(status.process)])
    for device in status.devices {
      table.add(["device", "\(device.name) on \(Terminal.printable(device.mountpoint ?? "-"))"])
      table.add([
        "",
        "\(device.transfers) transfers, \(device.heldReplies) held replies"
          + (device.isScoped ? ", scoped" : "") + (device.isAudited ? ", audited" : ""),
      ])
      for notice in device.notices { table.add(["", Terminal.printable(notice)]) }
    }
    console.output.write(table.text(for: console.output))
    return .success
  }
}
