internal import Glibc

/// How readers wait where they cannot be cancelled: one at a time, for a request or for the end.
///
/// Only the thread sanitizer needs it, which does not survive that a thread is cancelled. It costs a
/// system call a request.
final class ReaderTurns: @unchecked Sendable {
  // A mutex must not move. It is given to C, which is why it is none of `Locked`.
  let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// Signalled when the readers shall end.
  let stop = EventCounter()

  private init() { pthread_mutex_init(mutex, nil) }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Turns for a session's readers, where they need any.
  static func ifNeeded() -> ReaderTurns? {
    #if SANITIZE_THREAD
      ReaderTurns()
    #else
      nil
    #endif
  }
}
