import Control
import Glibc
import Platform

/// A world's folder, held by one process at a time.
final class WorldFolder: Sendable {
  let layout: WorldLayout
  private let lock: FileDescriptor

  /// Makes the folder if need be, private to the user, and locks it.
  init(_ layout: WorldLayout) throws(WorldError) {
    self.layout = layout
    try Self.make(layout.directory)
    do throws(Errno) {
      lock = try FileDescriptor.open(layout.lock, O_RDWR | O_CREAT)
    } catch {
      throw WorldError(
        .cannotCreate, "the world's folder '\(layout.directory)' cannot be used: \(error)")
    }
    guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 else {
      throw WorldError(
        .cannotCreate,
        "the world at '\(layout.directory)' is already running; unmount it first, or name another "
          + "--world")
    }
  }

  /// Makes a folder and those above it, private to the user.
  static func make(_ path: String) throws(WorldError) {
    var made = ""
    for part in path.split(separator: "/") {
      made += "/" + part
      guard mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
      // A folder above may be read-only and there already, which some file systems tell as EROFS.
      guard !RealPath.isFolder(made) else { continue }
      throw WorldError(.cannotCreate, "'\(made)' cannot be made: \(Errno.current)")
    }
  }
}
