internal import Foundation
internal import Glibc
internal import Platform

/// One caller of a server: what it has asked, and what it has not read yet.
///
/// The server's thread reads and writes the socket; handlers only add to the outbox.
final class Connection: Sendable {
  /// More unread bytes than this make `send` wait.
  static let outboxLimit = 1 << 20
  /// A caller with so many running requests is not read until one of them ends.
  static let maximumRunning = 256

  private struct Running: Sendable {
    let request: RequestID?
    var task: Task<Void, Never>?
  }

  private struct State: Sendable {
    var outbox: [Data] = []
    var outboxBytes = 0
    var room: [Wait<Bool>] = []
    var running: [UInt64: Running] = [:]
    var nextSerial: UInt64 = 0
    var isClosed = false

    mutating func queue(_ line: Data) {
      guard !isClosed else { return }
      outbox.append(line)
      outboxBytes += line.count
    }
  }

  let socket: CInt
  let peer: ControlPeer
  private let wake: @Sendable () -> Void
  private let state = Locked(State())

  /// Takes over the socket; `wake` makes the server's thread look at the outbox.
  init(socket: CInt, peer: ControlPeer, wake: @escaping @Sendable () -> Void) {
    self.socket = socket
    self.peer = peer
    self.wake = wake
  }

  deinit { Glibc.close(socket) }

  /// Runs one request on the pool, and queues the line that answers it. Who has the answer cannot cancel the
  /// request any more.
  func start(
    _ request: RequestID?, on workers: WorkerPool, _ body: @escaping @Sendable () async -> Data?
  ) {
    let serial = state.withLock { state in
      state.nextSerial += 1
      state.running[state.nextSerial] = Running(request: request)
      return state.nextSerial
    }
    let task = workers.start { [self] in
      let answer = await body()
      state.withLock { state in
        state.running[serial] = nil
        if let answer { state.queue(answer) }
      }
      wake()
    }
    // The task may have ended, or the connection been closed, before it could be noted.
    let isClosed = state.withLock { state in
      state.running[serial]?.task = task
      return state.isClosed
    }
    if isClosed { task.cancel() }
  }

  /// Cancels a running request of this caller.
  func cancel(_ request: RequestID) -> Bool {
    let task = state.withLock { state in
      state.running.values.first { $0.request == request }?.task
    }
    task?.cancel()
    return task != nil
  }

  func cancelAll() {
    let tasks = state.withLock { $0.running.values.compactMap(\.task) }
    for task in tasks { task.cancel() }
  }

  /// Queues a line, whatever the queue holds already.
  func enqueue(_ line: Data) {
    state.withLock { $0.queue(line) }
    wake()
  }

  /// Queues a line when the caller has read enough of those before it.
  func send(_ line: Data) async -> Bool {
    while true {
      let wait: Wait<Bool>?? = state.withLock { state in
        if state.isClosed { return .none }
        if state.outboxBytes < Self.outboxLimit { return .some(nil) }
        let wait = Wait<Bool>()
        state.room.append(wait)
        return wait
      }
      guard let wait else { return false }
      guard let wait else {
        enqueue(line)
        return true
      }
      guard await wait.value() != nil else { return false }
    }
  }

  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      state.outbox = []
      state.outboxBytes = 0
      defer { state.room = [] }
      return state.room
    }
    for wait in waiting { wait.finish(false) }
    // A handler may keep this object alive for a while; the caller shall not wait for that.
    shutdown(socket, CInt(SHUT_RDWR))
    cancelAll()
  }

  var hasOutput: Bool { state.withLock { !$0.outbox.isEmpty } }
  var isIdle: Bool { state.withLock { $0.running.isEmpty && $0.outbox.isEmpty } }
  var acceptsRequests: Bool { state.withLock { $0.running.count < Self.maximumRunning } }

  /// Writes as much of the outbox as the socket takes.
  ///
  /// - Returns: false when the caller is gone.
  func flush() -> Bool {
    while let line = state.withLock({ $0.outbox.first }) {
      let count = line.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      let freed: [Wait<Bool>] = state.withLock { state in
        guard !state.outbox.isEmpty else { return [] }
        if count == line.count {
          state.outbox.removeFirst()
        } else {
          state.outbox[0] = line.dropFirst(count)
        }
        state.outboxBytes -= count
        guard state.outboxBytes < Self.outboxLimit else { return [] }
        defer { state.room = [] }
        return state.room
      }
      for wait in freed { wait.finish(true) }
    }
    return true
  }
}
