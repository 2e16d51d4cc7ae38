import CFuse
import Glibc
import Platform
import Testing

/// A program that a test starts, talks to and always ends.
final class TestProcess: @unchecked Sendable {
  let process: pid_t
  private let input: CInt
  private let output: CInt
  private var pending: [UInt8] = []
  private let status = Locked<CInt?>(nil)

  /// Starts a program; standard error goes where standard output goes.
  init(_ program: String, _ arguments: [String]) throws {
    var (toChild, fromChild): ([CInt], [CInt]) = ([-1, -1], [-1, -1])
    // Sockets, since no pipe can be made that another test's program cannot inherit.
    try #require(cfuse_socket_pair(false, &toChild) == 0)
    try #require(cfuse_socket_pair(false, &fromChild) == 0)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 2)
    // The threads of a test runner block signals, and a program would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var strings = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for string in strings { free(string) } }
    var process = pid_t()
    let result = posix_spawn(&process, program, &actions, &attributes, &strings, environ)
    close(toChild[0])
    close(fromChild[1])
    (input, output) = (toChild[1], fromChild[0])
    self.process = process
    try #require(result == 0, "\(program): \(Errno(rawValue: result))")
  }

  deinit {
    if status.withLock({ $0 }) == nil {
      kill(process, SIGKILL)
      wait()
    }
    close(input)
    close(output)
  }

  /// Runs a shell command to its end; returns its exit status and what it printed.
  static func shell(_ command: String) throws -> (status: CInt, output: String) {
    let process = try TestProcess("/bin/sh", ["-c", command])
    let output = process.rest()
    return (process.wait(), output)
  }

  func send(_ line: String) {
    var text = line + "\n"
    text.withUTF8 { _ = write(input, $0.baseAddress, $0.count) }
  }

  /// The next line that the program prints; nil when it prints no more. Fails after 20 seconds.
  func line() throws -> String? {
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: pending[..<end], as: UTF8.self)
        pending.removeFirst(end + 1)
        return line
      }
      guard try readMore() else { return nil }
    }
  }

  /// Everything that the program prints until its end.
  func rest() -> String {
    while (try? readMore()) == true {}
    return String(decoding: pending, as: UTF8.self)
  }

  /// Waits for the end; returns the exit status, or 128 and the signal's number.
  @discardableResult
  func wait() -> CInt {
    if let known = status.withLock({ $0 }) { return known }
    var raw: CInt = 0
    while waitpid(process, &raw, 0) < 0, errno == EINTR {}
    let code = raw & 0x7f == 0 ? (raw >> 8) & 0xff : 128 + raw & 0x7f
    status.withLock { $0 = code }
    return code
  }

  private func readMore() throws -> Bool {
    var request = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    try #require(poll(&request, 1, 20_000) == 1, "the program says nothing")
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = read(output, &buffer, buffer.count)
    guard count > 0 else { return false }
    pending.append(contentsOf: buffer[..<count])
    return true
  }
}
