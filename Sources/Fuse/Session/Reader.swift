internal import CFuse
internal import Glibc
internal import Platform
internal import Synchronization

/// One thread that reads requests and has them answered.
final class Reader: @unchecked Sendable {
  private let core: SessionCore
  private let library: OpaquePointer
  private let memory: UnsafeMutableRawBufferPointer
  private let state: UnsafeMutablePointer<cfuse_reader>
  private let ended: @Sendable (CInt) -> Void
  private var thread = pthread_t()

  /// The largest request, of 1 MiB and its headers, and room for what is kept clear behind it.
  static let bufferSize = 1 << 20 + 4096
  /// The headers of a WRITE; so far before a page boundary the buffer begins.
  private static let writeHeaders =
    MemoryLayout<fuse_in_header>.size + MemoryLayout<fuse_write_in>.size
  private static let pageSize = 4096

  /// Starts the thread; `ended` is called on it as the last thing.
  init(
    core: SessionCore, library: OpaquePointer, number: Int,
    ended: @escaping @Sendable (CInt) -> Void
  ) throws(Errno) {
    self.core = core
    self.library = library
    self.ended = ended
    memory = .allocate(byteCount: Self.bufferSize + 2 * Self.pageSize, alignment: Self.pageSize)
    // So the bytes of a WRITE lie on a page boundary.
    let buffer = UnsafeMutableRawBufferPointer(
      rebasing: memory[(Self.pageSize - Self.writeHeaders)...])
    state = .allocate(capacity: 1)
    state.initialize(
      to: cfuse_reader(
        device: core.device, buffer: buffer.baseAddress ?? UnsafeMutableRawPointer(state),
        size: Self.bufferSize, name: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        context: Unmanaged.passUnretained(self).toOpaque(),
        handle: { context, buffer, count in
          Unmanaged<Reader>.fromOpaque(context)._withUnsafeGuaranteedRef {
            $0.handle(UnsafeMutableRawBufferPointer(start: buffer, count: count))
          }
          return true
        },
        ended: { context, error in
          Unmanaged<Reader>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.ended(error) }
        }, error: 0, turns: core.turns?.mutex, stop: core.turns?.stop.descriptor.rawValue ?? -1))
    withUnsafeMutableBytes(of: &state.pointee.name) { bytes in
      bytes.copyBytes(from: "fuse-\(number)".utf8.prefix(15))
    }
    let result = cfuse_reader_start(state, &thread)
    guard result == 0 else { throw Errno(rawValue: result) }
  }

  deinit {
    state.deallocate()
    memory.deallocate()
  }

  /// Whether the calling thread is this one.
  var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

  /// Ends the thread when it next waits for a request.
  func cancel() {
    if let turns = core.turns { turns.stop.signal() } else { pthread_cancel(thread) }
  }

  /// Waits for the thread's end.
  func join() { pthread_join(thread, nil) }

  /// Has one request answered.
  func handle(_ request: UnsafeMutableRawBufferPointer) {
    guard let base = request.baseAddress, RequestCheck.passes(request, core) else { return }
    // Two terminators, so that no name can run into what the buffer held before.
    base.storeBytes(of: 0, toByteOffset: request.count, as: UInt16.self)
    if core.negotiation.isPending.load(ordering: .relaxed),
      base.load(fromByteOffset: 4, as: UInt32.self) == FUSE_INIT.rawValue
    {
      core.negotiation.receive(request, dropsReply: false)
    }
    var buffer = fuse_buf()
    buffer.size = request.count
    buffer.mem = base
    fuse_session_process_buf(library, &buffer)
  }
}
