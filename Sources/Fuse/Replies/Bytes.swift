public import Platform

/// Bytes as an answer: to READ and READLINK.
///
/// It only points to them; they must stay until `succeed` returns, and are not copied before the
/// kernel copies them.
public struct Bytes: ReplyPayload {
  let buffer: UnsafeRawBufferPointer

  /// The bytes of a buffer.
  public init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

  /// No byte: the end of the file.
  public static var none: Bytes { Bytes(UnsafeRawBufferPointer(start: nil, count: 0)) }

  /// Sends the bytes, at most as many as were asked for.
  public func send(to request: RequestAnswer) -> Bool {
    request.send(UnsafeRawBufferPointer(rebasing: buffer.prefix(Int(request.limit))))
  }
}

extension Reply where Payload == Bytes {
  /// Answers with the bytes of an array, or its first `limit` ones.
  @discardableResult
  public consuming func succeed(_ bytes: [UInt8]) -> Bool {
    let answer = relinquish()
    return bytes.withUnsafeBytes { Bytes($0).send(to: answer) }
  }

  /// Answers with what `fill` writes into a buffer of `limit` bytes that is kept for this.
  ///
  /// - Parameter fill: returns how many bytes it wrote; its error becomes the answer. It may not
  ///   keep the buffer. The buffer is aligned to a page and not cleared.
  @discardableResult
  public consuming func succeed(
    filling fill: (UnsafeMutableRawBufferPointer) throws(Errno) -> Int
  ) -> Bool {
    let answer = relinquish()
    let core = answer.core.takeUnretainedValue()
    let buffer = core.buffers.take(Int(answer.limit))
    defer { core.buffers.give(buffer) }
    let window = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(answer.limit)))
    do {
      let count = try fill(window)
      return Bytes(UnsafeRawBufferPointer(rebasing: window.prefix(count))).send(to: answer)
    } catch {
      return answer.fail(error)
    }
  }
}

/// The target of a symbolic link, as an answer to READLINK.
public struct Target: ReplyPayload {
  let buffer: UnsafeRawBufferPointer

  /// The bytes of a buffer, which must stay until `succeed` returns.
  public init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

  /// Sends the target.
  public func send(to request: RequestAnswer) -> Bool { request.send(buffer) }
}

extension Reply where Payload == Target {
  /// Answers with the bytes of an array.
  @discardableResult
  public consuming func succeed(_ bytes: [UInt8]) -> Bool {
    let answer = relinquish()
    return bytes.withUnsafeBytes { Target($0).send(to: answer) }
  }
}
