public import Control

/// A mounted device of a running world: what a program asks of a drive beyond the file system.
///
/// Paths are the device's own, with a leading slash; `path(of:)` turns one of the file system into that.
public final class Drive {
  /// The world that serves it.
  public let world: World
  /// The device's name.
  public let device: String
  /// Where it is mounted, when it was found by a path.
  public let mountpoint: String?

  /// The drive that a path of the file system lies on, whether or not anything exists there.
  ///
  /// - Throws: `.notOnADrive`, or `.notRunning` when the mount's world is gone.
  public convenience init(at path: String) throws(ControlError) {
    try self.init(at: try DriveLocation(of: path))
  }

  /// The drive of a location.
  public init(at location: DriveLocation) throws(ControlError) {
    world = try World(directory: location.world)
    device = location.device
    mountpoint = location.mountpoint
  }

  /// A device of a world, mounted or not.
  public init(device: String, of world: World) {
    self.world = world
    self.device = device
    mountpoint = nil
  }

  /// The device's own path for a path of the file system.
  ///
  /// - Throws: `.notOnADrive` when it lies elsewhere, also on another drive.
  public func path(of path: String) throws(ControlError) -> String {
    let location = try DriveLocation(of: path)
    guard location.device == device, location.world == world.directory else {
      throw ControlError(
        .notOnADrive, "'\(path)' is on another drive", remedy: "name paths of one drive at a time")
    }
    return location.path
  }

  /// Lists a folder as the device knows it, and starts nothing.
  public func list(_ path: String) throws(ControlError) -> ItemList.Result {
    try world.call(ItemList.self, .init(device: device, path: path))
  }
  /// The state of items; starts nothing.
  public func status(_ paths: [String]) throws(ControlError) -> [ItemOutcome] {
    try world.call(ItemStatus.self, .init(device: device, paths: paths)).items
  }
  /// Brings the content of items.
  ///
  /// - Parameters:
  ///   - wait: whether to return when the transfers have ended.
  ///   - progress: is called meanwhile.
  @discardableResult
  public func download(
    _ paths: [String], wait: Bool = true, progress: ((ItemDownload.Progress) -> Void)? = nil
  ) throws(ControlError) -> [ItemOutcome] {
    let params = ItemDownload.Params(
      device: device, paths: paths, wait: wait, progress: progress != nil)
    return try world.call(ItemDownload.self, params) { progress?($0) }.items
  }
  /// Drops the content of items.
  @discardableResult
  public func evict(_ paths: [String]) throws(ControlError) -> [ItemOutcome] {
    try world.call(ItemEvict.self, .init(device: device, paths: paths)).items
  }

  /// Says whether items are kept here, folders with all that is in them now and later.
  @discardableResult
  public func setPin(_ state: PinState, of paths: [String]) throws(ControlError) -> [ItemOutcome] {
    try world.call(ItemPin.self, .init(device: device, paths: paths, state: state)).items
  }

  /// Lets a process, with its descendants if wished, touch an item of a scoped device.
  public func grant(
    _ path: String, to process: Int32, includingDescendants: Bool = false
  ) throws(ControlError) -> Int {
    let params = GrantAdd.Params(
      process: process, includesDescendants: includingDescendants, path: path, device: device)
    return try world.call(GrantAdd.self, params).grant
  }
  /// Takes a grant away.
  public func removeGrant(_ grant: Int) throws(ControlError) {
    _ = try world.call(GrantRemove.self, .init(grant: grant))
  }
  /// The grants of this device.
  public func grants() throws(ControlError) -> [GrantInfo] {
    try world.call(GrantList.self, .init(device: device)).grants
  }
}
