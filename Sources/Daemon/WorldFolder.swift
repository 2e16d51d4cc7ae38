import Control
import Foundation
import Glibc
import Platform

/// A world's folder, held by one process at a time.
final class WorldFolder: Sendable {
  let layout: WorldLayout
  private let lock: FileDescriptor
  /// The topmost folder that was made; nil when all were there.
  private let made: String?
  private let isNew: Bool

  /// Makes the folder if need be, private to the user, and locks it.
  ///
  /// - Throws: also when the folder is somebody else's: it holds what is of no world.
  init(_ layout: WorldLayout) throws(WorldError) {
    self.layout = layout
    isNew = access(layout.settings, F_OK) != 0
    try Self.checkContents(layout)
    made = try Self.make(layout.directory)
    do throws(Errno) {
      lock = try FileDescriptor.open(layout.lock, O_RDWR | O_CREAT)
    } catch {
      if let made { rmdir(made) }
      throw WorldError(
        .cannotCreate, "the world's folder '\(layout.directory)' cannot be used: \(error)")
    }
    guard lock.lockExclusively() else {
      throw WorldError(
        .cannotCreate,
        "the world at '\(layout.directory)' is already running; unmount it first, or name another "
          + "--world")
    }
  }

  /// Makes a folder and those above it, private to the user.
  ///
  /// - Returns: the topmost that was made; nil when all were there.
  @discardableResult
  static func make(_ path: String) throws(WorldError) -> String? {
    var folder = ""
    var topmost: String?
    for part in path.split(separator: "/") {
      folder += "/" + part
      if mkdir(folder, 0o700) == 0 {
        topmost = topmost ?? folder
        continue
      }
      let error = Errno.current
      // One above may be there already and read-only, which some file systems tell as EROFS.
      guard !RealPath.isFolder(folder) else { continue }
      if let topmost { rmdir(topmost) }
      throw WorldError(
        .cannotCreate,
        "the folder '\(folder)' cannot be made: \(error == .exists ? .notDirectory : error)")
    }
    return topmost
  }

  /// Removes a world that was begun and could not be mounted, and leaves one that was there before.
  func abandon() {
    guard isNew else { return }
    if let made { return RealPath.remove(made) }
    for name in Self.contents(layout) { RealPath.remove(layout.directory + "/" + name) }
  }

  /// A world may be removed as a whole, so it begins in an empty folder; what a first mount that was
  /// killed left there is no hindrance.
  private static func checkContents(_ layout: WorldLayout) throws(WorldError) {
    guard access(layout.settings, F_OK) != 0,
      let foreign = contents(layout).sorted().first(where: { !layout.isPart($0) })
    else { return }
    throw WorldError(
      .cannotCreate,
      "the folder '\(layout.directory)' is no world and not empty (there is '\(foreign)'); name "
        + "another --world")
  }

  private static func contents(_ layout: WorldLayout) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: layout.directory)) ?? []
  }
}
