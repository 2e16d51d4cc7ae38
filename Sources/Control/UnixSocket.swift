internal import Glibc
internal import Platform

/// Addresses and options of Unix sockets.
enum UnixSocket {
  /// Calls `body` with the address of a socket at a path of any length.
  ///
  /// An address has room for 107 bytes. A longer path is reached through its folder, which is opened
  /// and named as /proc/self/fd/N, so that nobody's working directory has to change.
  static func withAddress(
    of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) throws(Errno) {
    if path.utf8.count <= 107 { return try call(path, body) }
    let (folder, name) = split(path)
    let directory = try FileDescriptor.open(folder, O_RDONLY | O_DIRECTORY)
    let short = "/proc/self/fd/\(directory.rawValue)/\(name)"
    guard short.utf8.count <= 107 else { throw .nameTooLong }
    try call(short, body)
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, String(path[path.index(after: slash)...]))
  }

  private static func call(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) throws(Errno) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw Errno.current }
  }

  static func make(isBlocking: Bool) throws(Errno) -> FileDescriptor {
    var type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    if !isBlocking { type |= CInt(SOCK_NONBLOCK.rawValue) }
    let number = socket(AF_UNIX, type, 0)
    guard number >= 0 else { throw Errno.current }
    return FileDescriptor(owning: number)
  }

  /// Connects to a socket, if somebody listens there.
  static func connect(to path: String) throws(Errno) -> FileDescriptor {
    let descriptor = try make(isBlocking: true)
    let number = descriptor.rawValue
    try withAddress(of: path) { Glibc.connect(number, $0, $1) }
    return descriptor
  }

  /// Who is at the other end, from SO_PEERCRED.
  static func peer(of socket: CInt) throws(Errno) -> ControlPeer {
    // struct ucred: pid, uid, gid; glibc declares it only with _GNU_SOURCE.
    var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else {
      throw Errno.current
    }
    return ControlPeer(process: credentials.0, user: credentials.1)
  }
}
