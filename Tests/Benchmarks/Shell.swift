import MountKit

/// Programs that the benchmark runs.
enum Shell {
  /// Runs a program to its end.
  ///
  /// - Throws: when it fails, with what it said.
  @discardableResult
  static func run(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> String {
    let ended = try TestProgram.run(arguments, environment: environment)
    guard ended.status == 0 else {
      throw Failure("\(arguments.joined(separator: " ")) failed: \(ended)")
    }
    return ended.output
  }

  /// Whether a program is installed.
  static func has(_ program: String) -> Bool { (try? run(["which", program])) != nil }
}
