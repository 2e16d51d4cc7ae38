internal import CPlatform
public import Glibc

/// An open file, closed when the value goes away.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The number.
  public let rawValue: CInt

  /// Takes over an open descriptor.
  public init(owning rawValue: CInt) { self.rawValue = rawValue }

  deinit { Glibc.close(rawValue) }

  /// Gives the number up without closing it.
  public consuming func relinquish() -> CInt {
    let number = rawValue
    discard self
    return number
  }

  /// Opens a file, as open(2), always with `O_CLOEXEC`.
  public static func open(
    _ path: String, _ flags: CInt, permissions: mode_t = 0o600
  ) throws(Errno) -> FileDescriptor {
    let number = Glibc.open(path, flags | O_CLOEXEC, permissions)
    guard number >= 0 else { throw Errno.current }
    return FileDescriptor(owning: number)
  }

  /// Opens a file below this folder, as openat(2), always with `O_CLOEXEC`.
  public func open(
    _ path: String, _ flags: CInt, permissions: mode_t = 0o600
  ) throws(Errno) -> FileDescriptor {
    let number = openat(rawValue, path, flags | O_CLOEXEC, permissions)
    guard number >= 0 else { throw Errno.current }
    return FileDescriptor(owning: number)
  }

  /// Fills the buffer from a position, as pread(2); a short count means the end of the file.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    var done = 0
    while done < buffer.count, let base = buffer.baseAddress {
      let count = pread(rawValue, base + done, buffer.count - done, off_t(offset) + off_t(done))
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw Errno.current
      }
      done += count
    }
    return done
  }

  /// Writes all bytes at a position, as pwrite(2).
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
      let count = pwrite(rawValue, base + done, bytes.count - done, off_t(offset) + off_t(done))
      if count < 0 {
        if errno == EINTR { continue }
        throw Errno.current
      }
      done += count
    }
  }

  /// Writes bytes at a position, as pwrite(2): as many as there is room for, and fails only if that is none.
  public func writeSome(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
      let count = pwrite(rawValue, base + done, bytes.count - done, off_t(offset) + off_t(done))
      if count < 0, errno == EINTR { continue }
      if count < 0, done == 0 { throw Errno.current }
      if count <= 0 { break }
      done += count
    }
    return done
  }

  /// Sets the size, as ftruncate(2).
  public func truncate(to size: Int64) throws(Errno) {
    guard ftruncate(rawValue, off_t(size)) == 0 else { throw Errno.current }
  }

  /// Allocates, punches or zeroes a range, as fallocate(2).
  public func allocate(_ range: ByteRange, mode: CInt) throws(Errno) {
    guard platform_allocate(rawValue, mode, range.offset, range.count) == 0 else {
      throw Errno.current
    }
  }

  /// Makes the content durable, as fdatasync(2).
  public func synchronize() throws(Errno) {
    guard fdatasync(rawValue) == 0 else { throw Errno.current }
  }

  /// Makes everything durable that is on the same file system, as syncfs(2).
  public func synchronizeFileSystem() throws(Errno) {
    let result = platform_sync_file_system(rawValue)
    guard result == 0 else { throw Errno(rawValue: result) }
  }

  /// What fstat(2) says.
  public func status() throws(Errno) -> stat {
    var status = stat()
    guard fstat(rawValue, &status) == 0 else { throw Errno.current }
    return status
  }
}
