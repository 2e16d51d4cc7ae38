internal import CFuse
internal import Glibc
internal import Platform
internal import Synchronization

/// What outlives a session while requests are unanswered: libfuse's session and the device's number.
///
/// libfuse has it as user data, and every unanswered request holds a reference to it, so a late
/// answer finds libfuse's memory in place. When the session is over, the device's number refers to
/// /dev/null, so that a late answer cannot reach a file that got the number meanwhile.
final class SessionCore: @unchecked Sendable {
  let operations: any FuseOperations
  private let notifier: Notifier
  private let passthrough: Passthrough
  let negotiation: Negotiation
  let interrupts = Interrupts()
  let buffers = BufferPool()
  let turns = ReaderTurns.ifNeeded()
  let device: CInt
  /// libfuse's session; set by `init` and constant from then on.
  private(set) var library: OpaquePointer?
  private let isClosed = Atomic(false)

  /// Makes libfuse's session on a device, which it closes in the end, also when it throws.
  init(
    operations: any FuseOperations, notifier: Notifier, passthrough: Passthrough,
    device: consuming FileDescriptor, options: Session.Options
  ) throws(FuseError) {
    self.operations = operations
    self.notifier = notifier
    self.passthrough = passthrough
    self.device = device.relinquish()
    negotiation = Negotiation(options)
    LibraryLog.install()
    library = Self.makeLibrarySession(options, user: Unmanaged.passUnretained(self).toOpaque())
    guard let library else {
      close(self.device)
      throw FuseError(.library, LibraryLog.lastMessage ?? "libfuse made no session")
    }
    var io = fuse_custom_io()
    io.writev = { device, parts, count, user in
      guard let parts, let user else { return -1 }
      return Unmanaged<SessionCore>.fromOpaque(user)._withUnsafeGuaranteedRef {
        $0.write(parts, count)
      }
    }
    // Required by libfuse, though the session's threads read by themselves.
    io.read = { device, buffer, count, _ in read(device, buffer, count) }
    fuse_session_custom_io(library, &io, self.device)
  }

  deinit {
    // Closes the device too.
    if let library { fuse_session_destroy(library) }
  }

  /// Lets go of the device: the kernel ends the connection, if it still lives.
  func closeDevice() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    guard let null = try? FileDescriptor.open("/dev/null", O_RDWR) else { return }
    cfuse_replace_descriptor(device, null.rawValue)
  }

  private static func makeLibrarySession(
    _ options: Session.Options, user: UnsafeMutableRawPointer
  ) -> OpaquePointer? {
    var operations = Callbacks.table(for: options.operations)
    let name = strdup("fuse")
    defer { free(name) }
    var arguments = [name, nil]
    return arguments.withUnsafeMutableBufferPointer { buffer in
      var arguments = fuse_args(argc: 1, argv: buffer.baseAddress, allocated: 0)
      defer { fuse_opt_free_args(&arguments) }
      return fuse_session_new(
        &arguments, &operations, MemoryLayout<fuse_lowlevel_ops>.size, user)
    }
  }

  /// Writes a reply to the device. An error is told to libfuse as ENOENT, the only one on which it
  /// does not print.
  @inline(__always)
  private func write(_ parts: UnsafeMutablePointer<iovec>, _ count: CInt) -> Int {
    if negotiation.isPending.load(ordering: .relaxed), !patchInitReply(parts, count) {
      return parts[0].iov_len + parts[1].iov_len
    }
    let result = writev(device, parts, count)
    if result < 0 { errno = ENOENT }
    return result
  }

  /// Changes the reply to INIT; false when it is not to be sent.
  private func patchInitReply(_ parts: UnsafeMutablePointer<iovec>, _ count: CInt) -> Bool {
    let size = MemoryLayout<cfuse_init_out>.size
    guard count == 2, parts[1].iov_len == size, let body = parts[1].iov_base else { return true }
    negotiation.isPending.store(false, ordering: .relaxed)
    let reply = body.assumingMemoryBound(to: cfuse_init_out.self)
    let (agreement, isDropped) = negotiation.complete(&reply.pointee)
    // Before the reply is sent, since requests may come as soon as it is.
    notifier.agree(agreement)
    if agreement.canPassthrough { passthrough.start(self) }
    operations.sessionWillStart(agreement)
    return !isDropped
  }
}

extension SessionCore {
  /// Takes over the device of a server that died: libfuse gets its INIT request, the kernel no reply,
  /// but the wish to send again what was not answered.
  func resume(_ request: [UInt8]) {
    var request = request
    request.withUnsafeMutableBytes { bytes in
      negotiation.receive(bytes, dropsReply: true)
      var buffer = fuse_buf()
      buffer.size = bytes.count
      buffer.mem = bytes.baseAddress
      if let library { fuse_session_process_buf(library, &buffer) }
    }
    KernelNotification.requestResend(device)
  }
}
