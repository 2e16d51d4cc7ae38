public import Glibc

/// A process, so named that a later one with the same number is not taken for it.
public struct Program: Hashable, Sendable {
  /// The process (thread group) number.
  public let process: pid_t
  /// When it started, in clock ticks since boot (field 22 of /proc/PID/stat).
  public let startTime: UInt64
  /// The path of its executable, or its command name in brackets when that cannot be read.
  public let executable: String

  /// Names a process.
  public init(process: pid_t, startTime: UInt64, executable: String) {
    self.process = process
    self.startTime = startTime
    self.executable = executable
  }

  /// The kernel itself, or a process that was gone before it could be looked at.
  public static let unknown = Program(process: 0, startTime: 0, executable: "[unknown]")
}

/// Tells which program a thread belongs to, from /proc.
///
/// Ask before the reply is sent: afterwards the process may be gone.
public final class Programs: Sendable {
  private struct Known: Sendable {
    let folder: ProcessFolder
    let program: Program
  }

  private let cache = Locked<[pid_t: Known]>([:])
  /// Each costs a descriptor.
  private static let capacity = 128

  /// Starts with an empty cache.
  public init() {}

  /// The program of a thread; `unknown` when the thread is 0 or gone.
  public func program(of thread: pid_t) -> Program {
    guard thread > 0 else { return .unknown }
    // The executable is compared, since exec keeps number and start time.
    if let known = cache.withLock({ $0[thread] }),
      known.folder.executable == known.program.executable
    {
      return known.program
    }
    // Opened first: what is read then is of this thread or a later one, and a later one is not kept.
    let folder = ProcessFolder(thread)
    guard let status = ProcessStatus(of: thread) else { return .unknown }
    let group = Self.threadGroup(of: thread) ?? thread
    let groupStart =
      group == thread ? status.startTime : ProcessStatus(of: group)?.startTime ?? status.startTime
    guard let folder, let executable = folder.executable else {
      return Program(process: group, startTime: groupStart, executable: "[\(status.command)]")
    }
    let program = Program(process: group, startTime: groupStart, executable: executable)
    cache.withLock { cache in
      if cache.count >= Self.capacity { cache.removeAll(keepingCapacity: true) }
      cache[thread] = Known(folder: folder, program: program)
    }
    return program
  }

  /// The parent of a process, or nil when it is gone or has none.
  public func parent(of process: pid_t) -> pid_t? {
    guard let status = ProcessStatus(of: process), status.parent > 0 else { return nil }
    return status.parent
  }

  /// The supplementary groups of a thread; empty when it is gone.
  public func groups(of thread: pid_t) -> [gid_t] {
    guard let text = SmallFile.read("/proc/\(thread)/status"),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Groups:") })
    else { return [] }
    return line.dropFirst(7).split(whereSeparator: \.isWhitespace).compactMap { gid_t($0) }
  }

  private static func threadGroup(of thread: pid_t) -> pid_t? {
    guard let text = SmallFile.read("/proc/\(thread)/status"),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Tgid:") })
    else { return nil }
    return pid_t(line.dropFirst(5).drop { $0 == "\t" || $0 == " " })
  }
}

/// The folder of a thread in /proc, which stays that thread's: when it has ended, nothing can be read.
private final class ProcessFolder: Sendable {
  private let folder: FileDescriptor

  init?(_ thread: pid_t) {
    guard let folder = try? FileDescriptor.open("/proc/\(thread)", O_RDONLY | O_DIRECTORY) else {
      return nil
    }
    self.folder = folder
  }

  /// The path of what it runs; nil when it has ended, or the caller may not know.
  var executable: String? {
    withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let count = readlinkat(folder.rawValue, "exe", base, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}

/// The fields of /proc/PID/stat that are needed here.
struct ProcessStatus {
  let command: String
  let parent: pid_t
  let startTime: UInt64

  init?(of process: pid_t) {
    guard let text = SmallFile.read("/proc/\(process)/stat"),
      let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")")
    else { return nil }
    // The command may hold spaces and parentheses, so fields are counted behind the last one.
    let fields = text[text.index(after: close)...].split(separator: " ")
    guard fields.count > 19, let parent = pid_t(fields[1]), let start = UInt64(fields[19]) else {
      return nil
    }
    command = String(text[text.index(after: open)..<close])
    self.parent = parent
    startTime = start
  }
}

/// Reads files of /proc and the like, which fit in one read.
enum SmallFile {
  static func read(_ path: String) -> String? {
    guard let file = try? FileDescriptor.open(path, O_RDONLY) else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      let count = Glibc.read(file.rawValue, buffer.baseAddress, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
