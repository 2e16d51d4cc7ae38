import Cloud
import Control
import Drive
import Platform
import Simulation

/// Errors and callers of the layers below, in the control protocol's terms.
extension ControlError {
  init(_ error: DriveError) {
    let code: Code =
      switch error.code {
      case .notFound: .notFound
      case .unreachable: .offline
      case .wrongKind, .isOpen, .isPending, .isPinned, .neverEvicts, .notHere: .refused
      case .failed: .failed
      }
    self.init(code, error.message)
  }

  init(_ error: CloudError) {
    let code: Code =
      switch error.code {
      case .notFound: .notFound
      case .offline: .offline
      case .timedOut, .throttled: .timedOut
      case .denied: .denied
      case .unsupported: .unsupported
      case .nameTaken: .exists
      case .notEmpty: .refused
      case .cancelled: .cancelled
      default: .failed
      }
    self.init(code, error.message)
  }

  init(_ error: GateError) { self.init(.notFound, error.description) }

  static func translating<Value>(_ body: () throws(DriveError) -> Value) throws(ControlError)
    -> Value
  {
    do throws(DriveError) { return try body() } catch { throw ControlError(error) }
  }

  static func translatingCloud<Value>(
    _ body: () async throws(CloudError) -> Value
  ) async throws(ControlError) -> Value {
    do throws(CloudError) { return try await body() } catch { throw ControlError(error) }
  }

  static func translatingGate<Value>(
    _ body: () throws(GateError) -> Value
  ) throws(ControlError) -> Value {
    do throws(GateError) { return try body() } catch { throw ControlError(error) }
  }
}

extension ControlPeer {
  /// The process that asks, as if it had made a request of its own.
  var caller: Caller { Caller(thread: process, user: user, group: 0) }
}

extension World {
  func drive(_ name: String?) throws(ControlError) -> Drive {
    if let device = device(named: name) { return device.drive }
    guard let name else {
      throw ControlError(.invalidParameters, "this world has several devices; name one")
    }
    throw ControlError(.notFound, "there is no device '\(name)' in this world")
  }
}
