internal import Foundation
internal import Glibc
internal import Platform

/// The thread of a server: takes callers, reads lines, writes what is queued.
final class SocketLoop: Sendable {
  private let listener: CInt
  /// A pair of sockets: a byte written to the one makes `poll` on the other return.
  private let wakeReader: CInt
  private let wakeWriter: CInt
  private let isStopping = Locked(false)
  private let receive: @Sendable (Connection, LineBuffer.Piece) -> Void

  /// Takes over the listener; `receive` must not wait.
  init(
    listener: consuming FileDescriptor,
    receive: @escaping @Sendable (Connection, LineBuffer.Piece) -> Void
  ) throws(Errno) {
    var pair: (CInt, CInt) = (-1, -1)
    let type =
      CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let result = withUnsafeMutableBytes(of: &pair) {
      socketpair(AF_UNIX, type, 0, $0.assumingMemoryBound(to: CInt.self).baseAddress)
    }
    guard result == 0 else { throw Errno.current }
    (wakeReader, wakeWriter) = pair
    self.receive = receive
    self.listener = listener.relinquish()
  }

  deinit {
    close(listener)
    close(wakeReader)
    close(wakeWriter)
  }

  /// Ends `run` soon; what is queued goes out before, if that takes less than a second.
  func stop() {
    isStopping.withLock { $0 = true }
    wake()
  }

  private func wake() {
    var byte: UInt8 = 0
    // A full buffer means that the thread is about to look anyway.
    _ = send(wakeWriter, &byte, 1, CInt(MSG_NOSIGNAL))
  }

  /// A caller, with the part of its input that is not a whole line yet.
  private final class Client {
    let connection: Connection
    var input = LineBuffer(limit: Wire.maximumRequest)
    /// The caller has closed its side, but still reads.
    var hasEnded = false
    init(_ connection: Connection) { self.connection = connection }
  }

  func run() {
    var clients: [Client] = []
    while !isStopping.withLock({ $0 }) {
      serve(&clients, acceptsMore: true, timeout: -1)
    }
    drain(&clients)
    for client in clients { client.connection.close() }
  }

  /// Lets cancelled requests end and their answers go out.
  private func drain(_ clients: inout [Client]) {
    for client in clients { client.connection.cancelAll() }
    let deadline = ContinuousClock.now + .seconds(1)
    while !clients.allSatisfy({ $0.connection.isIdle }) {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return }
      serve(&clients, acceptsMore: false, timeout: CInt(left.seconds * 1000) + 1)
    }
  }

  /// Waits until something can be done, and does it.
  private func serve(_ clients: inout [Client], acceptsMore: Bool, timeout: CInt) {
    var polled = [
      pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
      pollfd(fd: acceptsMore ? listener : -1, events: Int16(POLLIN), revents: 0),
    ]
    for client in clients {
      var events: CInt = 0
      if acceptsMore && !client.hasEnded && client.connection.acceptsRequests {
        events |= CInt(POLLIN)
      }
      if client.connection.hasOutput { events |= CInt(POLLOUT) }
      polled.append(
        pollfd(fd: client.connection.socket, events: Int16(events), revents: 0))
    }
    guard poll(&polled, nfds_t(polled.count), timeout) > 0 else { return }
    if polled[0].revents != 0 { clearWake() }
    var staying: [Client] = []
    for (client, polled) in zip(clients, polled.dropFirst(2)) {
      let isThere = polled.revents == 0 || serve(client, CInt(polled.revents))
      if isThere && !(client.hasEnded && client.connection.isIdle) {
        staying.append(client)
      } else {
        client.connection.close()
      }
    }
    clients = staying
    if polled[1].revents != 0 { accept(&clients) }
  }

  /// - Returns: false when the caller is gone.
  private func serve(_ client: Client, _ events: CInt) -> Bool {
    if events & (CInt(POLLERR) | CInt(POLLNVAL)) != 0 { return false }
    if events & CInt(POLLOUT) != 0, !client.connection.flush() { return false }
    // What a caller sent before it went is read, but nobody wants the answers.
    let hasMore = events & CInt(POLLIN) != 0 && read(client) && !client.hasEnded
    return events & CInt(POLLHUP) == 0 || hasMore
  }

  /// - Returns: false when the socket is broken.
  private func read(_ client: Client) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
      let count = recv(client.connection.socket, buffer.baseAddress, buffer.count, 0)
      if count < 0 { return errno == EAGAIN || errno == EINTR }
      if count == 0 { client.hasEnded = true }
      for piece in client.input.append(buffer[..<count]) { receive(client.connection, piece) }
      return true
    }
  }

  private func clearWake() {
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
      while recv(wakeReader, buffer.baseAddress, buffer.count, 0) > 0 {}
    }
  }

  private func accept(_ clients: inout [Client]) {
    while true {
      let number = Glibc.accept(listener, nil, nil)
      guard number >= 0 else { return }
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      _ = fcntl(number, F_SETFL, O_NONBLOCK)
      guard let peer = try? UnixSocket.peer(of: number) else {
        close(number)
        continue
      }
      let connection = Connection(socket: number, peer: peer) { [weak self] in self?.wake() }
      guard let refusal = refusal(of: peer, count: clients.count) else {
        clients.append(Client(connection))
        continue
      }
      // The connection is closed when this value goes away; one line fits into its buffer.
      connection.enqueue(Wire.failure(refusal, of: .null))
      _ = connection.flush()
    }
  }

  private func refusal(of peer: ControlPeer, count: Int) -> ControlError? {
    if peer.user != geteuid() && peer.user != 0 {
      return ControlError(.denied, "this world belongs to another user", errno: .accessDenied)
    }
    if count >= ControlServer.maximumConnections {
      return ControlError(
        .refused, "the world already has \(count) connections",
        remedy: "close one of them, or wait")
    }
    return nil
  }
}
