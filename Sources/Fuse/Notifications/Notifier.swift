public import Platform

/// Tells the kernel what it must no longer believe, on a thread of its own.
///
/// Change the state first, then post. Posting never waits, so it is allowed inside an operation and
/// with a lock held; the sending may wait in the kernel for requests that are being answered (see
/// `KernelNotification`), during which later ones queue up. A notification that is queued already is not
/// queued twice.
public final class Notifier: Sendable {
  /// What happened to a notification: nil when the kernel took it.
  public typealias Completion = @Sendable (Errno?) -> Void

  private enum Work: Sendable {
    case send(KernelNotification)
    case drain
  }

  private struct Entry: Sendable {
    let work: Work
    var completions: [Completion] = []
  }

  private struct State: Sendable {
    var queue: [Entry] = []
    // The place of a queued notification, counted from the first one ever queued.
    var places: [KernelNotification: Int] = [:]
    var firstPlace = 0
    var device: CInt?
    var canExpire = false
    var isStopped = false
    var thread: ThreadIdentifier?
  }

  private let state = Locked(State())
  private let wake = EventCounter()

  /// A notifier; what is posted before its session starts waits until then.
  public init() {}

  /// Queues a notification.
  ///
  /// - Parameter completion: called on the notifier's thread, or at once with ENOTCONN when the
  ///   session is over.
  public func post(_ notification: KernelNotification, _ completion: Completion? = nil) {
    let isStopped = state.withLock { state in
      if state.isStopped { return true }
      if let place = state.places[notification] {
        if let completion { state.queue[place - state.firstPlace].completions.append(completion) }
        return false
      }
      if notification.canMerge {
        state.places[notification] = state.firstPlace + state.queue.count
      }
      state.queue.append(
        Entry(work: .send(notification), completions: completion.map { [$0] } ?? []))
      return false
    }
    if isStopped { completion?(.notConnected) } else { wake.signal() }
  }

  /// Calls back when everything posted so far was sent.
  public func drain(_ completion: @escaping @Sendable () -> Void) {
    let isStopped = state.withLock { state in
      guard !state.isStopped else { return true }
      state.queue.append(Entry(work: .drain, completions: [{ _ in completion() }]))
      return false
    }
    if isStopped { completion() } else { wake.signal() }
  }

  /// Returns when everything posted so far was sent.
  public func drain() async {
    let wait = Wait<Bool>()
    drain { wait.finish(true) }
    _ = await wait.value()
  }

  /// Begins to send.
  func start(device: CInt) {
    let thread = Threads.start(named: "fuse-notify") { [self] in run() }
    state.withLock { state in
      state.device = device
      state.thread = thread
    }
    wake.signal()
  }

  /// Says whether names can expire, once that is known.
  func agree(_ agreement: Agreement) {
    state.withLock { $0.canExpire = agreement.canExpireEntries }
  }

  /// Ends the thread; what is still queued completes with ENOTCONN.
  func stop() {
    let thread = state.withLock { state in
      state.isStopped = true
      defer { state.thread = nil }
      return state.thread
    }
    wake.signal()
    if let thread { Threads.join(thread) }
    for entry in takeAll().entries {
      for completion in entry.completions { completion(.notConnected) }
    }
  }

  private func run() {
    while !state.withLock({ $0.isStopped }) {
      let (entries, device, canExpire) = takeAll()
      guard let device, !entries.isEmpty else {
        _ = wake.take()
        continue
      }
      for entry in entries {
        var error: Errno?
        if case .send(let notification) = entry.work {
          error = notification.send(to: device, canExpire: canExpire)
        }
        for completion in entry.completions { completion(error) }
      }
    }
  }

  private func takeAll() -> (entries: [Entry], device: CInt?, canExpire: Bool) {
    state.withLock { state in
      guard state.device != nil || state.isStopped else { return ([], nil, false) }
      let entries = state.queue
      state.queue.removeAll()
      state.firstPlace += entries.count
      state.places.removeAll(keepingCapacity: true)
      return (entries, state.device, state.canExpire)
    }
  }
}
