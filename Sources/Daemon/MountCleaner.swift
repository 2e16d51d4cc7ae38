import Control
import Fuse
import Glibc
import Platform

/// Ends mounts whose world does not answer, and tells what is mounted.
public enum MountCleaner {
  /// A drive's mount and how it does.
  public struct Found: Hashable, Sendable {
    /// Where it is mounted.
    public let mountpoint: String
    /// Its world's folder; nil when its source is not one of ours.
    public let world: String?
    /// "serving", "dead" or "not answering".
    public let health: String
    /// Whether its server is gone.
    public var isDead: Bool { health == "dead" }

    /// Says how a drive does.
    public init(mountpoint: String, world: String?, health: String) {
      self.mountpoint = mountpoint
      self.world = world
      self.health = health
    }
  }

  /// All drives of this program in the mount table. Asks each, in a child process, so it cannot hang.
  public static func drives() -> [Found] {
    MountTable.fuseMounts(subtype: MountSource.subtype).map { entry in
      let health =
        switch entry.health() {
        case .serving: "serving"
        case .dead: "dead"
        case .notAnswering: "not answering"
        }
      return Found(
        mountpoint: entry.mountpoint, world: MountSource(entry.source)?.world, health: health)
    }
  }

  /// Removes a mount whose world does not run any more, or, by force, any.
  ///
  /// - Throws: `WorldError` when nothing of ours is mounted there, or it is in use.
  public static func unmount(_ mountpoint: String, force: Bool) throws(WorldError) {
    let ours = MountTable.fuseMounts(subtype: MountSource.subtype)
    guard let entry = ours.last(where: { $0.mountpoint == mountpoint }) else {
      throw WorldError(.noInput, "no drive is mounted on '\(mountpoint)'")
    }
    do throws(FuseError) {
      // A server that hangs holds every caller: the connection is ended first.
      if force { try? entry.abort() }
      try MountTable.unmount(mountpoint, lazily: force || entry.health() == .dead)
    } catch {
      throw WorldError(error.exitCode, error.message)
    }
  }

  /// Blocks until the process that serves a world has ended.
  public static func awaitEnd(ofWorld directory: String) {
    guard let lock = try? FileDescriptor.open(WorldLayout(directory: directory).lock, O_RDWR) else {
      return
    }
    flock(lock.rawValue, LOCK_EX)
  }
}
