import Glibc
import Testing

/// Programs that a test starts and waits for.
enum ChildProcess {
  /// Runs a program that is built beside the tests; its status.
  static func run(_ program: String, _ arguments: [String]) throws -> CInt {
    let own = try #require(realpath("/proc/self/exe", nil))
    defer { free(own) }
    let folder = String(cString: own).split(separator: "/").dropLast().joined(separator: "/")
    return try run(path: "/\(folder)/\(program)", arguments)
  }

  /// Runs a program to its end; its status.
  static func run(path: String, _ arguments: [String]) throws -> CInt {
    var child = pid_t()
    let words = ([path] + arguments).map { strdup($0) }
    defer { words.forEach { free($0) } }
    let result = posix_spawn(&child, path, nil, nil, words + [nil], environ)
    try #require(result == 0, "\(path) cannot be started")
    var status: CInt = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    // As WEXITSTATUS; a signal is told as 128 and its number, as by the shell.
    return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f
  }
}
