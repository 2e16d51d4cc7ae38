internal import CFuse
internal import Glibc
public import Platform

/// The single answer that the kernel waits for.
///
/// Consume it with `succeed` or `fail`, on any thread. A reply that goes out of scope unanswered
/// answers EIO, so a forgotten request cannot hang its caller. To keep one for later, put it into a
/// `ReplySlot`; a kept reply occupies no thread.
public struct Reply<Payload: ReplyPayload>: ~Copyable, @unchecked Sendable {
  let answer: RequestAnswer

  @inline(__always)
  init(_ answer: RequestAnswer) { self.answer = answer }

  deinit { answer.fail(.io) }

  /// Answers with success.
  ///
  /// - Returns: whether the kernel took the answer. It does not when the connection ended: an OPEN
  ///   answered so will see no RELEASE, a LOOKUP no FORGET.
  @discardableResult
  public consuming func succeed(_ payload: Payload) -> Bool {
    let result = payload.send(to: answer)
    discard self
    return result
  }

  /// Answers with an error.
  ///
  /// - Returns: whether the kernel took the answer.
  @discardableResult
  public consuming func fail(_ error: Errno) -> Bool {
    let result = answer.fail(error)
    discard self
    return result
  }

  /// Gives the duty to answer to the caller.
  consuming func relinquish() -> RequestAnswer {
    let answer = answer
    discard self
    return answer
  }

  /// Who asked. Read it before the reply: afterwards the process may be gone.
  public var caller: Caller { answer.caller }
  /// Whether the caller was interrupted already (a signal), so that nobody waits for the success.
  public var isInterrupted: Bool { fuse_req_interrupted(answer.request) != 0 }
  /// The most bytes that the caller takes: for reads, targets and extended attributes; else 0.
  public var limit: Int { Int(answer.limit) }
  /// Whether this is a READ for the page cache, and not for a caller of read(2) alone: a page fault, or
  /// a read of a file that is not open for direct I/O.
  public var fillsPageCache: Bool { answer.fillsPageCache }
}

extension RequestAnswer {
  var caller: Caller {
    guard let context = fuse_req_ctx(request) else { return Caller(thread: 0, user: 0, group: 0) }
    return Caller(
      thread: context.pointee.pid, user: context.pointee.uid, group: context.pointee.gid)
  }

  var umask: UInt32 { fuse_req_ctx(request)?.pointee.umask ?? 0 }
}
