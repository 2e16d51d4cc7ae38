internal import Platform

extension MountTable.Entry {
  /// How a FUSE mount answers.
  public enum Health: Hashable, Sendable {
    /// It answers.
    case serving
    /// Its server is gone: every call fails with ENOTCONN. Unmount it.
    case dead
    /// It does not answer in time: its server is stopped, stuck or busy.
    case notAnswering
  }

  /// Asks the mount for its sizes, in a child process, so that the caller cannot hang.
  ///
  /// - Parameter milliseconds: how long to wait.
  public func health(within milliseconds: Int = 2000) -> Health {
    guard let child = try? ChildProcess("/usr/bin/stat", ["-f", "--", mountpoint]),
      let (status, output) = child.finish(milliseconds: CInt(clamping: milliseconds))
    else { return .notAnswering }
    if status == 0 { return .serving }
    return output.contains("not connected") || output.contains("connection abort")
      ? .dead : .serving
  }
}
