/// What /proc tells of a thread's pending signals.
public enum PendingSignals {
  // Signals whose default is to be ignored: SIGCHLD, SIGCONT, SIGURG, SIGWINCH.
  private static let harmless: UInt64 = [17, 18, 23, 28].reduce(0) { $0 | 1 << UInt64($1 - 1) }

  /// Whether a signal that will end the process is pending for a thread; also when the thread is gone.
  public static func areFatal(for thread: Int32) -> Bool {
    guard let text = SmallFile.read("/proc/\(thread)/status") else { return true }
    let pending = mask("SigPnd:", text) | mask("ShdPnd:", text)
    return pending & ~mask("SigIgn:", text) & ~mask("SigCgt:", text) & ~harmless != 0
  }

  private static func mask(_ field: String, _ text: String) -> UInt64 {
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(field) }) else {
      return 0
    }
    return UInt64(line.dropFirst(field.count).drop { $0 == "\t" || $0 == " " }, radix: 16) ?? 0
  }
}
