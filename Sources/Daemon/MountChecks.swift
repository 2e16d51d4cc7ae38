import Control
import Fuse
import Platform

/// What must hold before anything is made or mounted.
struct MountChecks {
  /// The absolute path of the mountpoint.
  let mountpoint: String

  /// Checks the mountpoint, and clears away a mount of ours whose server is gone.
  init(_ request: MountRequest) throws(WorldError) {
    mountpoint = RealPath.resolveMissing(request.mountpoint)
    try clearDeadMount()
    guard RealPath.resolve(mountpoint) != nil else {
      throw WorldError(
        .noInput, "the mountpoint '\(mountpoint)' does not exist; make it: mkdir -p '\(mountpoint)'"
      )
    }
  }

  /// The mountpoint, the cloud and the world must lie beside each other.
  func checkNesting(cloud: String, world: String) throws(WorldError) {
    let folder = cloud.hasPrefix("copy:") ? String(cloud.dropFirst(5)) : cloud
    if folder.hasPrefix("/") {
      try refuse(folder, "the cloud's folder")
      if RealPath.contains(folder, world), !cloud.hasPrefix("copy:") {
        throw WorldError(
          .usage,
          "the world's folder '\(world)' lies in the cloud '\(folder)'; name another --world")
      }
    }
    try refuse(world, "the world's folder")
  }

  private func refuse(_ path: String, _ what: String) throws(WorldError) {
    if RealPath.contains(mountpoint, path) {
      throw WorldError(
        .usage, "\(what) '\(path)' lies in the mountpoint '\(mountpoint)'; mount beside it")
    }
    if RealPath.contains(path, mountpoint) {
      throw WorldError(
        .usage, "the mountpoint '\(mountpoint)' lies in \(what) '\(path)'; mount beside it")
    }
  }

  private func clearDeadMount() throws(WorldError) {
    let ours = MountTable.fuseMounts(subtype: MountSource.subtype)
    guard let mount = ours.last(where: { $0.mountpoint == mountpoint }) else { return }
    switch mount.health() {
    case .serving:
      throw WorldError(
        .cannotCreate,
        "a drive is mounted on '\(mountpoint)' already; unmount it first: fauxdrive unmount "
          + "'\(mountpoint)'")
    case .notAnswering:
      throw WorldError(
        .cannotCreate,
        "the drive on '\(mountpoint)' does not answer; end it: fauxdrive unmount --force "
          + "'\(mountpoint)'")
    case .dead:
      do throws(FuseError) {
        try MountTable.unmount(mountpoint, lazily: true)
      } catch {
        throw WorldError(
          .cannotCreate, "the dead mount on '\(mountpoint)' cannot be removed: \(error.message)")
      }
    }
  }
}
