public import Platform

/// One version's content on this device, open for reading and writing.
///
/// Once published it is never written again: a handle that reads it keeps its version whole.
public final class ContentFile: Sendable {
  private let descriptor: FileDescriptor

  init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  /// The number, valid while this object lives.
  public var number: CInt { descriptor.rawValue }

  /// Fills the buffer from a position; a short count means the end of the file.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try descriptor.read(into: buffer, at: offset)
  }

  func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(Errno) {
    let result: Result<Void, Errno> = bytes.withUnsafeBytes { raw in
      Result { () throws(Errno) in try descriptor.write(raw, at: offset) }
    }
    try result.get()
  }

  func truncate(to size: Int64) throws(Errno) { try descriptor.truncate(to: size) }
}
