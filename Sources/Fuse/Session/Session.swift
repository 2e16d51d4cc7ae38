internal import CFuse
internal import Glibc
public import Platform

/// A file system that is being served: from mounting, or attaching to a device, to its end.
///
/// A session serves once. It ends when `stop` is called, when somebody unmounts it or aborts its
/// connection, and keeps itself alive until then.
public final class Session: Sendable {
  enum Phase: Sendable {
    case idle
    case running
    case stopping
    case ended(SessionEnd)
  }

  struct State: Sendable {
    var phase = Phase.idle
    var core: SessionCore?
    var mount: MountedPlace?
    var readers: [Reader] = []
    /// The errno with which the first thread stopped reading.
    var firstError: CInt = 0
    var whenEnded: [@Sendable (SessionEnd) -> Void] = []
  }

  /// Sends what the kernel shall forget.
  public let notifier: Notifier
  /// Registers backing files.
  public let passthrough: Passthrough
  let operations: any FuseOperations
  let options: Options
  let state = Locked(State())
  let readersEnded = EventCounter()
  let ended = EventCounter()

  /// Prepares a session.
  ///
  /// - Parameters:
  ///   - notifier: give one where the operations need it before there is a session.
  ///   - passthrough: likewise.
  public init(
    operations: any FuseOperations, notifier: Notifier = Notifier(),
    passthrough: Passthrough = Passthrough(), options: Options = Options()
  ) {
    self.operations = operations
    self.notifier = notifier
    self.passthrough = passthrough
    self.options = options
  }

  /// Mounts the file system and serves it: as root by mount(2), else through fusermount3.
  ///
  /// Blocks for as long as mounting takes; the kernel needs no answer for it.
  ///
  /// - Throws: `FuseError`, which says what to do.
  public func mount(at mountpoint: String, _ mountOptions: MountOptions) throws(FuseError) {
    let place = try Mountpoint(mountpoint, mountOptions)
    let device = try Mounter.mount(at: place, mountOptions)
    let mount = MountedPlace(path: place.path)
    do throws(FuseError) {
      try serve(device, mount)
    } catch {
      mount.unmount()
      throw error
    }
  }

  /// Serves a device that was mounted by somebody else, or stands for one in a test.
  ///
  /// - Parameter mountpoint: where it is mounted, if `stop` shall unmount it.
  public func attach(
    to device: consuming FileDescriptor, mountpoint: String? = nil
  ) throws(FuseError) {
    try serve(device, mountpoint.map { MountedPlace(path: $0) })
  }

  /// What was agreed with the kernel; nil until it spoke.
  public var agreement: Agreement? { state.withLock { $0.core }?.negotiation.agreement }

  /// The INIT request as the kernel sent it, for a later process that takes over the device; empty
  /// until it came.
  public var initializationRequest: [UInt8] {
    state.withLock { $0.core }?.negotiation.request ?? []
  }

  /// Where it is mounted; nil for a device of a test.
  public var mountpoint: String? { state.withLock { $0.mount?.path } }

  /// The number of the kernel's connection, as below /sys/fs/fuse/connections; nil when not mounted.
  public var connection: UInt32? { state.withLock { $0.mount?.entry?.connection } }

  private func serve(
    _ device: consuming FileDescriptor, _ mount: MountedPlace?
  ) throws(FuseError) {
    let isFirst = state.withLock { state in
      guard case .idle = state.phase else { return false }
      state.phase = .running
      return true
    }
    guard isFirst else {
      throw FuseError(.library, "A session serves only once; make a new one.")
    }
    do throws(FuseError) {
      try begin(device, mount)
    } catch {
      notifier.stop()
      state.withLock { $0.phase = .ended(.failed(EIO)) }
      ended.signal()
      throw error
    }
  }

  private func begin(
    _ device: consuming FileDescriptor, _ mount: MountedPlace?
  ) throws(FuseError) {
    let core = try SessionCore(
      operations: operations, notifier: notifier, passthrough: passthrough, device: device,
      options: options)
    guard let library = core.library else { return }
    notifier.start(device: core.device)
    state.withLock { state in
      state.core = core
      state.mount = mount
    }
    if let request = options.resumedInitialization { core.resume(request) }
    let readers = try startReaders(core, library)
    Threads.detach(named: "fuse-end") { [self] in awaitEnd(core, readers) }
  }

  private func startReaders(
    _ core: SessionCore, _ library: OpaquePointer
  ) throws(FuseError) -> [Reader] {
    let count = options.threads > 0 ? options.threads : max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
    var readers: [Reader] = []
    for number in 0..<count {
      let reader = try? Reader(core: core, library: library, number: number) { [self] error in
        state.withLock { if $0.firstError == 0 { $0.firstError = error } }
        readersEnded.signal()
      }
      if let reader { readers.append(reader) }
    }
    guard !readers.isEmpty else {
      core.closeDevice()
      throw FuseError(.library, "No thread could be started to serve the mount; raise the limit.")
    }
    state.withLock { [readers] in $0.readers = readers }
    return readers
  }
}
