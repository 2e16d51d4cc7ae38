import Catalog
import Control
import Drive
import Fuse
import Glibc
import Platform
import Profiles

/// The methods `device.*`.
extension ControlMethods {
  mutating func registerDevices(_ world: World) {
    register(DeviceList.self) { _, _ throws(ControlError) in
      DeviceList.Result(devices: world.allDevices)
    }
    register(DeviceMount.self) { params, _ throws(ControlError) in
      try world.mount(params).info
    }
    register(DeviceUnmount.self) { params, _ throws(ControlError) in
      let device = try world.mountedDevice(params.device)
      let isLast = world.isLast(device)
      try device.unmount(force: params.force)
      // After the last one there is no server that could answer.
      if !isLast { await world.awaitEnd(of: device) }
      return DeviceUnmount.Result(isLast: isLast)
    }
    register(DeviceRemove.self) { params, _ throws(ControlError) in
      try world.remove(params)
      return Nothing()
    }
  }
}

extension World {
  /// The devices that are mounted, and those that were.
  var allDevices: [DeviceInfo] {
    let mounted = devices
    let settings = settings
    let others = (settings.devices ?? [:]).filter { name, _ in !mounted.contains { $0.name == name }
    }
    let resting = others.map { name, record in
      DeviceInfo(
        name: name, profile: record.profile ?? profile.name, mountpoint: nil,
        isScoped: settings.isScoped, isAudited: false)
    }
    return (mounted.map(\.info) + resting).sorted { $0.name < $1.name }
  }

  fileprivate func mountedDevice(_ name: String) throws(ControlError) -> Device {
    if let device = device(named: name) { return device }
    if settings.devices?[name] == nil { throw .unknownDevice(name) }
    throw ControlError(
      .refused, "the device '\(name)' is not mounted",
      remedy: "'fauxdrive device list' shows what is")
  }

  fileprivate func mount(_ params: DeviceMount.Params) throws(ControlError) -> Device {
    guard !params.device.isEmpty, params.device.utf8.count <= 64,
      !params.device.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      throw ControlError(
        .invalidParameters, "a device's name has 1 to 64 bytes, and no control characters")
    }
    guard params.mountpoint.hasPrefix("/") else {
      throw ControlError(.invalidParameters, "the mountpoint must be an absolute path")
    }
    if let device = device(named: params.device) {
      throw ControlError(Devices.alreadyMounted(device))
    }
    // Not looked at where it is one of our own mounts, for that could wait for ourselves.
    if let device = devices.first(where: { RealPath.contains($0.mountpoint, params.mountpoint) }) {
      throw ControlError(
        .exists, "'\(params.mountpoint)' lies on the device '\(device.name)' of this world",
        remedy: "mount beside it")
    }
    var request = MountRequest(mountpoint: params.mountpoint)
    request.device = params.device
    request.isAudited = params.isAudited
    request.allowsOthers = params.allowsOthers
    request.isReadOnly = params.isReadOnly
    request.forbidsExecution = params.forbidsExecution
    request.assumedKernel = params.assumedKernel
    do throws(WorldError) {
      let checks = try MountChecks(request)
      try checks.checkNesting(cloud: settings.cloud, world: folder.layout.directory)
      let profile = try params.profile.map { name throws(WorldError) in
        try Self.profile(name, params.profileText)
      }
      return try mount(request, at: checks.mountpoint, as: profile, named: params.profile)
    } catch {
      throw ControlError(error)
    }
  }

  private static func profile(_ name: String, _ text: String?) throws(WorldError) -> Profile {
    guard let text else { return try WorldSettings.find(name) }
    do { return try Profile.parse(text.utf8, file: name) } catch {
      throw WorldError(.badData, "\(error)")
    }
  }

  fileprivate func remove(_ params: DeviceRemove.Params) throws(ControlError) {
    let name = params.device
    guard settings.devices?[name] != nil else { throw .unknownDevice(name) }
    do throws(WorldError) {
      try remove(name) { directory throws(WorldError) in
        if !params.force { try Self.refuseLoss(of: name, directory) }
      }
    } catch {
      throw ControlError(error)
    }
  }

  /// Throws while a device has changes that the cloud does not have.
  private static func refuseLoss(of name: String, _ directory: String) throws(WorldError) {
    guard RealPath.isFolder(directory) else { return }
    let pending: Int
    do throws(CatalogError) {
      let catalog = try DeviceFolder.open(directory).catalog
      defer { catalog.close() }
      let counts = try catalog.pendingCounts()
      pending = counts.items + counts.deletions
    } catch {
      throw WorldError(.failure, "\(error.message); remove it with --force")
    }
    guard pending > 0 else { return }
    throw WorldError(
      .failure,
      "the device '\(name)' has \(pending) changes that are not in the cloud; mount it until they "
        + "are, or remove it with --force")
  }
}

extension Device {
  var info: DeviceInfo {
    DeviceInfo(
      name: name, profile: settings.profileName, mountpoint: mountpoint,
      isScoped: settings.isScoped, isAudited: settings.isAudited,
      pendingUploads: drive.pendingChanges,
      transfers: drive.activity.transfers, heldReplies: drive.activity.heldReplies,
      notices: drive.notices)
  }

  /// How long a program may keep a mount busy by merely looking at it.
  private static let patience: Duration = .seconds(1)

  /// Unmounts; does not wait for the end of its session.
  func unmount(force: Bool) throws(ControlError) {
    if force {
      // Not on this thread: the end of the session may end the server that this call came through.
      return Threads.detach(named: "stop") { [session] in session.stop() }
    }
    do throws(FuseError) {
      try MountTable.unmount(mountpoint, patience: Self.patience)
    } catch {
      guard error.code == .busy else { throw ControlError(.failed, error.message) }
      throw ControlError(
        .refused, "programs still use \(mountpoint)",
        remedy: "close them, or unmount with --force")
    }
  }
}

extension ControlError {
  static func unknownDevice(_ name: String) -> ControlError {
    ControlError(
      .notFound, "there is no device '\(name)' in this world",
      remedy: "'fauxdrive device list' shows those that are")
  }

  /// A world's error over the control socket.
  init(_ error: WorldError) {
    let code: Code =
      switch error.exitCode {
      case .usage, .badData: .invalidParameters
      case .noInput: .notFound
      case .unavailable: .unsupported
      case .noPermission: .denied
      case .cannotCreate: .exists
      default: .refused
      }
    self.init(code, error.message)
  }
}
