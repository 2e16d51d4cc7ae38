import Glibc

/// Wakes one waiting thread; a notification before the wait is not lost.
final class Signal: @unchecked Sendable {
  // A condition variable must not move: hence the pointers. `isSet` is guarded by `mutex`.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var isSet = false

  init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func notify() {
    pthread_mutex_lock(mutex)
    isSet = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Waits for a notification, or until the monotonic time in nanoseconds; nil waits without end.
  func wait(untilMonotonic deadline: Int64?) {
    pthread_mutex_lock(mutex)
    defer {
      isSet = false
      pthread_mutex_unlock(mutex)
    }
    while !isSet {
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      var time = timespec(
        tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
      if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return }
    }
  }
}
