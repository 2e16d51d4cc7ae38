import CFuse
import Fuse
import Glibc
import Platform
import Testing

@Suite("Replies, byte by byte")
struct ReplyTests {
  private let files = FixedFiles()

  /// What the kernel reads of `FixedFiles.attributes`.
  static var attributes: fuse_attr {
    fuse_attr(
      ino: 7, size: 1234, blocks: 8, atime: UInt64(bitPattern: -1), mtime: 300, ctime: 400,
      atimensec: 2, mtimensec: 3, ctimensec: 4, mode: 0o100640, nlink: 3, uid: 10, gid: 20,
      rdev: 5, blksize: 512, flags: 0)
  }

  static var entry: fuse_entry_out {
    fuse_entry_out(
      nodeid: 77, generation: 9, entry_valid: 5, attr_valid: 1, entry_valid_nsec: 6,
      attr_valid_nsec: 500_000_000, attr: attributes)
  }

  @Test("LOOKUP answers the entry, and tells who asked")
  func lookup() throws {
    let stub = try KernelStub.started(files)
    let reply = try stub.call(FUSE_LOOKUP, node: 3, name("file"))
    #expect(reply.error == 0)
    #expect(reply.body == bytes(of: Self.entry))
    #expect(files.calls == ["lookup file in 3 by 1000"])
  }

  @Test("LOOKUP answers a negative entry with a timeout")
  func negative() throws {
    let stub = try KernelStub.started(files)
    let entry = try stub.call(FUSE_LOOKUP, name("absent")).value(fuse_entry_out.self)
    #expect(entry.nodeid == 0)
    #expect(entry.entry_valid == 60)
  }

  @Test(
    "errors are sent as negative numbers",
    arguments: [("missing", ENOENT), ("dropped", EIO), ("odd", EIO)])
  func errors(_ text: String, _ error: CInt) throws {
    let stub = try KernelStub.started(files)
    let reply = try stub.call(FUSE_LOOKUP, name(text))
    #expect(reply.error == -error)
    #expect(reply.body.isEmpty)
  }

  @Test("GETATTR answers attributes, with and without a handle")
  func getattr() throws {
    let stub = try KernelStub.started(files)
    let expected = fuse_attr_out(
      attr_valid: 2, attr_valid_nsec: 0, dummy: 0, attr: Self.attributes)
    let plain = try stub.call(FUSE_GETATTR, node: 5, bytes(of: fuse_getattr_in()))
    #expect(plain.body == bytes(of: expected))
    let request = fuse_getattr_in(getattr_flags: UInt32(FUSE_GETATTR_FH), dummy: 0, fh: 88)
    let byHandle = try stub.call(FUSE_GETATTR, node: 5, bytes(of: request))
    #expect(byHandle.body == bytes(of: expected))
    #expect(files.calls == ["getattr 5 -", "getattr 5 88"])
  }

  @Test("SETATTR passes on exactly what is set")
  func setattr() throws {
    let stub = try KernelStub.started(files)
    var request = fuse_setattr_in()
    request.valid = UInt32(FUSE_SET_ATTR_SIZE | FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_ATIME_NOW)
    request.valid |= UInt32(FUSE_SET_ATTR_ATIME)
    (request.size, request.mtime, request.mtimensec, request.mode) = (99, 1000, 5, 0o777)
    #expect(try stub.call(FUSE_SETATTR, bytes(of: request)).error == 0)
    var expected = AttributeChanges()
    expected.size = 99
    expected.accessTime = .now
    expected.modificationTime = .at(Timestamp(seconds: 1000, nanoseconds: 5))
    #expect(files.calls == ["setattr \(expected)"])
  }

  @Test("OPEN answers handle and flags, and the backing file where there is one")
  func open() throws {
    let stub = try KernelStub.started(files)
    let plain = try stub.call(FUSE_OPEN, node: 4, bytes(of: fuse_open_in()))
    #expect(plain.body == bytes(of: fuse_open_out(fh: 42, open_flags: 0b110_0101, padding: 0)))
    let backed = try stub.call(FUSE_OPEN, node: 5, bytes(of: fuse_open_in()))
    #expect(backed.body == bytes(of: fuse_open_out(fh: 42, open_flags: 0b1010_0000, padding: 17)))
  }

  @Test("CREATE answers entry and handle, and knows the umask")
  func create() throws {
    let stub = try KernelStub.started(files)
    let request = fuse_create_in(
      flags: UInt32(O_RDWR), mode: 0o100644, umask: 0o022, open_flags: 0)
    let reply = try stub.call(FUSE_CREATE, bytes(of: request) + name("new"))
    let opened = fuse_open_out(fh: 11, open_flags: 2, padding: 0)
    #expect(reply.body == bytes(of: Self.entry) + bytes(of: opened))
    #expect(files.calls == ["create 100644 umask 22"])
  }

