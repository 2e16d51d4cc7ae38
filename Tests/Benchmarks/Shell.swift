import Foundation

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
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    guard process.terminationStatus == 0 else {
      throw Failure("\(arguments.joined(separator: " ")) failed: \(text)")
    }
    return text
  }

  /// Whether a program is installed.
  static func has(_ program: String) -> Bool { (try? run(["which", program])) != nil }
}
