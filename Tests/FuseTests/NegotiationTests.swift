import CFuse
import Fuse
import Glibc
import Platform
import Testing

@Suite("The negotiation with the kernel")
struct NegotiationTests {
  @Test("asks for what the options want and the kernel offers")
  func standard() throws {
    let files = FixedFiles()
    let stub = try KernelStub(files)
    let reply = try stub.initialize()
    let agreed = KernelFeatures(rawValue: UInt64(reply.flags) | UInt64(reply.flags2) << 32)
    #expect(
      agreed == [
        .asyncRead, .atomicTruncation, .exportSupport, .bigWrites, .automaticInvalidation,
        .readdirplus, .readdirplusAuto, .asyncDirectIO, .parallelDirectoryOperations, .abortError,
        .maximumPages, .cachesLinks, .extendedFlags, .directIOAllowsMapping, .passthrough,
      ])
    #expect(reply.major == 7)
    #expect(reply.max_stack_depth == 1)
    #expect(reply.max_background == 65535)
    #expect(reply.congestion_threshold == 49151)
    #expect(reply.max_write == 1 << 20)
    #expect(reply.max_pages == 256)
    #expect(reply.max_readahead == 131_072)
    #expect(reply.time_gran == 1)
    let agreement = try #require(stub.session.agreement)
    #expect(agreement.agreed == agreed)
    #expect(agreement.canPassthrough && agreement.canExpireEntries && agreement.canResume)
    #expect(files.state.withLock { $0.agreement } == agreement)
  }

  @Test("hides what Linux 6.1 lacks")
  func oldKernel() throws {
    var options = Session.Options()
    options.assumedKernel = .linux6_1
    let stub = try KernelStub(FixedFiles(), options)
    let reply = try stub.initialize()
    #expect(reply.flags2 == 0)
    #expect(reply.max_stack_depth == 0)
    #expect(reply.flags & UInt32(FUSE_PARALLEL_DIROPS) != 0)
    let agreement = try #require(stub.session.agreement)
    // libfuse 3.14 speaks no newer one.
    #expect(agreement.protocolMinor == 31)
    #expect(!agreement.canExpireEntries && !agreement.canPassthrough && !agreement.canResume)
    // The saved request is the kernel's own.
    let saved = stub.session.initializationRequest
    #expect(saved.count == 40 + MemoryLayout<fuse_init_in>.size)
    #expect(saved[56..<60] == bytes(of: UInt32(0x5fd))[...])
  }

  @Test("asks for nothing that the kernel did not offer")
  func nothingOffered() throws {
    let stub = try KernelStub(FixedFiles())
    let reply = try stub.initialize(minor: 31, flags: 0, flags2: 0)
    #expect(reply.flags == 0)
    #expect(reply.flags2 == 0)
    #expect(reply.max_pages == 0)
    #expect(reply.max_write == 131_072)
  }

  @Test("leaves out what the options turn off")
  func optionsOff() throws {
    var options = Session.Options()
    options.asyncRead = false
    options.atomicTruncation = false
    options.exportSupport = false
    options.cachesLinks = false
    options.readdirplus = .never
    options.dataInvalidation = .explicit
    options.parallelDirectoryOperations = false
    options.directIOAllowsMapping = false
    options.passthrough = false
    options.maximumBackground = 12
    options.maximumWrite = 65536
    options.maximumReadahead = 4096
    let stub = try KernelStub(FixedFiles(), options)
    let reply = try stub.initialize()
    let agreed = KernelFeatures(rawValue: UInt64(reply.flags) | UInt64(reply.flags2) << 32)
    #expect(
      agreed == [
        .bigWrites, .asyncDirectIO, .abortError, .maximumPages, .explicitInvalidation,
        .extendedFlags,
      ])
    #expect(reply.max_background == 12)
    #expect(reply.congestion_threshold == 12)
    #expect(reply.max_write == 65536)
    #expect(reply.max_pages == 16)
    #expect(reply.max_readahead == 4096)
  }

  @Test("takes over a device with the INIT of the server before")
  func resumed() throws {
    let first = try KernelStub.started(FixedFiles())
    var options = Session.Options()
    options.resumedInitialization = first.session.initializationRequest
    let second = try KernelStub(FixedFiles(), options)
    let notification = try second.receive()
    #expect(notification.unique == 0)
    #expect(notification.error == CFUSE_NOTIFY_RESEND)
    #expect(second.session.agreement == first.session.agreement)
    // And it serves without an INIT of its own.
    let reply = try second.call(FUSE_LOOKUP, name("file"))
    #expect(reply.error == 0)
  }

  @Test("refuses requests before the first INIT")
  func tooEarly() throws {
    let stub = try KernelStub(FixedFiles())
    #expect(try stub.call(FUSE_LOOKUP, name("file")).error == -EIO)
  }
}
