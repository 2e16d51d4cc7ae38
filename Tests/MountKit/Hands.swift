import Foundation
public import Glibc

/// A process that touches a mount in place of the one that tests, and tells what it met, line by line.
///
/// What it can do is told in Tests/MountHands.
public final class Hands: @unchecked Sendable {
  /// The process number.
  public let process: pid_t
  private let pipe: CInt
  private var unread: [UInt8] = []
  private var hasEnded = false

  /// Starts it with the words that say what to do, such as `session`.
  ///
  /// - Parameter user: as whom; nil for whoever tests.
  public convenience init(_ words: String..., as user: UserSpace? = nil) throws {
    try self.init(command: (user?.prefix ?? []) + [user?.hands ?? Self.program] + words)
  }

  /// Starts any program that reads and writes lines.
  public init(command: [String]) throws {
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | O_CLOEXEC, 0, &ends) == 0 else {
      throw TestFailure("no socket is left")
    }
    defer { close(ends[1]) }
    pipe = ends[0]
    process = try Spawning(standardInput: ends[1], output: ends[1], errors: 2).start(command)
  }

  deinit {
    close(pipe)
    guard !hasEnded else { return }
    kill(process, SIGKILL)
    reap()
  }

  /// Does one call of a session, and returns the answer.
  public func ask(_ line: String) throws -> String {
    try send(line)
    return try self.line()
  }

  /// Gives a session something to do, without waiting for its answer.
  public func send(_ line: String) throws {
    let bytes = Array((line + "\n").utf8)
    guard write(pipe, bytes, bytes.count) == bytes.count else {
      throw TestFailure("the session has ended")
    }
  }

  /// The next line of output.
  ///
  /// - Throws: when there is none within two minutes: whatever was waited for does not come.
  public func line() throws -> String {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeFirst(end + 1) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      var request = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
      guard poll(&request, 1, 120_000) > 0 else { throw TestFailure("nothing comes: it hangs") }
      var buffer = [UInt8](repeating: 0, count: 65536)
      let count = read(pipe, &buffer, buffer.count)
      guard count > 0 else { throw TestFailure("the process has ended") }
      unread += buffer[..<count]
    }
  }

  /// Whether a line is there already or comes within so many milliseconds.
  public func hasLine(within milliseconds: CInt = 0) -> Bool {
    if unread.contains(UInt8(ascii: "\n")) { return true }
    var request = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, milliseconds) > 0
  }

  /// Waits for its end; negative is the signal that ended it.
  public func finish() -> Int32 {
    let status = reap()
    return status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
  }

  /// Ends its standard input.
  public func endInput() { shutdown(pipe, CInt(SHUT_WR)) }

  /// Kills it and waits for its end.
  public func end() {
    guard !hasEnded else { return }
    kill(process, SIGKILL)
    reap()
  }

  @discardableResult
  private func reap() -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    hasEnded = true
    return status
  }

  /// The program, built beside the tests.
  public static let program: String = MountedDrive.built("MountHands")
}

/// Many processes that do the same at once.
public final class Crowd {
  /// What a member came to.
  public struct Result: Hashable, Sendable {
    /// The errno of the call that failed; 0 when none did.
    public var error: Int32
    /// How many bytes it saw.
    public var count: Int
    /// The hash of these bytes.
    public var hash: String
    /// How many signals it handled.
    public var signals: Int

    /// Describes what a member came to.
    public init(error: Int32 = 0, count: Int, hash: String, signals: Int = 0) {
      self.error = error
      self.count = count
      self.hash = hash
      self.signals = signals
    }
  }

  /// The process numbers of the members.
  public let members: [pid_t]
  private let hands: Hands
  private var results: [pid_t: Result] = [:]
  private var ends: [pid_t: Int32] = [:]

  /// Starts so many processes; each does `what` (stat, access, open, opendir, read, scatter: each
  /// elsewhere, map-private, map-shared: touches the pages of one open that all share; with `handling-` before it, SIGINT runs a handler) on `path`.
  public init(_ count: Int, _ what: String, _ path: String, as user: UserSpace? = nil) throws {
    hands = try Hands("crowd", String(count), what, path, as: user)
    var members: [pid_t]?
    while members == nil {
      let words = try hands.line().split(separator: " ")
      if words.first == "started" { members = words.dropFirst().compactMap { pid_t($0) } }
      Self.note(words, &results, &ends)
    }
    self.members = members ?? []
  }

  /// Waits for one member's end; negative is the signal that ended it.
  @discardableResult
  public func end(of member: pid_t) throws -> Int32 {
    while true {
      if let end = ends[member] { return end }
      Self.note(try hands.line().split(separator: " "), &results, &ends)
    }
  }

  /// What a member came to; nil when a signal ended it.
  public func result(of member: pid_t) throws -> Result? {
    try end(of: member)
    return results[member]
  }

  /// Waits for all, and counts what they came to; those that a signal ended are not counted.
  public func finish() throws -> [Result: Int] {
    for member in members { try end(of: member) }
    return results.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// Whether a member has come to its end, as far as was told.
  public func hasEnded(_ member: pid_t) throws -> Bool {
    while hands.hasLine() { Self.note(try hands.line().split(separator: " "), &results, &ends) }
    return ends[member] != nil
  }

  private static func note(
    _ words: [Substring], _ results: inout [pid_t: Result], _ ends: inout [pid_t: Int32]
  ) {
    let numbers = words.dropFirst().map { Int($0) ?? 0 }
    if words.first == "result", words.count == 6 {
      results[pid_t(numbers[0])] = Result(
        error: Int32(numbers[1]), count: numbers[2], hash: String(words[4]), signals: numbers[4])
    } else if words.first == "ended", words.count == 4 {
      ends[pid_t(numbers[0])] = Int32(words[2] == "signal" ? -numbers[2] : numbers[2])
    }
  }
}
