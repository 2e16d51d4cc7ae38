internal import Foundation

/// Who asks over the control socket.
public struct ControlPeer: Hashable, Sendable {
  /// The process that connected.
  public let process: Int32
  /// Its user.
  public let user: UInt32
}

/// What a handler knows of its request beside the parameters.
public struct ControlContext<Method: ControlMethod>: Sendable {
  /// Who asks.
  public let peer: ControlPeer
  let send: @Sendable (Data) async -> Bool
  let request: RequestID?

  /// Tells the caller something before the result, and waits while it does not read.
  ///
  /// A caller that gave no identifier is told nothing.
  ///
  /// - Returns: false when nobody listens any more, so that the handler can end.
  @discardableResult
  public func notify(_ progress: Method.Progress) async -> Bool {
    guard let request, let value = try? Wire.encode(progress) else { return false }
    return await send(Wire.notification(Method.notification, of: request, value: value))
  }
}

/// The methods of a server, by name.
public struct ControlMethods: Sendable {
  private var handlers: [String: any RequestHandler] = [:]

  /// No method.
  public init() {}

  /// The names of all methods, sorted.
  public var names: [String] { handlers.keys.sorted() }

  /// Gives a method its handler, which must end soon after its task is cancelled.
  ///
  /// The handler runs on the server's worker pool; it may wait for as long as it likes.
  public mutating func register<Method: ControlMethod>(
    _ method: Method.Type,
    _ handler:
      @escaping @Sendable (Method.Params, ControlContext<Method>) async throws(ControlError)
      -> Method.Result
  ) {
    precondition(handlers[method.name] == nil, "a method has one handler")
    handlers[method.name] = MethodHandler<Method>(body: handler)
  }

  func handler(of name: String) throws(ControlError) -> any RequestHandler {
    guard let handler = handlers[name] else {
      throw ControlError(
        .unknownMethod, "there is no method '\(name)'",
        remedy: "docs/control.md lists them; the world may run another version of this program")
    }
    return handler
  }
}
