import Glibc
public import Platform

/// One version's content on this device, open for reading and writing.
///
/// What came from the cloud is never written again, but by programs on this device.
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

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
    try descriptor.write(bytes, at: offset)
  }

  /// Makes the content durable, as fdatasync(2).
  func synchronize() throws(Errno) { try descriptor.synchronize() }

  /// As fallocate(2).
  func allocate(_ range: ByteRange, mode: CInt) throws(Errno) {
    try descriptor.allocate(range, mode: mode)
  }

  /// What fstat(2) says.
  func status() throws(Errno) -> stat { try descriptor.status() }

  /// The length in bytes.
  func size() throws(Errno) -> Int64 { Int64(try descriptor.status().st_size) }

  func truncate(to size: Int64) throws(Errno) { try descriptor.truncate(to: size) }
}
