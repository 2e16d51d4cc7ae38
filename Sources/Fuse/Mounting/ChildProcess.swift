internal import CFuse
internal import Glibc
internal import Platform

/// A small program that is run and waited for; what it prints to standard error is kept.
struct ChildProcess: ~Copyable {
  /// The number under which the program finds the descriptor that it was passed.
  static let passedDescriptor: CInt = 3

  private let process: pid_t
  private let output: FileDescriptor

  /// Starts a program with default signals and no signal blocked.
  ///
  /// - Parameter environment: settings added to this process's.
  init(
    _ program: String, _ arguments: [String], descriptor: CInt? = nil, environment: [String] = []
  ) throws(Errno) {
    // Sockets, since they can be made so that no other program started now inherits them.
    var ends: [CInt] = [-1, -1]
    guard cfuse_socket_pair(false, &ends) == 0 else { throw Errno.current }
    let output = FileDescriptor(owning: ends[0])
    let input = FileDescriptor(owning: ends[1])
    let process = try Self.spawn(
      program, arguments, errorOutput: input.rawValue, descriptor: descriptor,
      environment: environment)
    self.process = process
    self.output = output
  }

  /// Waits for the end; returns the exit status (-1 when a signal ended it) and what was printed.
  consuming func finish() -> (status: CInt, output: String) {
    let text = readAll()
    return (Self.wait(for: process), text)
  }

  /// Waits for the end at most so long; nil when the time is over, and the program is then killed.
  consuming func finish(milliseconds: CInt) -> (status: CInt, output: String)? {
    var request = pollfd(fd: output.rawValue, events: Int16(POLLIN), revents: 0)
    if poll(&request, 1, milliseconds) > 0 {
      let text = readAll()
      return (Self.wait(for: process), text)
    }
    kill(process, SIGKILL)
    // It may sit in the kernel for as long as a mount does not answer.
    let process = process
    Threads.detach(named: "fuse-reap") { _ = Self.wait(for: process) }
    return nil
  }

  private func readAll() -> String {
    var bytes: [UInt8] = []
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      while true {
        let count = read(output.rawValue, buffer.baseAddress, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        bytes.append(contentsOf: buffer.prefix(count))
      }
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").joined(separator: "; ")
  }

  private static func wait(for process: pid_t) -> CInt {
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0 {
      if errno != EINTR { return -1 }
    }
    return status & 0x7f == 0 ? (status >> 8) & 0xff : -1
  }

  private static func spawn(
    _ program: String, _ arguments: [String], errorOutput: CInt, descriptor: CInt?,
    environment: [String]
  ) throws(Errno) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, errorOutput, 2)
    if let descriptor {
      posix_spawn_file_actions_adddup2(&actions, descriptor, passedDescriptor)
    }
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
    var process = pid_t()
    let result = withCStrings([program] + arguments) { arguments in
      withCStrings(inheritedEnvironment() + environment) { environment in
        posix_spawn(&process, program, &actions, &attributes, arguments, environment)
      }
    }
    guard result == 0 else { throw Errno(rawValue: result) }
    return process
  }

  private static func inheritedEnvironment() -> [String] {
    // The messages are read, so they must be in English.
    ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"]
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}
