internal import CFuse
public import Platform

/// Success without a value.
public struct Empty: ReplyPayload, Hashable, Sendable {
  /// Nothing to say.
  public init() {}

  /// Sends success.
  public func send(to request: RequestAnswer) -> Bool { request.sendSuccess() }
}

extension Reply where Payload == Empty {
  /// Answers with success.
  @discardableResult
  public consuming func succeed() -> Bool { succeed(Empty()) }
}

/// How many bytes were written or copied.
public struct Written: ReplyPayload, Hashable, Sendable {
  /// The number of bytes.
  public var count: UInt32

  /// So many bytes.
  public init(_ count: Int) { self.count = UInt32(count) }

  /// Sends the number.
  public func send(to request: RequestAnswer) -> Bool {
    request.send(valueOf: fuse_write_out(size: count, padding: 0))
  }
}

/// A position, as an answer to LSEEK.
public struct Offset: ReplyPayload, Hashable, Sendable {
  /// The position in bytes.
  public var value: Int64

  /// A position.
  public init(_ value: Int64) { self.value = value }

  /// Sends the position.
  public func send(to request: RequestAnswer) -> Bool {
    request.send(valueOf: fuse_lseek_out(offset: UInt64(bitPattern: value)))
  }
}

/// Sizes of the file system, as an answer to STATFS.
public struct Statistics: ReplyPayload, Hashable, Sendable {
  /// The unit of the block counts, in bytes.
  public var blockSize: UInt32
  /// All blocks.
  public var blocks: UInt64
  /// Free blocks.
  public var freeBlocks: UInt64
  /// Blocks that an ordinary user may still fill.
  public var availableBlocks: UInt64
  /// All inodes.
  public var files: UInt64
  /// Free inodes.
  public var freeFiles: UInt64
  /// The longest name in bytes.
  public var maximumNameLength: UInt32

  /// Sizes of a file system.
  public init(
    blockSize: UInt32 = 4096, blocks: UInt64 = 0, freeBlocks: UInt64 = 0,
    availableBlocks: UInt64 = 0, files: UInt64 = 0, freeFiles: UInt64 = 0,
    maximumNameLength: UInt32 = UInt32(FileName.maximumLength)
  ) {
    self.blockSize = blockSize
    self.blocks = blocks
    self.freeBlocks = freeBlocks
    self.availableBlocks = availableBlocks
    self.files = files
    self.freeFiles = freeFiles
    self.maximumNameLength = maximumNameLength
  }

  /// Sends the sizes.
  public func send(to request: RequestAnswer) -> Bool {
    var out = fuse_statfs_out()
    out.st.bsize = blockSize
    out.st.frsize = blockSize
    out.st.blocks = blocks
    out.st.bfree = freeBlocks
    out.st.bavail = availableBlocks
    out.st.files = files
    out.st.ffree = freeFiles
    out.st.namelen = maximumNameLength
    return request.send(valueOf: out)
  }
}

/// The lock that is in the way, as an answer to GETLK.
public struct ConflictingLock: ReplyPayload, Hashable, Sendable {
  /// The lock; of kind `unlock` when none is in the way.
  public var lock: FileLock

  /// A lock.
  public init(_ lock: FileLock) { self.lock = lock }

  /// Sends the lock.
  public func send(to request: RequestAnswer) -> Bool {
    let end = lock.count == 0 ? UInt64(Int64.max) : UInt64(lock.start + lock.count - 1)
    return request.send(
      valueOf: fuse_lk_out(
        lk: fuse_file_lock(
          start: UInt64(lock.start), end: end, type: UInt32(lock.kind.rawValue),
          pid: UInt32(bitPattern: lock.process))))
  }
}

/// The result of a device control, as an answer to IOCTL; what it hands out is at most `limit` bytes.
public struct ControlResult: ReplyPayload {
  /// What ioctl(2) returns.
  public var result: Int32
  let output: UnsafeRawBufferPointer

  /// A result, and bytes for the caller, which must stay until `succeed` returns.
  public init(
    _ result: Int32, output: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) {
    self.result = result
    self.output = output
  }

  /// Sends the result.
  public func send(to request: RequestAnswer) -> Bool {
    request.sendControlResult(
      result, UnsafeRawBufferPointer(rebasing: output.prefix(Int(request.limit))))
  }
}

extension RequestAnswer {
  fileprivate func sendControlResult(_ result: Int32, _ output: UnsafeRawBufferPointer) -> Bool {
    if output.isEmpty {
      return send(valueOf: fuse_ioctl_out(result: result, flags: 0, in_iovs: 0, out_iovs: 0))
    }
    let size = MemoryLayout<fuse_ioctl_out>.size
    return withUnsafeTemporaryAllocation(byteCount: size + output.count, alignment: 8) { buffer in
      buffer.storeBytes(
        of: fuse_ioctl_out(result: result, flags: 0, in_iovs: 0, out_iovs: 0),
        as: fuse_ioctl_out.self)
      UnsafeMutableRawBufferPointer(rebasing: buffer[size...]).copyMemory(from: output)
      return send(UnsafeRawBufferPointer(buffer))
    }
  }
}
