internal import CFuse
internal import Platform
internal import Synchronization

/// Watches the INIT request and its reply, and makes the reply say what the options want.
///
/// libfuse 3.14 cannot agree on parallel directory operations, passthrough and mapping of direct
/// opens, so the reply is changed as it is written.
final class Negotiation: Sendable {
  private struct State: Sendable {
    var request: [UInt8] = []
    var offered: KernelFeatures = []
    var readahead: UInt32 = 0
    var minor: UInt32 = 0
    var agreement: Agreement?
    var dropsReply = false
  }

  private let state = Locked(State())
  private let options: Session.Options
  /// Whether the next reply may be the one to INIT; looked at before every reply.
  let isPending = Atomic(true)

  init(_ options: Session.Options) { self.options = options }

  /// What was agreed, once it was.
  var agreement: Agreement? { state.withLock { $0.agreement } }
  /// The INIT request as the kernel sent it; empty before.
  var request: [UInt8] { state.withLock { $0.request } }

  /// Notes an INIT request and hides in it what the kernel is not assumed to know.
  func receive(_ request: UnsafeMutableRawBufferPointer, dropsReply: Bool) {
    let body = MemoryLayout<fuse_in_header>.size
    guard request.count >= body + 16 else { return }
    var offered = UInt64(request.loadUnaligned(fromByteOffset: body + 12, as: UInt32.self))
    let hasExtension = offered & KernelFeatures.extendedFlags.rawValue != 0
    if hasExtension, request.count >= body + 20 {
      offered |= UInt64(request.loadUnaligned(fromByteOffset: body + 16, as: UInt32.self)) << 32
    }
    let minor = request.loadUnaligned(fromByteOffset: body + 4, as: UInt32.self)
    let readahead = request.loadUnaligned(fromByteOffset: body + 8, as: UInt32.self)
    let original = Array(request)
    let assumed = options.assumedKernel
    let visible = KernelFeatures(rawValue: offered).intersection(assumed)
    state.withLock { state in
      state.request = original
      state.offered = visible
      state.readahead = readahead
      state.minor = minor
      state.dropsReply = dropsReply
    }
    request.storeBytes(
      of: UInt32(truncatingIfNeeded: visible.rawValue), toByteOffset: body + 12, as: UInt32.self)
    if hasExtension, request.count >= body + 20 {
      request.storeBytes(
        of: UInt32(visible.rawValue >> 32), toByteOffset: body + 16, as: UInt32.self)
    }
  }

  /// Changes the INIT reply; returns what it agrees on and whether it is not to be sent at all.
  func complete(_ reply: inout cfuse_init_out) -> (agreement: Agreement, isDropped: Bool) {
    let (offered, readahead, minor, dropsReply) = state.withLock {
      ($0.offered, $0.readahead, $0.minor, $0.dropsReply)
    }
    let agreed = wanted.intersection(offered)
    reply.flags = UInt32(truncatingIfNeeded: agreed.rawValue)
    reply.flags2 = UInt32(agreed.rawValue >> 32)
    reply.max_stack_depth = agreed.contains(.passthrough) ? 1 : 0
    reply.max_background = options.maximumBackground
    reply.congestion_threshold = min(options.congestionThreshold, options.maximumBackground)
    reply.max_readahead = min(readahead, options.maximumReadahead ?? .max)
    let pageLimit: UInt32 = agreed.contains(.maximumPages) ? 1 << 20 : 1 << 17
    reply.max_write = UInt32(clamping: max(4096, options.maximumWrite))
    reply.max_write = min(reply.max_write, pageLimit)
    reply.max_pages = agreed.contains(.maximumPages) ? UInt16((reply.max_write + 4095) / 4096) : 0
    let agreement = Agreement(
      protocolMinor: min(reply.minor, minor), offered: offered, agreed: agreed,
      maximumWrite: reply.max_write, maximumReadahead: reply.max_readahead,
      maximumBackground: reply.max_background)
    state.withLock { $0.agreement = agreement }
    return (agreement, dropsReply)
  }

  private var wanted: KernelFeatures {
    var wanted: KernelFeatures = [
      .bigWrites, .asyncDirectIO, .abortError, .maximumPages, .extendedFlags,
    ]
    func want(_ feature: KernelFeatures, if condition: Bool) {
      if condition { wanted.insert(feature) }
    }
    want(.asyncRead, if: options.asyncRead)
    want(.atomicTruncation, if: options.atomicTruncation)
    want(.exportSupport, if: options.exportSupport)
    want(.cachesLinks, if: options.cachesLinks)
    want(.leavesModeUnmasked, if: options.leavesModeUnmasked)
    want(.recordLocks, if: options.operations.contains(.recordLocks))
    want(.wholeFileLocks, if: options.operations.contains(.wholeFileLocks))
    want(.readdirplus, if: options.readdirplus != .never)
    want(.readdirplusAuto, if: options.readdirplus == .automatic)
    want(.automaticInvalidation, if: options.dataInvalidation == .automatic)
    want(.explicitInvalidation, if: options.dataInvalidation == .explicit)
    want(.parallelDirectoryOperations, if: options.parallelDirectoryOperations)
    want(.directIOAllowsMapping, if: options.directIOAllowsMapping)
    want(.passthrough, if: options.passthrough)
    return wanted
  }
}
