internal import Foundation
internal import Glibc
internal import Platform

/// Calls methods over a control socket, one at a time, and blocks its thread meanwhile.
///
/// A thread that wants to call while another one's call waits opens a client of its own.
public final class ControlClient {
  private let socket: CInt
  private var input = LineBuffer(limit: Wire.maximumReply)
  private var lines: [LineBuffer.Piece] = []
  private var lastRequest: Int64 = 0

  /// Connects to a socket; its path may have any length.
  ///
  /// - Throws: `.notRunning` when nobody listens there, `.denied` when it is another user's.
  public init(path: String) throws(ControlError) {
    do {
      socket = try UnixSocket.connect(to: path).relinquish()
    } catch {
      switch error {
      case .noSuchFile, .notDirectory, Errno(rawValue: ECONNREFUSED):
        throw ControlError(
          .notRunning, "no world answers at '\(path)'", remedy: "mount the drive again",
          errno: error)
      case .accessDenied, .notPermitted:
        throw ControlError(.denied, "the world at '\(path)' belongs to another user", errno: error)
      default:
        throw ControlError(.failed, "'\(path)' cannot be reached: \(error)", errno: error)
      }
    }
  }

  deinit { close(socket) }

  /// The process that serves the socket, from SO_PEERCRED; 0 when that cannot be told.
  public var server: Int32 { (try? UnixSocket.peer(of: socket))?.process ?? 0 }

  /// Calls a method and waits for its result.
  ///
  /// - Parameters:
  ///   - timeout: how long to wait for the result; the request is then cancelled. Nil waits for ever.
  ///   - progress: is called on this thread for each notification of the request.
  /// - Throws: the server's error, `.timedOut`, or `.disconnected`.
  public func call<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params, timeout: Duration? = nil,
    progress: (Method.Progress) -> Void = { _ in }
  ) throws(ControlError) -> Method.Result {
    lastRequest += 1
    let request = RequestID.number(lastRequest)
    let deadline = timeout.map { ContinuousClock.now + $0 }
    try send(Self.line(method.name, request, params))
    while true {
      let piece: LineBuffer.Piece
      do {
        piece = try next(before: deadline)
      } catch {
        if error.code == .timedOut { abandon(request) }
        throw error
      }
      guard case .line(let bytes) = piece else {
        throw ControlError(.badReply, "the world sent more than \(Wire.maximumReply) bytes")
      }
      if let result = try take(Data(bytes), of: method, request, progress) { return result }
    }
  }

  /// The result, if a line holds it; nil for a notification and for what an earlier call left.
  private func take<Method: ControlMethod>(
    _ line: Data, of method: Method.Type, _ request: RequestID,
    _ progress: (Method.Progress) -> Void
  ) throws(ControlError) -> Method.Result? {
    do {
      let header = try Wire.decode(ReplyHeader.self, from: line)
      if header.method != nil {
        if header.params?.request == request {
          progress(try Wire.decode(Notification<Method.Progress>.self, from: line).params.value)
        }
        return nil
      }
      if let error = header.error, header.id == request || header.id == .null {
        throw error.error
      }
      guard header.id == request else { return nil }
      return try Wire.decode(Reply<Method.Result>.self, from: line).result
    } catch let error as ControlError {
      throw error
    } catch {
      throw ControlError(
        .badReply, "the world's answer to '\(method.name)' cannot be understood: \(error)",
        remedy: "it may run another version of this program; mount the drive again")
    }
  }

  /// Tells the server that nobody waits any more; no answer is expected.
  private func abandon(_ request: RequestID) {
    let params = RequestCancel.Params(request: request)
    if let line = try? Self.line(RequestCancel.name, nil, params) { try? send(line) }
  }

  private static func line(
    _ method: String, _ request: RequestID?, _ params: some Encodable
  ) throws(ControlError) -> Data {
    do {
      return Wire.request(method, id: request, params: try Wire.encode(params))
    } catch {
      throw ControlError(.invalidParameters, "the parameters cannot be written: \(error)")
    }
  }

  private func send(_ line: Data) throws(ControlError) {
    var done = 0
    while done < line.count {
      let count = line.withUnsafeBytes { buffer in
        Glibc.send(
          socket, buffer.baseAddress.map { $0 + done }, buffer.count - done, CInt(MSG_NOSIGNAL))
      }
      if count >= 0 {
        done += count
      } else if errno != EINTR {
        // The server may have said why before it closed; that comes as the next line.
        return
      }
    }
  }

  private func next(
    before deadline: ContinuousClock.Instant?
  ) throws(ControlError) -> LineBuffer.Piece {
    while lines.isEmpty {
      try wait(until: deadline)
      let pieces: [LineBuffer.Piece]? = withUnsafeTemporaryAllocation(
        byteCount: 64 << 10, alignment: 1
      ) { buffer in
        let count = recv(socket, buffer.baseAddress, buffer.count, 0)
        if count < 0 && errno == EINTR { return [] }
        return count > 0 ? input.append(buffer[..<count]) : nil
      }
      guard let pieces else {
        throw ControlError(
          .disconnected, "the world stopped before it answered", remedy: "look into its log")
      }
      lines += pieces
    }
    return lines.removeFirst()
  }

  private func wait(until deadline: ContinuousClock.Instant?) throws(ControlError) {
    guard let deadline else { return }
    while true {
      let left = ContinuousClock.now.duration(to: deadline)
      var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      let milliseconds = left > .zero ? CInt(min(left.seconds * 1000 + 1, 1e9)) : 0
      let result = poll(&polled, 1, milliseconds)
      if result > 0 { return }
      if result == 0 && ContinuousClock.now >= deadline {
        throw ControlError(.timedOut, "the world did not answer in time", errno: .timedOut)
      }
    }
  }
}

private struct ReplyHeader: Decodable {
  struct Params: Decodable { var request: RequestID? }
  var id: RequestID?
  var method: String?
  var error: ErrorObject?
  var params: Params?
  private enum Key: String, CodingKey { case id, method, error, params }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    id = container.contains(.id) ? try container.decode(RequestID.self, forKey: .id) : nil
    method = try container.decodeIfPresent(String.self, forKey: .method)
    error = try container.decodeIfPresent(ErrorObject.self, forKey: .error)
    params = try container.decodeIfPresent(Params.self, forKey: .params)
  }
}

private struct Reply<Result: Decodable>: Decodable { var result: Result }

private struct Notification<Value: Decodable>: Decodable {
  struct Params: Decodable { var value: Value }
  var params: Params
}
