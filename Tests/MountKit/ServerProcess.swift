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
  /// Whether it runs; one that has ended and that nobody has waited for does not.
  public var isRunning: Bool {
    let text = (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)) ?? ""
    guard let close = text.lastIndex(of: ")") else { return false }
    return !text[close...].hasPrefix(") Z")
  }

  /// The memory that is its own, in bytes.
  public var memory: Int {
    let text = (try? String(contentsOfFile: "/proc/\(number)/smaps_rollup", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix("Private_") }.reduce(0) {
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
