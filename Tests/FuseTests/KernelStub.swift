import CFuse
import Fuse
import Glibc
import Platform
import Testing

/// Plays the kernel over a socket pair: it writes raw requests and reads raw replies.
final class KernelStub: @unchecked Sendable {
  /// One message of the session.
  struct Message {
    let unique: UInt64
    /// The errno, negative; 0 for success; of a notification its code.
    let error: CInt
    let body: [UInt8]

    /// The body as a value of C, if it has exactly its size.
    func value<Value: BitwiseCopyable>(_: Value.Type) throws -> Value {
      try #require(body.count == MemoryLayout<Value>.size)
      return body.withUnsafeBytes { $0.loadUnaligned(as: Value.self) }
    }
  }

  let session: Session
  private let socket: CInt
  private let nextUnique = Locked<UInt64>(2)

  /// Attaches a session to the stub; the INIT is not sent yet.
  init(_ operations: any FuseOperations, _ options: Session.Options = Session.Options()) throws {
    signal(SIGPIPE, SIG_IGN)
    var sockets: [CInt] = [-1, -1]
    try #require(cfuse_socket_pair(true, &sockets) == 0)
    socket = sockets[0]
    session = Session(operations: operations, options: options)
    try session.attach(to: FileDescriptor(owning: sockets[1]))
  }

  deinit {
    close(socket)
    session.waitUntilEnded()
  }

  /// A stub that has sent INIT and read its reply.
  static func started(
    _ operations: any FuseOperations, _ options: Session.Options = Session.Options()
  ) throws -> KernelStub {
    let stub = try KernelStub(operations, options)
    _ = try stub.initialize()
    return stub
  }

  /// Sends INIT as Linux 6.18 does, and returns the reply.
  func initialize(
    minor: UInt32 = 44, flags: UInt32 = 0x73ff_fffb, flags2: UInt32 = 0x5fd
  ) throws -> cfuse_init_out {
    var request = fuse_init_in()
    request.major = 7
    request.minor = minor
    request.max_readahead = 131_072
    request.flags = flags
    request.flags2 = flags2
    let reply = try call(FUSE_INIT, node: 0, bytes(of: request))
    #expect(reply.error == 0)
    return try reply.value(cfuse_init_out.self)
  }

  /// Sends a request and returns its number.
  @discardableResult
  func send(
    _ opcode: fuse_opcode, node: UInt64 = 1, _ body: [UInt8] = [], unique: UInt64? = nil,
    length: UInt32? = nil
  ) throws -> UInt64 {
    let unique =
      unique
      ?? nextUnique.withLock { next in
        next += 2
        return next
      }
    var header = fuse_in_header()
    let size = MemoryLayout<fuse_in_header>.size + body.count
    header.len = length ?? UInt32(size)
    header.opcode = opcode.rawValue
    header.unique = unique
    header.nodeid = node
    (header.uid, header.gid, header.pid) = (1000, 1001, 4321)
    let message = bytes(of: header) + body
    try #require(Glibc.send(socket, message, message.count, 0) == message.count)
    return unique
  }

  /// The next message of the session; fails after ten seconds.
  func receive() throws -> Message {
    var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    try #require(poll(&request, 1, 10_000) == 1, "no reply came")
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    let count = recv(socket, &buffer, buffer.count, 0)
    let size = MemoryLayout<fuse_out_header>.size
    try #require(count >= size)
    let header = buffer.withUnsafeBytes { $0.loadUnaligned(as: fuse_out_header.self) }
    try #require(Int(header.len) == count, "the length in the header is not the message's")
    return Message(unique: header.unique, error: header.error, body: Array(buffer[size..<count]))
  }

  /// Whether nothing has come that was not received.
  var isSilent: Bool {
    var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) == 0
  }

  /// Sends a request and returns its reply, which must be the next message.
  func call(_ opcode: fuse_opcode, node: UInt64 = 1, _ body: [UInt8] = []) throws -> Message {
    let unique = try send(opcode, node: node, body)
    let reply = try receive()
    try #require(reply.unique == unique)
    return reply
  }

  /// Ends the connection, as unmounting does.
  func disconnect() { shutdown(socket, Int32(SHUT_RDWR)) }
}

/// The bytes of a value of C.
func bytes<Value: BitwiseCopyable>(of value: Value) -> [UInt8] {
  withUnsafeBytes(of: value) { Array($0) }
}

/// The bytes of a name and its terminator.
func name(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }
