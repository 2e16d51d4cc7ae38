internal import CFuse
internal import Glibc
internal import Platform

/// What libfuse had to say. It would print it; here it is kept for the error that follows.
enum LibraryLog {
  // libfuse has one log for the whole process.
  private static let messages = Locked<[String]>([])
  private static let capacity = 16

  /// Takes libfuse's log over.
  static func install() {
    fuse_set_log_func { _, format, arguments in
      guard let format, let arguments else { return }
      let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
        guard let base = buffer.baseAddress else { return "" }
        base.initialize(repeating: 0, count: buffer.count)
        vsnprintf(base, buffer.count, format, arguments)
        return String(cString: base)
      }
      LibraryLog.keep(text)
    }
  }

  /// The last thing it said.
  static var lastMessage: String? { messages.withLock { $0.last } }

  private static func keep(_ text: String) {
    messages.withLock { messages in
      if messages.count >= capacity { messages.removeFirst() }
      messages.append(text.split(separator: "\n").joined(separator: " "))
    }
  }
}
