import Daemon
import Platform

/// What the facts about a machine mean for somebody who wants to mount.
struct Diagnosis {
  /// How much a finding matters.
  enum Level: String, Encodable {
    /// All is well.
    case ok
    /// Good to know.
    case note
    /// Something is broken; mounting is possible all the same.
    case problem
    /// Nothing can be mounted.
    case obstacle
  }

  /// One thing that was looked at.
  struct Finding: Encodable {
    let topic: String
    let level: Level
    let message: String
    /// What to do about it.
    var remedy: String?
    /// Where a dead mount is that can be removed.
    var deadMount: String?
  }

  /// What keeps everything from being mounted.
  struct Obstacle {
    let message: String
    let exitCode: ExitCode
  }

  private(set) var findings: [Finding] = []
  /// The first of the obstacles.
  private(set) var obstacle: Obstacle?
  /// Whether a device that was looked at is damaged.
  private(set) var isDamaged = false

  init(_ facts: HostFacts) {
    examine(facts.device, "/dev/fuse", isNeeded: true) { "\($0) can be opened" }
    if facts.mountsDirectly {
      add("fusermount3", .ok, "is not needed, since this user may mount")
    } else {
      examine(facts.helper, "fusermount3", isNeeded: true) { "\($0) mounts for this user" }
    }
    examineOthers(facts)
    let features = facts.kernelFeatures
    add(
      "kernel", .ok,
      facts.kernel + (features.isEmpty ? "" : ", with \(features.joined(separator: " and "))"))
    examine(facts.stateFolder, "worlds", isNeeded: false) { "are kept in \($0)" }
    for drive in facts.drives { examine(drive) }
    for world in facts.worlds { examine(world, facts.drives) }
  }

  /// Adds what was found of a device.
  mutating func examine(_ device: WorldCheck.Found) {
    if device.problems.isEmpty { add("device", .ok, "\(device.device) is whole") }
    for problem in device.problems {
      add("device", .problem, "\(device.device): \(problem)")
      isDamaged = true
    }
  }

  private mutating func add(
    _ topic: String, _ level: Level, _ message: String, remedy: String? = nil,
    deadMount: String? = nil
  ) {
    findings.append(
      Finding(topic: topic, level: level, message: message, remedy: remedy, deadMount: deadMount))
  }

  private mutating func examine(
    _ fitness: HostFacts.Fitness, _ topic: String, isNeeded: Bool, fit: (String) -> String
  ) {
    switch fitness {
    case .fit(let name): add(topic, .ok, fit(name))
    case .unfit(let message, let exitCode):
      // What to do stands in the message, as in that of a mount that fails.
      add(topic, isNeeded ? .obstacle : .problem, message)
      if isNeeded, obstacle == nil { obstacle = Obstacle(message: message, exitCode: exitCode) }
    }
  }

  private mutating func examineOthers(_ facts: HostFacts) {
    if facts.mountsDirectly || facts.usersMayAllowOthers {
      add("--allow-other", .ok, "is permitted")
    } else {
      add(
        "--allow-other", .note, "is not permitted",
        remedy: "let root put the line user_allow_other into /etc/fuse.conf")
    }
  }

  private mutating func examine(_ drive: MountCleaner.Found) {
    let place = drive.mountpoint
    switch drive.health {
    case "serving": add("mount", .ok, "\(place) is served")
    case "dead":
      add(
        "mount", .problem, "\(place) is dead: the process that served it is gone",
        remedy: "fauxdrive doctor --fix, or mount there again", deadMount: place)
    default:
      add(
        "mount", .problem, "\(place) does not answer",
        remedy: "fauxdrive unmount --force '\(place)'")
    }
  }

  private mutating func examine(_ world: HostFacts.FoundWorld, _ drives: [MountCleaner.Found]) {
    let isMounted = drives.contains { $0.world == world.directory }
    switch (world.isRunning, isMounted) {
    case (true, true): add("world", .ok, "\(world.directory) runs")
    case (true, false):
      add("world", .note, "\(world.directory) runs, and is not mounted where this process sees it")
    case (false, _):
      add(
        "world", .note, "\(world.directory) does not run; a mount of its drive goes on from it",
        remedy: "remove the folder if it is not wanted any more")
    }
  }
}
