internal import CFuse
internal import Glibc
internal import Platform

/// A request that the kernel waits for, as a payload sees it: something bytes can be sent to.
///
/// Only a `Reply` makes one, and it makes exactly one answer out of it.
public struct RequestAnswer {
  let request: OpaquePointer
  let core: Unmanaged<SessionCore>
  /// Names the interrupt handler of a held reply; 0 when there is none.
  var interruptToken: UInt64 = 0
  /// The most bytes that the kernel takes as an answer, where the request says so.
  let limit: UInt32
  /// Whether it is a READ that no descriptor owns.
  let fillsPageCache: Bool

  /// Takes charge of a request: from here on it keeps the session alive until it is answered.
  @inline(__always)
  init(_ request: OpaquePointer, limit: UInt32 = 0, fillsPageCache: Bool = false) {
    self.request = request
    self.limit = limit
    self.fillsPageCache = fillsPageCache
    core = Unmanaged<SessionCore>.fromOpaque(fuse_req_userdata(request)).retain()
  }

  /// Answers with an error.
  @inline(__always) @discardableResult
  func fail(_ error: Errno) -> Bool {
    // libfuse takes numbers below 1000 only, and 0 would be success.
    let number = 1..<1000 ~= error.rawValue ? error.rawValue : EIO
    return finish(fuse_reply_err(forgotten(), number))
  }

  /// Answers with success and nothing else.
  @inline(__always)
  func sendSuccess() -> Bool { finish(fuse_reply_err(forgotten(), 0)) }

  /// Answers with bytes.
  @inline(__always)
  func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
    finish(
      fuse_reply_buf(
        forgotten(), bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count))
  }

  /// Answers with the bytes of a value of C.
  @inline(__always)
  func send<Value: BitwiseCopyable>(valueOf value: Value) -> Bool {
    withUnsafeBytes(of: value) { send($0) }
  }

  /// The request, after its interrupt handler can no longer be found.
  @inline(__always)
  private func forgotten() -> OpaquePointer {
    if interruptToken != 0 {
      core._withUnsafeGuaranteedRef { $0.interrupts.remove(interruptToken) }
    }
    return request
  }

  @inline(__always)
  private func finish(_ result: CInt) -> Bool {
    core.release()
    return result == 0
  }
}

/// What can be the success of a request.
///
/// The types that conform are this module's; each sends itself as the kernel expects it.
public protocol ReplyPayload {
  /// Sends the value; returns whether the kernel took it.
  func send(to request: RequestAnswer) -> Bool
}
