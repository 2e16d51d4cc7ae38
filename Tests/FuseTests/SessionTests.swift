import CFuse
import Fuse
import Glibc
import Platform
import Testing

@Suite("The life of a session")
struct SessionTests {
  @Test("it ends when the connection does, once")
  func unmounted() throws {
    let files = FixedFiles()
    let stub = try KernelStub.started(files)
    #expect(stub.session.end == nil)
    stub.disconnect()
    #expect(stub.session.waitUntilEnded() == .unmounted)
    stub.session.stop()
    #expect(stub.session.end == .unmounted)
    #expect(files.calls == ["end"])
    #expect(files.state.withLock { $0.end } == .unmounted)
  }

  @Test("stop ends it although its threads wait for requests, and may be called again")
  func stopped() throws {
    let files = FixedFiles()
    let stub = try KernelStub.started(files)
    stub.session.stop()
    stub.session.stop()
    #expect(stub.session.end == .stopped)
    #expect(files.calls == ["end"])
    let called = EventSignal()
    stub.session.whenEnded { _ in called.signal() }
    called.wait()
  }

  @Test("a session that never began can be stopped")
  func idle() {
    Session(operations: FixedFiles()).stop()
  }

  @Test("it serves only once")
  func once() throws {
    let stub = try KernelStub.started(FixedFiles())
    let error = #expect(throws: FuseError.self) {
      try stub.session.attach(to: FileDescriptor.open("/dev/null", O_RDWR))
    }
    #expect(error?.code == .library)
  }

  @Test("its threads are named and as many as asked for")
  func threads() throws {
    var options = Session.Options()
    options.threads = 3
    let stub = try KernelStub.started(FixedFiles(), options)
    defer { stub.session.stop() }
    let expected: Set = ["fuse-0", "fuse-1", "fuse-2", "fuse-notify"]
    // A thread names itself when it gets to run.
    let deadline = ContinuousClock.now + .seconds(60)
    while try !Self.threadNames().isSuperset(of: expected), ContinuousClock.now < deadline {
      sched_yield()
    }
    #expect(try Self.threadNames().isSuperset(of: expected))
  }

  private static func threadNames() throws -> Set<String> {
    var names: Set<String> = []
    let directory = try #require(opendir("/proc/self/task"))
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let thread = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let file = try? FileDescriptor.open("/proc/self/task/\(thread)/comm", O_RDONLY) else {
        continue
      }
      var buffer = [UInt8](repeating: 0, count: 32)
      let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
      names.insert(String(decoding: buffer[..<max(0, count - 1)], as: UTF8.self))
    }
    return names
  }
}
