import Foundation
import Glibc

/// Programs that the benchmark runs.
enum Shell {
  /// Runs a program to its end.
  ///
  /// - Throws: when it fails, with what it said.
  @discardableResult
  static func run(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    // A file: what a program leaves running in the background would keep a pipe open.
    let path = FileManager.default.temporaryDirectory.path + "/fauxdrive-bench-output-\(getpid())"
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let output = try FileHandle(forWritingTo: URL(filePath: path))
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let data = FileManager.default.contents(atPath: path) ?? Data()
    let text = String(decoding: data, as: UTF8.self)
    guard process.terminationStatus == 0 else {
      throw Failure("\(arguments.joined(separator: " ")) failed: \(text)")
    }
    return text
  }

  /// Whether a program is installed.
  static func has(_ program: String) -> Bool { (try? run(["which", program])) != nil }
}
