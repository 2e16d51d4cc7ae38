import Control
import Daemon
import Foundation
import Options
import Platform

/// `fauxdrive demo`
enum DemoVerb {
  static let all = [demo]

  private static let profile = Option(
    "profile", argument: "NAME", help: "only this one: synology or icloud")
  private static let keep = Option("keep", help: "keep the folder with the documents")

  private static let demo = Verb(
    Command(
      "demo", summary: "show what programs meet on a cloud drive, and prove it",
      discussion: """
        Mounts drives in a folder of its own, runs ordinary programs on them, and checks that each \
        behaves as told. Nothing is left behind, also when it is interrupted.
        """,
      options: [profile, keep, .json],
      examples: [
        Example("fauxdrive demo", meaning: "Shows all of it, in less than a minute."),
        Example("fauxdrive demo --profile synology", meaning: "Shows a Synology drive."),
      ],
      exitCodes: [.failure, .unavailable, .noPermission])
  ) { arguments, console in
    let stories = try stories(arguments)
    if let obstacle = Diagnosis(HostFacts.read()).obstacle {
      console.tell(obstacle.message)
      return obstacle.exitCode
    }
    let signals = StopSignals()
    let folder = try DemoFolder()
    let isSilent = arguments.has(.json)
    let demonstration = Demonstration(in: folder, signals, on: isSilent ? nil : console.output)
    let outcome = Result { try play(stories, demonstration) }
    try? demonstration.tidyUp()
    if arguments.has(keep) {
      console.errors.write("Everything is kept in \(folder.path)\n")
    } else {
      try folder.remove()
    }
    if case .failure(let error as DemoInterruption) = outcome {
      console.errors.write("\nInterrupted; nothing is left behind.\n")
      signals.end(by: error.signal)
    }
    if isSilent { console.output.write(HumanText.json(demonstration.results)) }
    return try outcome.get() ? .success : .failure
  }

  private static func stories(_ arguments: Arguments) throws(UsageError) -> [DemoStory] {
    guard let name = arguments.value(profile) else { return DemoStory.all }
    let found = DemoStory.all.filter { $0.profile == name }
    guard found.isEmpty else { return found }
    let names = DemoStory.all.map(\.profile).joined(separator: " or ")
    throw UsageError("--profile: the demo shows \(names), and not '\(name)'")
  }

  private static func play(_ stories: [DemoStory], _ demonstration: Demonstration) throws -> Bool {
    try demonstration.prepare()
    return try stories.allSatisfy(demonstration.play)
  }
}
