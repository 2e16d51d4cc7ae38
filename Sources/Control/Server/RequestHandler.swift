internal import Foundation

/// Answers requests of one method, whatever its types are.
protocol RequestHandler: Sendable {
  /// The JSON of the result.
  ///
  /// - Parameter send: queues a notification, and waits while the caller does not read.
  func result(
    of line: Data, from peer: ControlPeer, request: RequestID?,
    send: @escaping @Sendable (Data) async -> Bool
  ) async throws(ControlError) -> Data
}

/// Reads a method's parameters, runs its handler, and writes its result.
struct MethodHandler<Method: ControlMethod>: RequestHandler {
  let body:
    @Sendable (Method.Params, ControlContext<Method>) async throws(ControlError) -> Method.Result

  func result(
    of line: Data, from peer: ControlPeer, request: RequestID?,
    send: @escaping @Sendable (Data) async -> Bool
  ) async throws(ControlError) -> Data {
    let params = try params(in: line)
    let context = ControlContext<Method>(peer: peer, send: send, request: request)
    return try Self.encode(try await body(params, context))
  }

  private func params(in line: Data) throws(ControlError) -> Method.Params {
    do {
      let params = try Wire.decode(RequestBody<Method.Params>.self, from: line).params
      try Self.refuseUnknownKeys(of: params, in: line)
      return params
    } catch let error as DecodingError {
      throw ControlError(error)
    } catch let error as ControlError {
      throw error
    } catch {
      throw ControlError(.invalidParameters, "the parameters cannot be read")
    }
  }

  /// A misspelt optional parameter must not be taken for an absent one.
  private static func refuseUnknownKeys(of params: some Encodable, in line: Data) throws {
    let message = try JSONSerialization.jsonObject(with: line) as? [String: Any]
    guard let said = message?["params"] else { return }
    let read = try JSONSerialization.jsonObject(with: Wire.encode(params))
    guard let unknown = unknownKey(in: said, knowing: read) else { return }
    throw ControlError(
      .invalidParameters, "\(unknown): is not a parameter of this method",
      remedy: "see docs/control.md for the method's parameters")
  }

  /// The path of a key that was said, but is not in what was read.
  private static func unknownKey(in said: Any, knowing read: Any) -> String? {
    guard let said = said as? [String: Any], let read = read as? [String: Any] else { return nil }
    for (key, value) in said.sorted(by: { $0.key < $1.key }) where !(value is NSNull) {
      guard let known = read[key] else { return key }
      if let inner = unknownKey(in: value, knowing: known) { return "\(key).\(inner)" }
    }
    return nil
  }

  private static func encode(_ result: some Encodable) throws(ControlError) -> Data {
    do {
      return try Wire.encode(result)
    } catch {
      throw ControlError(.internalError, "the result cannot be written: \(error)")
    }
  }
}
