internal import CPlatform
internal import Glibc
internal import Platform

/// The one thread of a directory store: it follows the events and does what callers ask, in order.
final class DirectoryThread: Sendable {
  typealias Job = @Sendable (DirectoryCore) -> Void

  private struct Queue: Sendable {
    var jobs: [Job] = []
    var isClosed = false
  }

  // Only this thread takes the lock; it is there so that the compiler knows.
  private let core: Locked<DirectoryCore>
  private let queue = Locked(Queue())
  private let thread = Locked<ThreadIdentifier?>(nil)
  private let wake: FileDescriptor
  private let events: CInt
  let observers = ChangeObservers()
  let staging: Staging
  let generation: String
  let isWatching: Bool
  private let scanInterval: Duration

  init(_ settings: DirectorySettings) throws(CloudError) {
    let core = try DirectoryCore(settings)
    staging = core.staging
    scanInterval = settings.scanInterval
    events = core.watches.descriptor
    self.generation = core.index.generation
    isWatching = core.watches.isAvailable
    self.core = Locked(core)
    let number = platform_event()
    guard number >= 0 else {
      throw CloudError(errno: Errno.current, "The cloud's thread cannot be set up")
    }
    wake = FileDescriptor(owning: number)
  }

  func start() throws(CloudError) {
    guard let started = Threads.start(named: "cloud", { [self] in run() }) else {
      throw CloudError(.failed, "The system has no thread left for the cloud.")
    }
    thread.withLock { $0 = started }
  }

  /// Queues a job.
  ///
  /// - Returns: false when the store is closed.
  func submit(_ job: @escaping Job) -> Bool {
    let isOpen = queue.withLock { queue in
      if !queue.isClosed { queue.jobs.append(job) }
      return !queue.isClosed
    }
    if isOpen { notify() }
    return isOpen
  }

  /// Takes no more jobs; the thread ends after those that are queued.
  func stop() {
    queue.withLock { $0.isClosed = true }
    notify()
  }

  /// Waits for the end of the thread; on the thread itself (in an observer's handler) it only lets go.
  func join() {
    guard let started = takeThread() else { return }
    if started == pthread_self() { pthread_detach(started) } else { Threads.join(started) }
  }

  /// Lets the thread end by itself.
  func letGo() {
    if let started = takeThread() { pthread_detach(started) }
  }

  private func takeThread() -> ThreadIdentifier? {
    thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
  }

  private func notify() {
    var one: UInt64 = 1
    _ = write(wake.rawValue, &one, 8)
  }

  private func run() {
    var isClosed = false
    var mustScan = false
    while !isClosed {
      let isTimeToScan = !waitForWork(forever: !mustScan)
      let jobs: [Job]
      (jobs, isClosed) = queue.withLock { queue in
        defer { queue.jobs = [] }
        return (queue.jobs, queue.isClosed)
      }
      let hasNews: Bool
      (hasNews, mustScan) = core.withLock { core in
        // Events first: a caller sees what was done by hand before it asked.
        core.followEvents()
        if isTimeToScan { core.scan() }
        for job in jobs { job(core) }
        return (core.takeNews(), core.mustScan)
      }
      if hasNews { observers.notify() }
    }
    core.withLock { $0.close() }
  }

  /// - Returns: whether there is any; else it is time to look at what is not watched.
  private func waitForWork(forever: Bool) -> Bool {
    var descriptors = [pollfd(fd: wake.rawValue, events: Int16(POLLIN), revents: 0)]
    if events >= 0 { descriptors.append(pollfd(fd: events, events: Int16(POLLIN), revents: 0)) }
    let pause = forever ? -1 : CInt(clamping: scanInterval.nanoseconds / 1_000_000)
    let found = poll(&descriptors, nfds_t(descriptors.count), pause)
    guard found != 0 else { return false }
    var count: UInt64 = 0
    _ = read(wake.rawValue, &count, 8)
    return true
  }
}
