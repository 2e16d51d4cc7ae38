internal import Foundation
internal import Glibc
public import Platform

/// Answers requests on a world's control socket.
///
/// One thread of its own reads and writes all sockets, and never waits for a handler: handlers run on
/// the worker pool, so a request that waits holds up no other, not even of the same caller. Results
/// come in the order in which they are ready. When a caller goes away its requests are cancelled.
///
/// The socket has mode 0600 and lies in a folder with mode 0700; callers of another user than the
/// server's, root excepted, are sent away.
public final class ControlServer: Sendable {
  /// More callers than this at once are sent away.
  public static let maximumConnections = 64

  /// The socket's path.
  public let path: String
  private let workers: WorkerPool
  private let methods: ControlMethods
  private let state = Locked(State())

  private struct State: Sendable {
    var loop: SocketLoop?
    var thread: ThreadIdentifier?
  }

  /// Prepares a server; nothing happens before `start`.
  public init(path: String, workers: WorkerPool, methods: ControlMethods) {
    self.path = path
    self.workers = workers
    var methods = methods
    // Its handler is the server itself, which knows the caller's other requests.
    methods.register(RequestCancel.self) { _, _ in RequestCancel.Result(cancelled: false) }
    self.methods = methods
  }

  /// The names of all methods, sorted.
  public var methodNames: [String] { methods.names }

  /// Makes the socket and begins to answer.
  ///
  /// A socket that nobody listens on any more is replaced.
  /// - Throws: `.exists` when a server already listens there, `.denied` when the folder is not
  ///   private to the user.
  public func start() throws(ControlError) {
    let listener = try Listener.open(path)
    let loop: SocketLoop
    do {
      loop = try SocketLoop(listener: listener) { [self] connection, line in
        accept(line, from: connection)
      }
    } catch {
      throw ControlError(.failed, "the control socket cannot be served: \(error)", errno: error)
    }
    guard let thread = Threads.start(named: "control", { loop.run() }) else {
      throw ControlError(.failed, "the control socket cannot be served: no thread is left")
    }
    state.withLock { state in
      state.loop = loop
      state.thread = thread
    }
  }

  /// Cancels what runs, sends what is ready, removes the socket; waits up to a second for that.
  ///
  /// Must not be called from a handler, since it waits for the handlers to end.
  public func stop() {
    let (loop, thread) = state.withLock { state in
      defer { state = State() }
      return (state.loop, state.thread)
    }
    guard let loop, let thread else { return }
    loop.stop()
    Threads.join(thread)
    unlink(path)
  }

  private func accept(_ piece: LineBuffer.Piece, from connection: Connection) {
    switch piece {
    case .tooLong:
      let error = ControlError(
        .invalidRequest, "a request is longer than \(Wire.maximumRequest) bytes",
        remedy: "split it")
      connection.enqueue(Wire.failure(error, of: .null))
    case .line(let bytes):
      // A line of blanks asks nothing; so a person can use the socket by hand.
      if bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { return }
      begin(Data(bytes), of: connection)
    }
  }

  /// Reads a request's header on the server's own thread, so that requests begin in the order in which
  /// they came, and one can be cancelled by the next line.
  private func begin(_ line: Data, of connection: Connection) {
    var request: RequestID? = .null
    do throws(ControlError) {
      let header = try Self.header(of: line)
      // Even without an identifier the caller shall learn that the request is none.
      request = header.id ?? .null
      guard header.jsonrpc == "2.0", let method = header.method else {
        throw ControlError(
          .invalidRequest, "a request needs \"jsonrpc\": \"2.0\" and a \"method\"")
      }
      request = header.id
      if method == RequestCancel.name {
        let result = try Self.cancel(line, connection)
        if let request { connection.enqueue(Wire.result(result, of: request)) }
        return
      }
      let handler = try methods.handler(of: method)
      let identifier = header.id
      connection.start(identifier, on: workers) {
        await Self.answer(line, with: handler, identifier, connection)
      }
    } catch {
      if let request { connection.enqueue(Wire.failure(error, of: request)) }
    }
  }

  /// - Returns: the line that answers the request; nil for one that wants no answer.
  private static func answer(
    _ line: Data, with handler: any RequestHandler, _ request: RequestID?, _ connection: Connection
  ) async -> Data? {
    do throws(ControlError) {
      let result = try await handler.result(of: line, from: connection.peer, request: request) {
        await connection.send($0)
      }
      return request.map { Wire.result(result, of: $0) }
    } catch {
      return request.map { Wire.failure(error, of: $0) }
    }
  }

  private static func cancel(
    _ line: Data, _ connection: Connection
  ) throws(ControlError) -> Data {
    do {
      let body = try Wire.decode(RequestBody<RequestCancel.Params>.self, from: line)
      let cancelled = connection.cancel(body.params.request)
      return try Wire.encode(RequestCancel.Result(cancelled: cancelled))
    } catch let error as DecodingError {
      throw ControlError(error)
    } catch {
      throw ControlError(.internalError, "the result cannot be written: \(error)")
    }
  }

  private static func header(of line: Data) throws(ControlError) -> RequestHeader {
    if line.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "[") {
      throw ControlError(
        .invalidRequest, "batches are not supported", remedy: "send one request a line")
    }
    do {
      return try Wire.decode(RequestHeader.self, from: line)
    } catch DecodingError.typeMismatch {
      throw ControlError(.invalidRequest, "a request must be an object")
    } catch {
      throw ControlError(.parseError, "the line is not JSON")
    }
  }
}
