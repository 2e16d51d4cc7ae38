import Foundation
import Glibc
import MountKit

/// What a drive alone does: how soon a check starts a transfer, and how fast content comes.
struct Transfers {
  let program: String
  let folder: String
  private static let documents = 200
  private static let bigSize = 256 << 20

  /// Prints one line for each figure.
  func run(rounds: Int) throws {
    let cloud = folder + "/transfer-cloud"
    try FileManager.default.createDirectory(atPath: cloud, withIntermediateDirectories: true)
    for number in 0..<Self.documents {
      try Data("document \(number)".utf8).write(to: URL(filePath: "\(cloud)/d\(number)"))
    }
    try Data(count: Self.bigSize).write(to: URL(filePath: cloud + "/big"))
    try measureChecks(cloud)
    try measureThroughput(cloud, rounds)
  }

  private struct Line: Codable {
    let id: UInt64
    let kind: String
    let worldTime: Int64
    let cause: UInt64
  }

  /// The time from an existence check to the transfer that it starts, as the ledger tells it.
  private func measureChecks(_ cloud: String) throws {
    let drive = try FauxDrive(
      "checks", cloud: cloud, at: folder + "/checks", world: folder + "/checks-world",
      profile: "synology", program: program)
    defer { drive.end() }
    try Shell.run(["ls", drive.root])
    for number in 0..<Self.documents {
      _ = try TestProgram.run(["stat", "\(drive.root)/d\(number)"])
    }
    let text = try Shell.run([program, "ledger", "--json", drive.root])
    let records = text.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    let times = Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0.worldTime) })
    let delays = records.filter { $0.kind == "transfer" }.compactMap { transfer in
      times[transfer.cause].map { Double(transfer.worldTime - $0) / 1000 }
    }.sorted()
    guard delays.count == Self.documents else { throw Failure("\(delays.count) transfers") }
    print(
      String(format: "a check starts its transfer after %.0f us (median)", delays[delays.count / 2])
    )
  }

  /// A download against `cp` of the same file on the same disk.
  private func measureThroughput(_ cloud: String, _ rounds: Int) throws {
    let drive = try FauxDrive(
      "download", cloud: cloud, at: folder + "/download", world: folder + "/download-world",
      profile: "icloud", program: program)
    defer { drive.end() }
    try Shell.run(["ls", drive.root])
    var ratios: [Double] = []
    for _ in 0..<rounds {
      let copy = try seconds {
        try Shell.run(["cp", "--reflink=never", cloud + "/big", folder + "/copy"])
      }
      let download = try seconds { try Shell.run([program, "download", drive.root + "/big"]) }
      try Shell.run([program, "evict", drive.root + "/big"])
      try FileManager.default.removeItem(atPath: folder + "/copy")
      ratios.append(copy / download)
    }
    let median = ratios.sorted()[ratios.count / 2]
    print(String(format: "a download of 256 MiB is %.2f times as fast as cp", median))
  }

  private func seconds(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let time = try clock.measure(body)
    return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
  }
}
