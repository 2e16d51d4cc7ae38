import CFuse
import Fuse
import Glibc
import Platform
import Testing

@Suite("Notifications")
struct NotifierTests {
  @Test("are sent in the kernel's formats, in order")
  func formats() throws {
    let stub = try KernelStub.started(FixedFiles())
    let notifier = stub.session.notifier
    let node = NodeID(rawValue: 5)
    notifier.post(.invalidateInode(node, offset: 10, count: 20))
    notifier.post(.invalidateAttributes(node))
    notifier.post(.expireEntry(Array("a".utf8), in: node))
    notifier.post(.invalidateEntry(Array("bc".utf8), in: node))
    notifier.post(.delete(Array("d".utf8), in: node, child: NodeID(rawValue: 6)))
    notifier.post(.store(Array("stored".utf8), in: node, offset: 30))
    let messages = try (0..<6).map { _ in try stub.receive() }
    #expect(messages.allSatisfy { $0.unique == 0 })
    #expect(messages.map(\.error) == [2, 2, 3, 3, 6, 4])
    let range = fuse_notify_inval_inode_out(ino: 5, off: 10, len: 20)
    #expect(messages[0].body == bytes(of: range))
    let attributes = fuse_notify_inval_inode_out(ino: 5, off: -1, len: 0)
    #expect(messages[1].body == bytes(of: attributes))
    let expiry = fuse_notify_inval_entry_out(parent: 5, namelen: 1, flags: 1)
    #expect(messages[2].body == bytes(of: expiry) + name("a"))
    let invalid = fuse_notify_inval_entry_out(parent: 5, namelen: 2, flags: 0)
    #expect(messages[3].body == bytes(of: invalid) + name("bc"))
    let deletion = fuse_notify_delete_out(parent: 5, child: 6, namelen: 1, padding: 0)
    #expect(messages[4].body == bytes(of: deletion) + name("d"))
    let store = fuse_notify_store_out(nodeid: 5, offset: 30, size: 6, padding: 0)
    #expect(messages[5].body == bytes(of: store) + Array("stored".utf8))
  }

  @Test("drop a name where the kernel knows no expiry")
  func expiryOnOldKernel() throws {
    var options = Session.Options()
    options.assumedKernel = .linux6_1
    let stub = try KernelStub.started(FixedFiles(), options)
    stub.session.notifier.post(.expireEntry(Array("a".utf8), in: .root))
    let expected = fuse_notify_inval_entry_out(parent: 1, namelen: 1, flags: 0)
    #expect(try stub.receive().body == bytes(of: expected) + name("a"))
  }

  @Test("that are queued already are not sent twice, yet each caller is told")
  func merged() async throws {
    let notifier = Notifier()
    let counter = Locked(0)
    for _ in 0..<3 {
      notifier.post(.invalidateInode(.root)) { error in
        if error == nil { counter.withLock { $0 += 1 } }
      }
    }
    notifier.post(.invalidateAttributes(.root))
    let sockets = try Self.socketPair()
    let session = Session(operations: FixedFiles(), notifier: notifier)
    try session.attach(to: FileDescriptor(owning: sockets.session))
    await notifier.drain()
    #expect(counter.withLock { $0 } == 3)
    session.stop()
    var count = 0
    var buffer = [UInt8](repeating: 0, count: 100)
    while recv(sockets.kernel, &buffer, 100, Int32(MSG_DONTWAIT)) > 0 { count += 1 }
    #expect(count == 2)
    close(sockets.kernel)
  }

  @Test("after the end of the session fail with ENOTCONN, and drain returns")
  func afterEnd() async throws {
    let stub = try KernelStub.started(FixedFiles())
    stub.session.stop()
    let errors = Locked<[Errno?]>([])
    stub.session.notifier.post(.invalidateInode(.root)) { error in
      errors.withLock { $0.append(error) }
    }
    await stub.session.notifier.drain()
    #expect(errors.withLock { $0 } == [.notConnected])
  }

  private static func socketPair() throws -> (kernel: CInt, session: CInt) {
    var sockets: [CInt] = [-1, -1]
    try #require(cfuse_socket_pair(true, &sockets) == 0)
    return (sockets[0], sockets[1])
  }
}
