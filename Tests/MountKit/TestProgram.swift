public import Foundation
import Glibc

/// A program that a test runs: plain threads and system calls, so it can wait on a mount that this
/// process must not touch itself.
public final class TestProgram: @unchecked Sendable {
  /// How a program ended and what it printed.
  public struct Ended: Sendable, CustomStringConvertible {
    /// The exit status; negative for the signal that ended it.
    public let status: Int32
    /// Standard output.
    public let output: String
    /// Standard error.
    public let errors: String
    /// All of it, for a failed expectation.
    public var description: String { "status \(status)\n\(output)\(errors)" }
  }

  /// The process number.
  public let process: pid_t
  private let output: OutputFile
  private let errors: OutputFile
  private var ended: Ended?

  /// Starts a program; `environment` is added to this process's.
  public init(_ arguments: [String], environment: [String: String] = [:]) throws {
    output = try OutputFile()
    errors = try OutputFile()
    process = try Spawning(output: output.descriptor, errors: errors.descriptor)
      .start(arguments, environment: environment)
  }

  deinit { if ended == nil { end() } }

  /// Waits for its end on this thread.
  @discardableResult
  public func finish() -> Ended {
    if let ended { return ended }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let code = status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
    let result = Ended(status: code, output: output.text, errors: errors.text)
    ended = result
    return result
  }

  /// Waits for its end on a thread of its own.
  public func finished() async -> Ended {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in continuation.resume(returning: finish()) }
    }
  }

  /// Whether it still runs.
  public var isRunning: Bool {
    guard ended == nil else { return false }
    var info = siginfo_t()
    return waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0
      && info.si_signo == 0
  }

  /// Sends it a signal.
  public func signal(_ number: Int32) { kill(process, number) }

  /// Kills it and waits for its end.
  public func end() {
    kill(process, SIGKILL)
    finish()
  }

  /// Runs a program to its end.
  public static func run(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> Ended {
    try TestProgram(arguments, environment: environment).finish()
  }
}

/// What went wrong while a test was set up.
public struct TestFailure: Error, CustomStringConvertible {
  /// What it was.
  public let description: String
  /// Describes it.
  public init(_ description: String) { self.description = description }
}

/// A nameless file that takes what a program prints, so that no pipe can fill up or be inherited.
private struct OutputFile {
  let descriptor: CInt

  init() throws {
    descriptor = open("/tmp", O_TMPFILE_RDWR, 0o600)
    guard descriptor >= 0 else { throw TestFailure("/tmp takes no temporary file") }
  }

  var text: String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = pread(descriptor, &buffer, buffer.count, off_t(bytes.count))
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    close(descriptor)
    return String(decoding: bytes, as: UTF8.self)
  }
}

// O_TMPFILE is declared only with _GNU_SOURCE.
private let O_TMPFILE_RDWR: CInt = 0o20000000 | O_DIRECTORY | O_RDWR | O_CLOEXEC
