import Control
import Daemon
import DriveClient
import Glibc
import Platform

/// Changes what may be changed of a drive while it is mounted: whether it can be written, and whether
/// programs on it can be run.
struct Remount {
  private let request: MountRequest

  init(_ request: MountRequest) { self.request = request }

  /// Remounts; the kernel alone does it, and the world notices nothing.
  func run(isFake: Bool) throws {
    let location = try DriveLocation(of: request.mountpoint)
    guard location.path == "/" else {
      throw WorldError(.noInput, "no drive is mounted on '\(request.mountpoint)'")
    }
    try check(try DriveClient.World(directory: location.world).status(), device: location.device)
    guard !isFake else { return }
    let flags =
      MS_REMOUNT | MS_NOSUID | MS_NODEV | (request.isReadOnly ? MS_RDONLY : 0)
      | (request.forbidsExecution ? MS_NOEXEC : 0)
    guard mount("none", location.mountpoint, nil, UInt(flags), nil) == 0 else {
      let error = Errno.current
      throw WorldError(
        .noPermission,
        error == .notPermitted
          ? "only root may remount '\(location.mountpoint)'"
          : "'\(location.mountpoint)' cannot be remounted: \(error)")
    }
  }

  /// What cannot be changed must be as it is: a line of /etc/fstab names it again at a remount.
  private func check(_ status: WorldStatus.Result, device name: String) throws(WorldError) {
    let device = status.devices.first { $0.name == name }
    if let profile = request.profile, let device, profile != device.profile {
      throw Self.fixed("profile", "is '\(device.profile)'")
    }
    if let seed = request.seed, seed != status.seed {
      throw Self.fixed("seed", "is \(status.seed)")
    }
    if let hasManualClock = request.hasManualClock, hasManualClock != (status.clock == .manual) {
      throw Self.fixed("clock", "is '\(status.clock.rawValue)'")
    }
    if request.isScoped == true, device?.isScoped == false {
      throw Self.fixed("scoped", "is not set")
    }
    if request.isAudited, device?.isAudited == false { throw Self.fixed("audit", "is not set") }
  }

  private static func fixed(_ option: String, _ state: String) -> WorldError {
    WorldError(
      .cannotCreate,
      "a remount cannot change '\(option)', which \(state) here; unmount the drive and mount it again"
    )
  }
}
