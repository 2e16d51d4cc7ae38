/// What /proc tells of a thread's pending signals.
///
/// Blocked and ignored signals never count. When the thread is gone, everything is true of it.
public enum PendingSignals {
  // Signals whose default is to be ignored: SIGCHLD, SIGCONT, SIGURG, SIGWINCH.
  private static let harmless = set(17, 18, 23, 28)
  // Signals whose default is to stop the process: SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU.
  private static let stopping = set(19, 20, 21, 22)

  /// Whether a signal that will end the process is pending for a thread.
  public static func areFatal(for thread: Int32) -> Bool {
    guard let masks = Masks(of: thread) else { return true }
    return masks.unhandled & ~harmless & ~stopping != 0
  }

  /// Whether a signal is pending for a thread that will end the process or run a handler of it.
  ///
  /// A signal that stops the process does neither; it stops when its call is over.
  public static func areNoticed(by thread: Int32) -> Bool {
    guard let masks = Masks(of: thread) else { return true }
    return masks.handled != 0 || masks.unhandled & ~harmless & ~stopping != 0
  }

  private static func set(_ signals: UInt64...) -> UInt64 {
    signals.reduce(0) { $0 | 1 << ($1 - 1) }
  }

  private struct Masks {
    let handled: UInt64
    let unhandled: UInt64

    init?(of thread: Int32) {
      guard let text = SmallFile.read("/proc/\(thread)/status") else { return nil }
      let field = { (name: String) in Self.mask(name, text) }
      let pending = (field("SigPnd:") | field("ShdPnd:")) & ~field("SigBlk:") & ~field("SigIgn:")
      handled = pending & field("SigCgt:")
      unhandled = pending & ~handled
    }

    private static func mask(_ field: String, _ text: String) -> UInt64 {
      guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(field) }) else {
        return 0
      }
      return UInt64(line.dropFirst(field.count).drop { $0 == "\t" || $0 == " " }, radix: 16) ?? 0
    }
  }
}
