internal import CFuse
internal import Glibc
internal import Platform

/// The functions that libfuse calls: each makes a reply and calls the operation.
enum Callbacks {
  /// The table for libfuse; what is not offered stays NULL, which libfuse answers with ENOSYS.
  static func table(for offered: OfferedOperations) -> fuse_lowlevel_ops {
    var table = fuse_lowlevel_ops()
    addNodes(to: &table)
    addNames(to: &table)
    addFiles(to: &table)
    addFolders(to: &table)
    addOptional(offered, to: &table)
    return table
  }

  private static func addOptional(
    _ offered: OfferedOperations, to table: inout fuse_lowlevel_ops
  ) {
    if offered.contains(.access) { addAccess(to: &table) }
    if offered.contains(.create) { addCreate(to: &table) }
    if offered.contains(.flush) { addFlush(to: &table) }
    if offered.contains(.extendedAttributes) { addExtendedAttributes(to: &table) }
    if offered.contains(.fallocate) { addFallocate(to: &table) }
    if offered.contains(.lseek) { addSeek(to: &table) }
    if offered.contains(.copyFileRange) { addCopy(to: &table) }
    if offered.contains(.ioctl) { addIoctl(to: &table) }
    if offered.contains(.recordLocks) { addRecordLocks(to: &table) }
    if offered.contains(.wholeFileLocks) { addWholeFileLocks(to: &table) }
  }
}

extension RequestAnswer {
  /// Calls the operations with this answer.
  @inline(__always)
  func serve(_ body: (any FuseOperations, RequestAnswer) -> Void) {
    core._withUnsafeGuaranteedRef { body($0.operations, self) }
  }

  /// Calls the operations with this answer and a name, unless the name is none.
  @inline(__always)
  func serve(
    _ name: UnsafePointer<CChar>,
    _ body: (any FuseOperations, Span<UInt8>, RequestAnswer) -> Void
  ) {
    let bytes = UnsafeBufferPointer(
      start: UnsafeRawPointer(name).assumingMemoryBound(to: UInt8.self), count: strlen(name))
    if let error = Self.flaw(of: bytes) {
      fail(error)
    } else {
      core._withUnsafeGuaranteedRef { body($0.operations, bytes.span, self) }
    }
  }

  /// Why bytes cannot be a name; the kernel itself takes names of up to 1,024 bytes.
  @inline(__always)
  static func flaw(of name: UnsafeBufferPointer<UInt8>) -> Errno? {
    if name.count > FileName.maximumLength { return .nameTooLong }
    guard let start = name.baseAddress, !name.isEmpty else { return .invalid }
    return memchr(start, CInt(UInt8(ascii: "/")), name.count) == nil ? nil : .invalid
  }
}
