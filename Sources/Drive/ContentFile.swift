import Glibc
public import Platform

/// One version's content on this device, open for reading and writing.
///
/// What came from the cloud is never written again, but by programs on this device.
public final class ContentFile: Sendable {
  private let descriptor: FileDescriptor
  private let files: LocalFiles

  init(_ descriptor: consuming FileDescriptor, _ files: LocalFiles) {
    self.descriptor = descriptor
    self.files = files
  }

  /// The number, valid while this object lives.
  public var number: CInt { descriptor.rawValue }

  /// Fills the buffer from a position; a short count means the end of the file.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try files.willCall(.read)
    return try descriptor.read(into: buffer, at: offset)
  }

  /// Writes all bytes.
  func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(Errno) {
    let result: Result<Int, Errno> = bytes.withUnsafeBytes { raw in
      Result { () throws(Errno) in try writeSome(raw, at: offset) }
    }
    guard try result.get() < bytes.count else { return }
    // What was in the way of the rest is in the way still.
    try write(bytes.dropFirst(try result.get()), at: offset + Int64(try result.get()))
  }

  /// Writes bytes, as write(2): as many as there is room for, and fails only if that is none.
  func writeSome(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    let (count, error) = files.willWrite(bytes.count)
    if let error, count == 0 { throw error }
    return try descriptor.writeSome(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
  }

  /// Makes the content durable, as fdatasync(2).
  func synchronize() throws(Errno) {
    try files.willCall(.synchronize)
    try descriptor.synchronize()
  }

  /// As fallocate(2).
  func allocate(_ range: ByteRange, mode: CInt) throws(Errno) {
    try files.willCall(.allocate)
    try descriptor.allocate(range, mode: mode)
  }

  /// What fstat(2) says.
  func status() throws(Errno) -> stat {
    try files.willCall(.status)
    return try descriptor.status()
  }

  /// The length in bytes.
  func size() throws(Errno) -> Int64 { Int64(try status().st_size) }

  func truncate(to size: Int64) throws(Errno) {
    try files.willCall(.truncate)
    try descriptor.truncate(to: size)
  }
}
