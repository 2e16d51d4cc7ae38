import Foundation
import Glibc
import Platform

/// A signal has asked the demonstration to stop.
struct DemoInterruption: Error {
  let signal: CInt
}

/// Runs command lines as a user's shell would, one after another, in a folder.
struct DemoShell {
  /// How a command line ended.
  struct Ended {
    /// The exit status; as in a shell 128 and the signal's number when that ended it.
    let status: Int32
    /// Standard output and standard error, as a terminal would show them.
    let output: String
  }

  private static let patience = Duration.seconds(60)

  let folder: String
  let environment: [String: String]
  let signals: StopSignals

  /// Runs a command line to its end.
  ///
  /// - Throws: `DemoInterruption` when a signal came meanwhile; the command line has ended then, too.
  func run(_ line: String) throws -> Ended {
    if let signal = signals.wait(.zero) { throw DemoInterruption(signal: signal) }
    let output = try FileDescriptor.open(
      folder + "/.output", O_RDWR | O_CREAT | O_TRUNC | O_APPEND)
    let process = try start(line, output.rawValue)
    let status = try wait(for: process, line)
    return Ended(status: status, output: Self.text(output.rawValue))
  }

  private func start(_ line: String, _ output: CInt) throws(Errno) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, output, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // A group of its own, so that a pipeline can be ended as a whole.
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    let script = "cd \"$1\" && eval \"$2\""
    let words = ["sh", "-c", script, "sh", folder, line].map { (word: String) in strdup(word) }
    let variables = environment.map { "\($0)=\($1)" }.map { (text: String) in strdup(text) }
    defer { for text in words + variables { free(text) } }
    var process = pid_t()
    let result = posix_spawn(
      &process, "/bin/sh", &actions, &attributes, words + [nil], variables + [nil])
    guard result == 0 else { throw Errno(rawValue: result) }
    return process
  }

  private func wait(for process: pid_t, _ line: String) throws -> Int32 {
    let deadline = ContinuousClock.now + Self.patience
    var interruption: DemoInterruption?
    while true {
      var status: CInt = 0
      if waitpid(process, &status, WNOHANG) == process {
        if let interruption { throw interruption }
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
      }
      let left = deadline - .now
      // Whoever hangs on the drive is ended; this program's own commands end by themselves, and
      // would leave a mount half made.
      let isOver = left <= .zero || (interruption != nil && !line.hasPrefix("fauxdrive "))
      if isOver { kill(-process, SIGKILL) }
      if let signal = signals.wait(isOver ? Self.patience : left) {
        interruption = DemoInterruption(signal: signal)
      }
    }
  }

  private static func text(_ output: CInt) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = pread(output, &buffer, buffer.count, off_t(bytes.count))
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}
