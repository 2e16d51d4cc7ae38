import Daemon
import Options
import Platform

/// `fauxdrive doctor`
enum DoctorVerb {
  static let all = [doctor]

  private static let check = Option(
    "check", argument: "WORLD",
    help: "look at all that the devices of a world have; it must not run")
  private static let fix = Option("fix", help: "remove mounts whose world is gone")

  private static let doctor = Verb(
    Command(
      "doctor", summary: "check whether drives can be mounted here, and how those that are do",
      discussion: "The exit status is 0 when a drive can be mounted.",
      options: [fix, check, .json],
      examples: [
        Example("fauxdrive doctor", meaning: "Tells what is missing, and what to do about it."),
        Example("fauxdrive doctor --fix", meaning: "Removes dead mounts, too."),
        Example(
          "fauxdrive doctor --check ~/world",
          meaning: "Looks for damage in a world that does not run; the next mount repairs it."),
      ],
      exitCodes: [.unavailable, .noPermission, .badConfiguration, .noInput, .cannotCreate])
  ) { arguments, console in
    var diagnosis = Diagnosis(HostFacts.read())
    if arguments.has(fix) {
      for place in diagnosis.findings.compactMap(\.deadMount) {
        try MountCleaner.unmount(place, force: false)
        if !arguments.has(.json) {
          console.output.write("\(Terminal.printable(place)) was dead, and is unmounted.\n")
        }
      }
      diagnosis = Diagnosis(HostFacts.read())
    }
    if let world = arguments.value(check) {
      for device in try WorldCheck.run(Tilde.expand(world)) { diagnosis.examine(device) }
    }
    if arguments.has(.json) {
      console.output.write(HumanText.json(diagnosis.findings))
    } else {
      show(diagnosis, console.output)
    }
    return diagnosis.obstacle?.exitCode ?? (diagnosis.isDamaged ? .badConfiguration : .success)
  }

  private static func show(_ diagnosis: Diagnosis, _ terminal: Terminal) {
    for finding in diagnosis.findings {
      let mark =
        switch finding.level {
        case .ok: terminal.styled("ok  ", .green)
        case .note: terminal.styled("note", .yellow)
        case .problem, .obstacle: terminal.styled("BAD ", .red)
        }
      // The device's own messages begin with its name.
      let isNamed = finding.message.hasPrefix(finding.topic)
      let text = isNamed ? finding.message : "\(finding.topic): \(finding.message)"
      terminal.write("\(mark)  \(Terminal.printable(text))\n")
      if let remedy = finding.remedy {
        terminal.write("      what to do: \(Terminal.printable(remedy))\n")
      }
    }
    terminal.write(
      diagnosis.obstacle == nil
        ? "Drives can be mounted here.\n" : "Nothing can be mounted here.\n")
  }
}
