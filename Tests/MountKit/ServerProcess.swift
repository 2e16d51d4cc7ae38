import Foundation
public import Glibc

/// What /proc tells of the process that serves a drive.
public struct ServerProcess {
  /// The process number.
  public let number: pid_t

  /// How many threads it has.
  public var threads: Int { entries("task") }
  /// How many files it has open.
  public var openFiles: Int { entries("fd") }
  /// Whether it still runs; one that has ended and that nobody has waited for does not.
  public var isRunning: Bool {
    let text = (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)) ?? ""
    // The name before the state may hold anything, also parentheses.
    let rest = text.split(separator: ")").last ?? ""
    return !rest.isEmpty && !rest.hasPrefix(" Z") && !rest.hasPrefix(" X")
  }

  /// Blocks until it has ended; one that nobody has waited for counts as ended.
  ///
  /// Its lock is free, and its mount gone, a little before that.
  public func awaitEnd() throws {
    let ended = try TestProgram.run(["tail", "--pid=\(number)", "-s", "0.1", "-f", "/dev/null"])
    guard ended.status == 0 else { throw TestFailure("\(ended)") }
  }

  /// The memory that is its own, in bytes.
  public var memory: Int {
    let text = (try? String(contentsOfFile: "/proc/\(number)/smaps_rollup", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix("Private_Dirty") }.reduce(0) {
      $0 + (Int($1.split(separator: " ")[1]) ?? 0) * 1024
    }
  }

  private func entries(_ folder: String) -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/\(folder)")) ?? [])
      .count
  }
}

extension MountedDrive {
  /// What /proc tells of the process that serves this drive.
  public var server: ServerProcess { ServerProcess(number: process) }
}
