internal import Platform

/// Keeps buffers for answers, so that a request needs no allocation of its own.
///
/// The buffer given back last is taken first, since it is still in the processor's cache. There are
/// never more than requests were answered at once.
final class BufferPool: Sendable {
  // Whoever took a buffer has it alone; in the list nobody uses it.
  private struct Buffer: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
  }

  /// The smallest buffer that is made.
  private static let minimumCount = 64 * 1024
  private let free = Locked<[Buffer]>([])

  deinit {
    free.withLock { free in
      for buffer in free { buffer.bytes.deallocate() }
    }
  }

  /// A buffer of at least `count` bytes, aligned to a page, with any content.
  func take(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if let last = free.withLock({ $0.popLast() }) {
      if last.bytes.count >= count { return last.bytes }
      last.bytes.deallocate()
    }
    return .allocate(byteCount: max(count, Self.minimumCount), alignment: 4096)
  }

  /// Takes a buffer back.
  func give(_ bytes: UnsafeMutableRawBufferPointer) {
    let buffer = Buffer(bytes: bytes)
    free.withLock { $0.append(buffer) }
  }
}
