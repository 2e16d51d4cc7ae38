/// The executor of every task of a world: a few threads of our own.
///
/// Swift's shared pool has as many threads as cores, and a program that also touches a mount can block
/// all of them in the kernel; a reply made there would never be sent.
public final class WorkerPool: TaskExecutor {
  private struct State: Sendable {
    var jobs: [UnownedJob] = []
    var head = 0
    var idle: [Signal] = []
  }

  private let state = Locked(State())

  /// Starts the threads; they live as long as the process.
  public init(threads: Int, name: String = "worker") {
    for number in 0..<threads {
      Threads.detach(named: "\(name)-\(number)") { [self] in run() }
    }
  }

  /// Queues a job; the longest idle thread takes it.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let thread: Signal? = state.withLock { state in
      state.jobs.append(job)
      return state.idle.popLast()
    }
    thread?.notify()
  }

  /// Starts a task whose every step runs on this pool.
  @discardableResult
  public func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task(executorPreference: self, operation: body)
  }

  private func run() {
    let signal = Signal()
    while true {
      let job: UnownedJob? = state.withLock { state in
        guard state.head < state.jobs.count else {
          state.jobs.removeAll(keepingCapacity: true)
          state.head = 0
          state.idle.append(signal)
          return nil
        }
        state.head += 1
        return state.jobs[state.head - 1]
      }
      guard let job else {
        signal.wait(untilMonotonic: nil)
        continue
      }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
