import Foundation
import Glibc

/// Compares a drive with the native file system and with bindfs, row by row in turn.
///
/// usage: Benchmarks PROGRAM [--rounds N] [--only TEXT] [--json FILE]
@main
struct Benchmarks {
  static func main() {
    do {
      try run()
    } catch {
      print("The benchmark failed: \(error)")
      exit(1)
    }
  }

  private static func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1 else {
      throw Failure("usage: Benchmarks PROGRAM [--rounds N] [--only TEXT]")
    }
    let rounds = value("--rounds", arguments).flatMap { Int($0) } ?? 5
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    print("Making the data set in \(folder) ...")
    let data = folder + "/data"
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    try DataSet.make(in: data)
    let candidates = try candidates(data, folder, program: arguments[1])
    defer { for candidate in candidates { candidate.end() } }
    for candidate in candidates { try Workloads.warmUp(candidate.root) }
    try WritingWorkloads.makeArchive(of: data, in: folder)
    let only = value("--only", arguments)
    var report = Report(candidates.map(\.name))
    func measure(_ workloads: [Workload], _ candidates: [any Candidate]) throws {
      for workload in workloads where only.map(workload.name.contains) ?? true {
        for _ in 0..<rounds {
          for candidate in candidates {
            report.add(workload, candidate.name, try workload.measure(candidate))
          }
        }
        report.print(workload)
      }
    }
    try measure(Workloads.all, candidates)
    for candidate in candidates { candidate.end() }
    let writers = try writers(folder, program: arguments[1])
    defer { for writer in writers { writer.end() } }
    try measure(WritingWorkloads.all, writers)
    if only == nil { try Transfers(program: arguments[1], folder: folder).run(rounds: rounds) }
  }

  /// Each with a folder of its own: what one writes is no work for the others.
  private static func writers(_ folder: String, program: String) throws -> [any Candidate] {
    let places = ["natively", "by-bindfs", "by-drive"].map { folder + "/written-" + $0 }
    for place in places {
      try FileManager.default.createDirectory(
        atPath: place, withIntermediateDirectories: true)
    }
    var writers: [any Candidate] = [Native(places[0])]
    if Shell.has("bindfs") {
      writers.append(try Bindfs(places[1], at: folder + "/bindfs-for-writing"))
    }
    writers.append(
      try FauxDrive(
        "fauxdrive", cloud: places[2], at: folder + "/drive-for-writing",
        world: folder + "/world-for-writing", profile: "local", program: program))
    return writers
  }

  private static func candidates(
    _ data: String, _ folder: String, program: String
  ) throws -> [any Candidate] {
    var candidates: [any Candidate] = [Native(data)]
    if Shell.has("bindfs") {
      candidates.append(try Bindfs(data, at: folder + "/bindfs"))
    } else {
      print("bindfs is not installed; only the native file system is compared.")
    }
    candidates.append(
      try FauxDrive(
        "fauxdrive", cloud: data, at: folder + "/drive", world: folder + "/world",
        profile: "local", program: program))
    return candidates
  }

  private static func value(_ option: String, _ arguments: [String]) -> String? {
    arguments.firstIndex(of: option).map { $0 + 1 }.flatMap {
      $0 < arguments.count ? arguments[$0] : nil
    }
  }

  private static func temporaryFolder() throws -> String {
    let path = FileManager.default.temporaryDirectory.path + "/fauxdrive-bench-\(getpid())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }
}
