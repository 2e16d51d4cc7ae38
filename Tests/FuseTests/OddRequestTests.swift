import CFuse
import Fuse
import Glibc
import Platform
import Testing

@Suite("Requests that are odd")
struct OddRequestTests {
  @Test("an operation that nobody knows is not implemented", arguments: [51, 1000, 0])
  func unknown(_ opcode: UInt32) throws {
    let stub = try KernelStub.started(FixedFiles())
    #expect(try stub.call(fuse_opcode(opcode)).error == -ENOSYS)
  }

  @Test(
    "what is not offered is not implemented",
    arguments: [FUSE_GETLK, FUSE_SETLK, FUSE_ACCESS, FUSE_GETXATTR, FUSE_FLUSH])
  func notOffered(_ opcode: fuse_opcode) throws {
    var options = Session.Options()
    options.operations = []
    let stub = try KernelStub.started(FixedFiles(), options)
    let body = [UInt8](repeating: 0, count: 80)
    #expect(try stub.call(opcode, body).error == -ENOSYS)
  }

  @Test(
    "a name that is none is refused",
    arguments: [
      ("", EINVAL), ("a/b", EINVAL), (String(repeating: "x", count: 256), ENAMETOOLONG),
    ])
  func badName(_ text: String, _ error: CInt) throws {
    let files = FixedFiles()
    let stub = try KernelStub.started(files)
    #expect(try stub.call(FUSE_LOOKUP, name(text)).error == -error)
    #expect(files.calls.isEmpty)
  }

  @Test("a name of 255 bytes is taken, whatever the bytes")
  func longName() throws {
    let files = FixedFiles()
    let stub = try KernelStub.started(files)
    let long = [UInt8](repeating: 0xff, count: 255)
    #expect(try stub.call(FUSE_LOOKUP, long + [0]).error == -ENOENT)
    #expect(files.calls.count == 1)
  }

  @Test("a name without its terminator does not run into older bytes")
  func unterminated() throws {
    let files = FixedFiles()
    let stub = try KernelStub.started(files, Self.oneThread)
    _ = try stub.call(FUSE_LOOKUP, name("a rather long name"))
    _ = try stub.call(FUSE_LOOKUP, Array("short".utf8))
    #expect(files.calls.last == "lookup short in 1 by 1000")
  }

  @Test("the second name of a rename is checked too")
  func badNewName() throws {
    let files = FixedFiles()
    let stub = try KernelStub.started(files)
    let request = bytes(of: fuse_rename2_in(newdir: 9, flags: 0, padding: 0))
    let reply = try stub.call(FUSE_RENAME2, request + name("old") + name("a/b"))
    #expect(reply.error == -EINVAL)
    #expect(files.calls.isEmpty)
  }

  @Test("a request whose length is wrong is refused", arguments: [0, 41, 100_000])
  func wrongLength(_ length: UInt32) throws {
    let stub = try KernelStub.started(FixedFiles())
    try stub.send(FUSE_LOOKUP, name("file"), length: length)
    #expect(try stub.receive().error == -EINVAL)
  }

  @Test("a WRITE, SETXATTR or BATCH_FORGET that claims more than it holds is refused")
  func claims() throws {
    let stub = try KernelStub.started(FixedFiles())
    var write = fuse_write_in()
    write.size = 6
    #expect(try stub.call(FUSE_WRITE, bytes(of: write) + Array("bytes".utf8)).error == -EINVAL)
    let head = bytes(of: UInt32(1000)) + bytes(of: UInt32(0))
    #expect(try stub.call(FUSE_SETXATTR, head + name("a")).error == -EINVAL)
    let batch = fuse_batch_forget_in(count: 1 << 20, dummy: 0)
    #expect(try stub.call(FUSE_BATCH_FORGET, bytes(of: batch)).error == -EINVAL)
  }

  @Test("FORGET and BATCH_FORGET count, and are not answered")
  func forget() throws {
    let files = FixedFiles()
    let stub = try KernelStub.started(files, Self.oneThread)
    try stub.send(FUSE_FORGET, node: 5, bytes(of: fuse_forget_in(nlookup: 3)))
    let batch =
      bytes(of: fuse_batch_forget_in(count: 2, dummy: 0))
      + bytes(of: fuse_forget_one(nodeid: 6, nlookup: 1))
      + bytes(of: fuse_forget_one(nodeid: 7, nlookup: 1 << 40))
    try stub.send(FUSE_BATCH_FORGET, node: 0, batch)
    // The next answer belongs to the next request.
    #expect(try stub.call(FUSE_LOOKUP, name("file")).error == 0)
    #expect(files.calls.prefix(3) == ["forget 5 3", "forget 6 1", "forget 7 \(1 << 40)"])
  }

  private static var oneThread: Session.Options {
    var options = Session.Options()
    options.threads = 1
    return options
  }
}
