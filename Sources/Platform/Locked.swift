// The one lock of the project. No other file imports a mutex.
//
// Under the thread sanitizer `Synchronization.Mutex` reports races on correctly locked state, since its
// futex path is not instrumented; that build (-D SANITIZE_THREAD) uses a pthread mutex instead.

#if SANITIZE_THREAD
  internal import Glibc

  /// State that can be reached only while its lock is held.
  public final class Locked<State>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    /// With a byte, since one access to a state without any bytes would be taken for one to its neighbour.
    private var state: (value: State, byte: UInt8)

    /// Puts the state under a lock.
    public init(_ state: sending State) {
      self.state = (state, 0)
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    /// Runs `body` with the lock held. It must not wait, reply, or call a cloud.
    public func withLock<Result, Failure: Error>(
      _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&state.value)
    }
  }
#else
  public import Synchronization

  /// State that can be reached only while its lock is held.
  ///
  /// Inlinable, since a request takes several locks: a generic call into another module costs more than
  /// the lock.
  public final class Locked<State>: Sendable {
    @usableFromInline let mutex: Mutex<State>

    /// Puts the state under a lock.
    @inlinable public init(_ state: sending State) { mutex = Mutex(state) }

    /// Runs `body` with the lock held. It must not wait, reply, or call a cloud.
    @inlinable public func withLock<Result, Failure: Error>(
      _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try mutex.withLock(body)
    }
  }
#endif
