import Daemon
import Glibc
import Platform

/// Starts the process that serves a world, and waits for its report.
enum Background {
  /// Mounts in the background.
  ///
  /// - Returns: what somebody should know about the device, each in a sentence.
  /// - Throws: why it could not be mounted.
  static func mount(_ request: MountRequest) throws -> [String] {
    let (input, output) = (try Pipe(), try Pipe())
    let process = try spawn(input, output)
    input.closeReading()
    output.closeWriting()
    input.send(DaemonProcess.encode(request))
    let report = DaemonProcess.report(from: output.receive())
    guard let error = report.error else { return report.notices }
    waitpid(process, nil, 0)
    throw error
  }

  private static func spawn(_ input: Pipe, _ output: Pipe) throws(Errno) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input.reading, 0)
    posix_spawn_file_actions_adddup2(&actions, output.writing, 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A session of its own: the terminal's Ctrl-C is not for it.
    posix_spawnattr_setflags(&attributes, Int16(0x80))
    var arguments: [UnsafeMutablePointer<CChar>?] = [
      strdup("fauxdrive"), strdup(DaemonProcess.word), nil,
    ]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let result = posix_spawn(&process, "/proc/self/exe", &actions, &attributes, &arguments, environ)
    guard result == 0 else { throw Errno(rawValue: result) }
    return process
  }
}

/// A pipe whose ends are not inherited by accident.
private final class Pipe {
  let reading: CInt
  let writing: CInt
  private var isReadingOpen = true
  private var isWritingOpen = true

  init() throws(Errno) {
    var ends: (CInt, CInt) = (0, 0)
    let result = withUnsafeMutableBytes(of: &ends) {
      pipe($0.assumingMemoryBound(to: CInt.self).baseAddress)
    }
    guard result == 0 else { throw Errno.current }
    (reading, writing) = ends
    for end in [reading, writing] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    closeReading()
    closeWriting()
  }

  func closeReading() {
    if isReadingOpen { close(reading) }
    isReadingOpen = false
  }

  func closeWriting() {
    if isWritingOpen { close(writing) }
    isWritingOpen = false
  }

  /// Writes everything and closes.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(writing, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    closeWriting()
  }

  /// Reads to the end.
  func receive() -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(reading, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}
