import Foundation
import Glibc
import Testing

/// The built program, run as a child.
struct ProgramRun {
  let status: Int32
  let output: String
  let errors: String

  /// Runs the program that lies beside the tests, with a clean environment.
  init(_ arguments: [String]) throws {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let program = (tests as NSString).deletingLastPathComponent + "/fauxdrive"
    let (output, errors) = (Pipe(), Pipe())
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ["PATH": "/usr/bin:/bin", "COLUMNS": "80"]
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    // What is printed here is far smaller than a pipe, so that reading one after the other is fine.
    self.output = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    self.errors = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }
}