  @Test(
    "READ answers at most what was asked",
    arguments: [(1, 4, "0123"), (1, 100, "0123456789"), (2, 100, ""), (3, 100, "filled")])
  func read(_ node: UInt64, _ size: UInt32, _ expected: String) throws {
    let stub = try KernelStub.started(files)
    var request = fuse_read_in()
    (request.fh, request.offset, request.size) = (6, 12, size)
    let reply = try stub.call(FUSE_READ, node: node, bytes(of: request))
    #expect(reply.error == 0)
    #expect(reply.body == Array(expected.utf8))
    #expect(files.calls == ["read 6 at 12, \(size)"])
  }

  @Test("READ answers the error of what should fill the buffer")
  func readFails() throws {
    let stub = try KernelStub.started(files)
    var request = fuse_read_in()
    request.size = 10
    #expect(try stub.call(FUSE_READ, node: 4, bytes(of: request)).error == -ESTALE)
  }

  @Test("WRITE hands over the bytes and answers their number")
  func write() throws {
    let stub = try KernelStub.started(files)
    var request = fuse_write_in()
    (request.offset, request.size) = (20, 5)
    let reply = try stub.call(FUSE_WRITE, bytes(of: request) + Array("bytes".utf8))
    #expect(reply.body == bytes(of: fuse_write_out(size: 5, padding: 0)))
    #expect(files.calls == ["write bytes at 20"])
  }

  @Test("READLINK, LSEEK, STATFS and GETLK answer in their formats")
  func others() throws {
    var options = Session.Options()
    options.operations.insert(.recordLocks)
    let stub = try KernelStub.started(files, options)
    #expect(try stub.call(FUSE_READLINK).body == Array("to/there".utf8))
    var seek = fuse_lseek_in()
    (seek.offset, seek.whence) = (100, 3)
    let position = try stub.call(FUSE_LSEEK, bytes(of: seek)).value(fuse_lseek_out.self)
    #expect(position.offset == 4196)
    let sizes = try stub.call(FUSE_STATFS).value(fuse_statfs_out.self).st
    #expect((sizes.blocks, sizes.bfree, sizes.bavail) == (100, 50, 40))
    #expect((sizes.files, sizes.ffree, sizes.namelen) == (30, 20, 255))
    #expect((sizes.bsize, sizes.frsize) == (4096, 4096))
    var lock = fuse_lk_in()
    lock.lk = fuse_file_lock(start: 0, end: UInt64(Int64.max), type: 0, pid: 1)
    let found = try stub.call(FUSE_GETLK, bytes(of: lock)).value(fuse_lk_out.self).lk
    #expect((found.start, found.end, found.type, found.pid) == (10, 29, 1, 99))
    #expect(files.calls == ["getlk read 0+0"])
  }

  @Test(
    "GETXATTR answers the size, the value, or ERANGE", arguments: [0, 5, 4])
  func getxattr(_ size: UInt32) throws {
    let stub = try KernelStub.started(files)
    let request = fuse_getxattr_in(size: size, padding: 0)
    let reply = try stub.call(FUSE_GETXATTR, bytes(of: request) + name("user.a"))
    #expect(reply.error == (size == 4 ? -ERANGE : 0))
    guard size != 4 else { return }
    let expected =
      size == 0 ? bytes(of: fuse_getxattr_out(size: 5, padding: 0)) : Array("value".utf8)
    #expect(reply.body == expected)
  }

  @Test("RENAME2 passes on both names and the flags")
  func rename() throws {
    let stub = try KernelStub.started(files)
    let request = fuse_rename2_in(newdir: 9, flags: 1, padding: 0)
    let reply = try stub.call(
      FUSE_RENAME2, node: 8, bytes(of: request) + name("old") + name("new"))
    #expect(reply.error == 0)
    #expect(files.calls == ["rename old in 8 to new in 9, 1"])
  }

  @Test("SETXATTR passes on name and value")
  func setxattr() throws {
    let stub = try KernelStub.started(files)
    let head = bytes(of: UInt32(3)) + bytes(of: UInt32(0))
    let reply = try stub.call(FUSE_SETXATTR, head + name("user.b") + Array("abc".utf8))
    #expect(reply.error == 0)
    #expect(files.calls == ["setxattr user.b=abc"])
  }
}

@Suite("Cache timeouts")
struct CacheTimeoutTests {
  @Test("are never so long that the kernel's clock overflows")
  func forever() {
    #expect(CacheTimeout.forever.seconds == 1 << 30)
    #expect(CacheTimeout(seconds: .max) == .forever)
    #expect(CacheTimeout.milliseconds(2500) == CacheTimeout(seconds: 2, nanoseconds: 500_000_000))
  }
}
