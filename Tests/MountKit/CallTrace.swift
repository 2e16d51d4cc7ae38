import Foundation
public import Glibc

/// The system calls of a process, as strace(1) tells them.
public final class CallTrace {
  /// Whether processes can be traced here.
  public static let isPossible: Bool =
    (try? TestProgram.run(["strace", "-o", "/dev/null", "true"]))?.status == 0

  /// One call.
  public struct Call {
    /// Its name.
    public let name: String
    /// Its operands and result.
    public let text: String
    /// When it began, as a place in the order of all beginnings and ends.
    public let start: Int
    /// When it returned.
    public let end: Int

    /// The bytes of its first buffer.
    public var bytes: [UInt8] {
      guard
        let quoted = text.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first
      else { return [] }
      return quoted.split(separator: "\\x", omittingEmptySubsequences: true)
        .compactMap { UInt8($0, radix: 16) }
    }
  }

  private let tracer: Hands
  private let file: String

  /// Traces a process from now on.
  ///
  /// - Parameter calls: their names.
  public init(_ process: pid_t, calls: [String], file: String) throws {
    self.file = file
    let options = ["-f", "-y", "-x", "-s", "48", "-e", "trace=" + calls.joined(separator: ",")]
    tracer = try Hands(
      command: ["sh", "-c", "exec strace \"$@\" 2>&1", "strace"] + options
        + ["-o", file, "-p", String(process)])
    let line = try tracer.line()
    guard line.contains("attached") else { throw TestFailure(line) }
  }

  /// Ends the trace; the calls, in the order of their ends.
  public func finish() throws -> [Call] {
    kill(tracer.process, SIGINT)
    _ = tracer.finish()
    return Self.calls(in: try String(contentsOfFile: file, encoding: .utf8))
  }

  /// A call during which another thread's was told is told in two lines.
  private static func calls(in text: String) -> [Call] {
    var begun: [Substring: (line: Int, text: Substring)] = [:]
    var calls: [Call] = []
    for (line, content) in text.split(separator: "\n").enumerated() {
      let parts = content.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard parts.count == 2 else { continue }
      let (thread, rest) = (parts[0], parts[1].drop { $0 == " " })
      if let cut = rest.range(of: " <unfinished ...>") {
        begun[thread] = (line, rest[..<cut.lowerBound])
      } else if let cut = rest.range(of: " resumed>"), rest.hasPrefix("<... ") {
        guard let start = begun.removeValue(forKey: thread) else { continue }
        calls.append(call(start.text + rest[cut.upperBound...], start.line, line))
      } else {
        calls.append(call(String(rest), line, line))
      }
    }
    return calls
  }

  private static func call(_ text: some StringProtocol, _ start: Int, _ end: Int) -> Call {
    let name = text.prefix { $0 != "(" }
    return Call(name: String(name), text: String(text), start: start, end: end)
  }
}
