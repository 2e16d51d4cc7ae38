internal import CFuse
internal import Glibc
internal import Platform

/// Refuses requests whose lengths do not fit together, which libfuse would follow out of the buffer.
///
/// The kernel makes none; a test or a broken proxy may.
enum RequestCheck {
  private static let header = MemoryLayout<fuse_in_header>.size

  /// Whether the request may be handed on; if not, it was answered with EINVAL.
  @inline(__always)
  static func passes(_ request: UnsafeMutableRawBufferPointer, _ core: SessionCore) -> Bool {
    guard request.count >= header else { return false }
    let length = request.load(as: UInt32.self)
    let opcode = request.load(fromByteOffset: 4, as: UInt32.self)
    if Int(length) == request.count, fits(opcode, request) { return true }
    refuse(unique: request.load(fromByteOffset: 8, as: UInt64.self), core)
    return false
  }

  @inline(__always)
  private static func fits(_ opcode: UInt32, _ request: UnsafeMutableRawBufferPointer) -> Bool {
    switch fuse_opcode(opcode) {
    case FUSE_WRITE: counts(request, behind: MemoryLayout<fuse_write_in>.size, at: 16)
    case FUSE_SETXATTR: counts(request, behind: 8, at: 0)
    case FUSE_IOCTL: counts(request, behind: MemoryLayout<fuse_ioctl_in>.size, at: 24)
    case FUSE_BATCH_FORGET: counts(request, behind: 8, at: 0, unit: 16)
    default: true
    }
  }

  /// Whether the count in the request's body is not larger than what follows the body.
  private static func counts(
    _ request: UnsafeMutableRawBufferPointer, behind body: Int, at position: Int, unit: Int = 1
  ) -> Bool {
    guard request.count >= header + body else { return false }
    let count = request.load(fromByteOffset: header + position, as: UInt32.self)
    return Int(count) * unit <= request.count - header - body
  }

  private static func refuse(unique: UInt64, _ core: SessionCore) {
    var reply = fuse_out_header(
      len: UInt32(MemoryLayout<fuse_out_header>.size), error: -EINVAL, unique: unique)
    _ = write(core.device, &reply, MemoryLayout<fuse_out_header>.size)
  }
}
