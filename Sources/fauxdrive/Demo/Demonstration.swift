import Control
import Daemon
import DriveClient
import Foundation
import Ledger
import Options
import Platform

/// Plays stories and checks every step of them against what really happens.
final class Demonstration {
  private let folder: DemoFolder
  private let shell: DemoShell
  private let tell: (String) -> Void
  private let style: (String, Terminal.Style) -> String
  private(set) var results: [DemoResult] = []

  /// - Parameter terminal: where to tell what happens; nil to be silent.
  init(in folder: DemoFolder, _ signals: StopSignals, on terminal: Terminal?) {
    self.folder = folder
    shell = DemoShell(folder: folder.path, environment: folder.environment, signals: signals)
    tell = { terminal?.write($0) }
    style = { terminal?.styled($0, $1) ?? $0 }
  }

  /// Makes the documents.
  ///
  /// - Throws: also when a program is missing on which the steps build.
  func prepare() throws {
    guard has("ReopenLast") else {
      throw WorldError(
        .unavailable,
        "the demo needs ReopenLast, an example that is built with the sources; run scripts/demo there"
      )
    }
    guard has("git") else { throw WorldError(.unavailable, "the demo needs git; install it") }
    try DemoDocuments.make(in: folder.documents)
    try FileManager.default.createDirectory(
      atPath: folder.mountpoint, withIntermediateDirectories: false)
    for line in DemoDocuments.repository(in: "Documents") {
      let ended = try shell.run(line)
      guard ended.status == 0 else { throw WorldError(.failure, "\(line): \(ended.output)") }
    }
  }

  /// Plays a story; returns whether everything was as told.
  func play(_ story: DemoStory) throws -> Bool {
    tell("\n" + style("== \(story.profile): \(story.introduction)", .bold) + "\n")
    for step in story.steps {
      guard has(step.program) else {
        tell("\n(\(step.program) is not there, so this is left out: \(step.line))\n")
        continue
      }
      guard try play(step, story.profile) else { return false }
    }
    return true
  }

  private func has(_ program: String) -> Bool {
    let folders = (folder.environment["PATH"] ?? "").split(separator: ":")
    return ["test"].contains(program)
      || folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
  }

  private func play(_ step: DemoStep, _ profile: String) throws -> Bool {
    tell("\n" + style("$ \(step.line)", .bold) + "\n")
    let last = step.consequence == nil ? nil : try lastRecord()
    let ended = try shell.run(step.line)
    tell(Terminal.printable(ended.output, keepingLines: true))
    if !ended.output.isEmpty, !ended.output.hasSuffix("\n") { tell("\n") }
    let surprise = surprise(step, ended, since: last)
    results.append(
      DemoResult(
        profile: profile, line: step.line, status: ended.status, output: ended.output,
        shows: step.shows, surprise: surprise))
    if let surprise {
      tell(style("   NOT AS EXPECTED: \(surprise)", .red) + "\n")
      return false
    }
    tell(style("   \(step.shows)", .green) + "\n")
    return true
  }

  /// What is not as the step says, if anything.
  private func surprise(
    _ step: DemoStep, _ ended: DemoShell.Ended, since record: UInt64?
  ) -> String? {
    switch step.status {
    case .success where ended.status != 0: return "it failed with the status \(ended.status)"
    case .failure where ended.status == 0: return "it should have failed"
    default: break
    }
    if step.says.isEmpty, !ended.output.isEmpty { return "it should have printed nothing" }
    for text in step.says where ended.output.range(of: text, options: .regularExpression) == nil {
      return "it did not print '\(Terminal.printable(text))'"
    }
    guard let consequence = step.consequence, let record else { return nil }
    let kind = consequence.kind
    switch Result(catching: { try answer(consequence, after: record) }) {
    case .success("completed"): return nil
    case .success(let answer): return "the \(kind) of \(consequence.path) is \(answer)"
    case .failure(let error): return "no \(kind) of \(consequence.path) came of it: \(error)"
    }
  }
}

extension Demonstration {
  private func world() throws(ControlError) -> DriveClient.World {
    try DriveClient.World(directory: try DriveLocation(of: folder.mountpoint).world)
  }

  /// The number of the newest complete record.
  private func lastRecord() throws -> UInt64 { try world().records().last?.id ?? 0 }

  /// Waits until the ledger tells of it, and returns how it ended.
  private func answer(
    _ consequence: DemoStep.Consequence, after record: UInt64
  ) throws -> String {
    var filter = LedgerFilter()
    filter.kinds = RecordKind(rawValue: consequence.kind).map { [$0] }
    filter.path = consequence.path
    filter.after = record
    filter.isComplete = true
    let records = try world().awaitRecords(filter, timeout: .seconds(20))
    return records.first?.answer ?? "unknown"
  }

  /// Unmounts what is mounted, whatever state it is in.
  func tidyUp() throws {
    guard let location = try? DriveLocation(of: folder.mountpoint) else { return }
    do {
      try DriveClient.World(directory: location.world).stop(force: true)
    } catch {
      // A world that does not answer does not end by itself either.
      try MountCleaner.unmount(folder.mountpoint, force: true)
    }
    MountCleaner.awaitEnd(ofWorld: location.world)
  }
}
