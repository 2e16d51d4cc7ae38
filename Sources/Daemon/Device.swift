import Catalog
import Cloud
import Control
import Drive
import Fuse
import Glibc
import Ledger
import Mount
import Platform
import Profiles
import Simulation

/// One mounted replica of the world's cloud.
final class Device: Sendable {
  let name: String
  let mountpoint: String
  let drive: Drive
  let session: Session
  let settings: DriveSettings
  private let catalog: Catalog

  /// Opens the device's folder and mounts it.
  init(_ world: World, _ request: MountRequest, mountpoint: String) throws(WorldError) {
    name = request.deviceName
    let profile = try world.settings.loadedProfile(of: name)
    self.mountpoint = mountpoint
    let folder = world.folder.layout.device(name)
    let (catalog, rebuild) = try Self.openCatalog(folder)
    self.catalog = catalog
    let kernel = KernelSupport(request.assumedKernel)
    settings = Self.settings(world, profile, request, kernel)
    do {
      drive = try Drive(
        settings: settings, catalog: catalog, contentFolder: DeviceFolder.content(in: folder),
        cloud: world.reachedStore(by: name) { Self.describe($0, catalog) }, clock: world.clock,
        ledger: world.ledger, programs: world.programs, workers: world.workers,
        checkpoints: world.checkpoints(of: name), rebuild: rebuild)
    } catch {
      throw WorldError(
        .badConfiguration, "the device's folder '\(folder)' cannot be used: \(error)")
    }
    session = Self.session(drive, settings, kernel)
    drive.attach(NotifiedCaches(session.notifier))
    try mount(world, request)
    drive.followChanges()
    drive.beginUploading()
  }

  private static func openCatalog(
    _ folder: String
  ) throws(WorldError) -> (Catalog, CatalogRebuild?) {
    try WorldFolder.make(folder)
    do throws(CatalogError) {
      let (catalog, rebuild) = try DeviceFolder.open(folder)
      catalog.whenDamaged { Output.log("the device's catalog is damaged: \($0)") }
      return (catalog, rebuild)
    } catch {
      let code: ExitCode =
        switch error.code {
        case .corrupt, .newerFormat: .badConfiguration
        default: .cannotCreate
        }
      throw WorldError(code, error.message)
    }
  }

  private static func describe(_ item: ItemIdentifier, _ catalog: Catalog) -> String {
    guard let inode = (try? catalog.inode(of: item)) ?? nil else { return "" }
    return ((try? catalog.path(of: inode)) ?? nil) ?? ""
  }

  private static func settings(
    _ world: World, _ profile: Profile, _ request: MountRequest, _ kernel: KernelSupport
  ) -> DriveSettings {
    let account = world.profile.account
    var settings = DriveSettings(
      device: request.deviceName, representation: profile.representation, account: account,
      profileName: profile.name, user: geteuid(), group: getegid())
    settings.isScoped = world.settings.isScoped
    settings.isAudited = request.isAudited
    settings.isShared = request.allowsOthers
    settings.kernelChecksPermissions = settings.kernelMayCheckPermissions
    settings.propagationDelay = account.propagationDelay
    settings.absentRoute = kernel.mapsDirectly ? .direct : .cached
    settings.passthroughFrom = geteuid() == 0 && !request.isAudited ? 1 << 20 : nil
    return settings
  }

  private static func session(
    _ drive: Drive, _ settings: DriveSettings, _ kernel: KernelSupport
  ) -> Session {
    var options = Session.Options()
    options.assumedKernel = kernel.features
    options.asyncRead = kernel.mapsDirectly
    options.dataInvalidation = .explicit
    options.operations.remove([.lseek, .copyFileRange])
    if settings.kernelChecksPermissions { options.operations.remove(.access) }
    let passthrough = Passthrough()
    return Session(
      operations: DriveOperations(drive, settings: settings, passthrough: passthrough),
      passthrough: passthrough, options: options)
  }

  private func mount(_ world: World, _ request: MountRequest) throws(WorldError) {
    let source = MountSource(world: world.folder.layout.directory, device: name)
    var options = MountOptions(source: source.text, subtype: MountSource.subtype)
    options.allowsOtherUsers = request.allowsOthers
    options.isReadOnly = request.isReadOnly
    options.forbidsExecution = request.forbidsExecution
    options.checksPermissions = settings.kernelChecksPermissions
    do throws(FuseError) {
      try session.mount(at: mountpoint, options)
    } catch {
      drive.stop()
      catalog.close()
      throw WorldError(error.exitCode, error.message)
    }
  }

  /// Closes what the device has open; it must be unmounted.
  func close() { drive.close() }
}

extension FuseError {
  /// The exit status of a command that this error ends.
  var exitCode: ExitCode {
    switch code {
    case .deviceMissing, .helperMissing, .helperNotPrivileged, .library: .unavailable
    case .deviceNotOpenable, .refused, .mountpointNotPermitted: .noPermission
    case .mountpointMissing: .noInput
    case .mountpointNotDirectory, .mountpointNotEmpty, .mountpointInUse, .busy: .cannotCreate
    case .notMounted: .noInput
    }
  }
}
