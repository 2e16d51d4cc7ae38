import CFuse
import Fuse
import Glibc
import Platform
import Testing

@Suite("Held replies")
struct HeldReplyTests {
  private let files = FixedFiles(holdsAttributes: true)

  private func interrupt(_ unique: UInt64, _ stub: KernelStub) throws {
    try stub.send(FUSE_INTERRUPT, bytes(of: fuse_interrupt_in(unique: unique)), unique: unique + 1)
  }

  /// Has libfuse hand back what it keeps of interrupts that found nobody, one at each request.
  private func returnInterrupts(_ stub: KernelStub) throws {
    var wasEmpty = false
    while !wasEmpty {
      wasEmpty = true
      let unique = try stub.send(FUSE_LOOKUP, name("file"))
      while try stub.receive().unique != unique { wasEmpty = false }
    }
  }

  private static func threadCount() throws -> Int {
    let directory = try #require(opendir("/proc/self/task"))
    defer { closedir(directory) }
    var count = -2
    while readdir(directory) != nil { count += 1 }
    return count
  }

  @Test("a thousand of them hold no thread, and any can be answered")
  func thousand() throws {
    let stub = try KernelStub.started(files)
    let before = try Self.threadCount()
    var uniques: Set<UInt64> = []
    for node in 1...1000 {
      uniques.insert(try stub.send(FUSE_GETATTR, node: UInt64(node), bytes(of: fuse_getattr_in())))
    }
    files.wait { $0.held.count == 1000 }
    // Other tests run at the same time, so the number is not exact; a thousand would show.
    #expect(try Self.threadCount() < before + 100)
    #expect(stub.isSilent)
    // The session still answers.
    #expect(try stub.call(FUSE_LOOKUP, name("file")).error == 0)
    for slot in files.state.withLock({ $0.held }) {
      let answered = slot.take()?.succeed(TimedAttributes(FixedFiles.attributes))
      #expect(answered == true)
      let reply = try stub.receive()
      #expect(reply.error == 0)
      #expect(uniques.remove(reply.unique) != nil)
      let again = slot.take() == nil
      #expect(again)
    }
    #expect(uniques.isEmpty)
  }

  @Test("an interrupt ends the one it is for")
  func interrupted() throws {
    let stub = try KernelStub.started(files)
    var uniques: [UInt64] = []
    for node in 1...3 {
      uniques.append(
        try stub.send(FUSE_GETATTR, node: UInt64(node), bytes(of: fuse_getattr_in())))
      files.wait { $0.held.count == node }
    }
    try interrupt(uniques[1], stub)
    let reply = try stub.receive()
    #expect(reply.unique == uniques[1])
    #expect(reply.error == -EINTR)
    #expect(files.state.withLock { $0.held.map(\.isHeld) } == [true, false, true])
    // What is held keeps the session's memory, and the files with it.
    files.state.withLock { $0.held = [] }
  }

  @Test("an interrupt that comes before its request ends it at once")
  func interruptedEarly() throws {
    var options = Session.Options()
    options.threads = 1
    let stub = try KernelStub.started(files, options)
    try interrupt(500, stub)
    try stub.send(FUSE_GETATTR, bytes(of: fuse_getattr_in()), unique: 500)
    let reply = try stub.receive()
    #expect(reply.unique == 500)
    #expect(reply.error == -EINTR)
    #expect(files.state.withLock { $0.interrupts } == 1)
  }

  @Test("an interrupt after the answer finds nobody")
  func interruptedLate() throws {
    var options = Session.Options()
    options.threads = 1
    let stub = try KernelStub.started(files, options)
    let unique = try stub.send(FUSE_GETATTR, bytes(of: fuse_getattr_in()))
    files.wait { $0.held.count == 1 }
    files.state.withLock { $0.held[0] }.take()?.succeed(TimedAttributes(FixedFiles.attributes))
    #expect(try stub.receive().unique == unique)
    try interrupt(unique, stub)
    // libfuse hands an interrupt for an unknown request back to the kernel when the next one comes.
    try stub.send(FUSE_LOOKUP, name("file"))
    let replies = try [stub.receive(), stub.receive()]
    #expect(replies.map(\.error).sorted() == [-EAGAIN, 0])
    #expect(files.state.withLock { $0.interrupts } == 0)
  }

  @Test("answers and interrupts that race make one answer each")
  func race() throws {
    let stub = try KernelStub.started(files)
    let count = 2000
    var uniques: [UInt64] = []
    for _ in 0..<count {
      uniques.append(try stub.send(FUSE_GETATTR, bytes(of: fuse_getattr_in())))
      if uniques.count % 200 == 0 { files.wait { $0.held.count == uniques.count } }
    }
    let answerer = Threads.start(named: "answerer") { [files] in
      for slot in files.state.withLock({ $0.held }) {
        slot.take()?.succeed(TimedAttributes(FixedFiles.attributes))
      }
    }
    let sent = uniques
    let interrupter = Threads.start(named: "interrupter") {
      for unique in sent.reversed() { try? interrupt(unique, stub) }
    }
    var answers: [UInt64: CInt] = [:]
    while answers.count < count {
      let reply = try stub.receive()
      // An interrupt that found nobody comes back too; its number is odd.
      guard reply.unique % 2 == 0 else { continue }
      #expect(answers.updateValue(reply.error, forKey: reply.unique) == nil)
    }
    for thread in [answerer, interrupter] { Threads.join(try #require(thread)) }
    #expect(Set(answers.values).isSubset(of: [0, -EINTR]))
    try returnInterrupts(stub)
  }

  @Test("a slot that goes away answers EIO")
  func dropped() throws {
    let stub = try KernelStub.started(files)
    try stub.send(FUSE_GETATTR, bytes(of: fuse_getattr_in()))
    files.wait { $0.held.count == 1 }
    files.state.withLock { $0.held.removeAll() }
    #expect(try stub.receive().error == -EIO)
  }

  @Test("one that is still held when the session stops is interrupted")
  func stopped() throws {
    let stub = try KernelStub.started(files)
    let unique = try stub.send(FUSE_GETATTR, bytes(of: fuse_getattr_in()))
    files.wait { $0.held.count == 1 }
    stub.session.stop()
    let reply = try stub.receive()
    #expect(reply.unique == unique)
    #expect(reply.error == -EINTR)
  }

  @Test("an answer after the end of the session does no harm")
  func late() throws {
    let stub = try KernelStub.started(files)
    try stub.send(FUSE_GETATTR, bytes(of: fuse_getattr_in()))
    files.wait { $0.held.count == 1 }
    stub.disconnect()
    #expect(stub.session.waitUntilEnded() == .unmounted)
    let slot = files.state.withLock { $0.held.removeFirst() }
    let wasTold = slot.take()?.succeed(TimedAttributes(FixedFiles.attributes))
    #expect(wasTold != nil)
  }
}
