internal import CFuse
internal import Platform

/// The value of an extended attribute, or the list of names, each ended by NUL.
///
/// It answers the size when the caller asked for that, and ERANGE when the caller's buffer is too
/// small. The bytes must stay until `succeed` returns.
public struct ExtendedAttribute: ReplyPayload {
  let buffer: UnsafeRawBufferPointer

  /// The bytes of a buffer.
  public init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

  /// Sends the value, its size or ERANGE.
  public func send(to request: RequestAnswer) -> Bool {
    if request.limit == 0 {
      return request.send(valueOf: fuse_getxattr_out(size: UInt32(buffer.count), padding: 0))
    }
    guard buffer.count <= Int(request.limit) else { return request.fail(.rangeTooSmall) }
    return request.send(buffer)
  }
}

extension Reply where Payload == ExtendedAttribute {
  /// Answers with the bytes of an array.
  @discardableResult
  public consuming func succeed(_ bytes: [UInt8]) -> Bool {
    let answer = relinquish()
    return bytes.withUnsafeBytes { ExtendedAttribute($0).send(to: answer) }
  }
}
