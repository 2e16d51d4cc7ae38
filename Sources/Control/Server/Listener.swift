internal import Glibc
internal import Platform

/// Makes the listening socket of a server.
enum Listener {
  static func open(_ path: String) throws(ControlError) -> FileDescriptor {
    try makeFolder(of: path)
    do {
      return try bind(path)
    } catch {
      guard error == Errno(rawValue: EADDRINUSE) else { throw failure(path, error) }
    }
    if (try? UnixSocket.connect(to: path)) != nil {
      throw ControlError(
        .exists, "a world already runs at '\(path)'", remedy: "stop it first, or use another one")
    }
    // Nobody listens: it was left by a server that was killed.
    unlink(path)
    do {
      return try bind(path)
    } catch {
      throw failure(path, error)
    }
  }

  private static func bind(_ path: String) throws(Errno) -> FileDescriptor {
    let socket = try UnixSocket.make(isBlocking: false)
    let number = socket.rawValue
    // Nobody can come in between bind and chmod: the folder is private.
    try UnixSocket.withAddress(of: path) { Glibc.bind(number, $0, $1) }
    guard chmod(path, 0o600) == 0, listen(number, 64) == 0 else { throw Errno.current }
    return socket
  }

  private static func makeFolder(of path: String) throws(ControlError) {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    guard !folder.isEmpty else {
      throw ControlError(.failed, "the path '\(path)' of the control socket has no folder")
    }
    if mkdir(folder, 0o700) != 0 && errno != EEXIST { throw failure(path, Errno.current) }
    var status = stat()
    guard stat(folder, &status) == 0 else { throw failure(path, Errno.current) }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw ControlError(
        .denied, "the folder '\(folder)' of the control socket is not private to you",
        remedy: "chmod 700 '\(folder)', or use another folder", errno: .accessDenied)
    }
  }

  private static func failure(_ path: String, _ error: Errno) -> ControlError {
    ControlError(.failed, "the control socket '\(path)' cannot be made: \(error)", errno: error)
  }
}
