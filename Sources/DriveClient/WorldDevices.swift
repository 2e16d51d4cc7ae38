public import Control

extension World {
  /// The devices, by name, also those that are not mounted.
  public func devices() throws(ControlError) -> [DeviceInfo] {
    try call(DeviceList.self, Nothing()).devices
  }

  /// Mounts a device: a new one, or one that was unmounted.
  ///
  /// - Throws: `.exists` when it is mounted, or the mountpoint is in use.
  @discardableResult
  public func mountDevice(_ params: DeviceMount.Params) throws(ControlError) -> DeviceInfo {
    try call(DeviceMount.self, params)
  }

  /// Unmounts a device, and returns when that is done, or with the last one when it has begun.
  ///
  /// - Returns: whether it was the last one, with which the world ends.
  /// - Throws: `.refused` while programs use it, unless `force`.
  @discardableResult
  public func unmountDevice(
    _ name: String, force: Bool = false, timeout: Duration? = nil
  ) throws(ControlError) -> Bool {
    try call(DeviceUnmount.self, .init(device: name, force: force), timeout: timeout).isLast
  }

  /// Removes a device that is not mounted, with all that it has.
  ///
  /// - Throws: `.refused` when it has changes that are not in the cloud, unless `force`.
  public func removeDevice(_ name: String, force: Bool = false) throws(ControlError) {
    _ = try call(DeviceRemove.self, .init(device: name, force: force))
  }
}
