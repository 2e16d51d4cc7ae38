import Control
import Drive
import Glibc
import Platform
import Profiles
import Simulation

/// The methods `world.*`, `network.*` and `clock.*`.
extension ControlMethods {
  mutating func registerWorld(_ world: World) {
    register(WorldStatus.self) { _, _ throws(ControlError) in world.status }
    register(WorldStop.self) { params, _ throws(ControlError) in
      try world.unmountAll(force: params.force)
      return Nothing()
    }
  }

  mutating func registerNetwork(_ world: World) {
    register(NetworkGet.self) { _, _ throws(ControlError) in world.network }
    register(NetworkSet.self) { params, _ throws(ControlError) in
      guard params.latencyMilliseconds ?? 0 >= 0, params.bytesPerSecond ?? 0 >= 0 else {
        throw ControlError(.invalidParameters, "latency and bandwidth must not be negative")
      }
      world.conditions.change { settings in
        if let isOnline = params.isOnline { settings.isOnline = isOnline }
        if let latency = params.latencyMilliseconds { settings.latency = .milliseconds(latency) }
        if let rate = params.bytesPerSecond { settings.downloadRate = rate == 0 ? nil : rate }
      }
      if params.isOnline == true { for device in world.devices { device.drive.retryUploads() } }
      return world.network
    }
  }

  mutating func registerClock(_ world: World) {
    register(ClockGet.self) { _, _ throws(ControlError) in world.clockState }
    register(ClockAdvance.self) { params, _ throws(ControlError) in
      guard params.nanoseconds >= 0 else {
        throw ControlError(.invalidParameters, "time does not run backwards")
      }
      try world.requireManualClock().advance(by: .nanoseconds(params.nanoseconds))
      world.keepTime()
      return world.clockState
    }
    register(ClockSet.self) { params, _ throws(ControlError) in
      let clock = try world.requireManualClock()
      guard params.now >= clock.now.nanoseconds else {
        throw ControlError(.invalidParameters, "time does not run backwards")
      }
      clock.advance(to: WorldTime(nanoseconds: params.now))
      world.keepTime()
      return world.clockState
    }
  }
}

extension World {
  fileprivate var status: WorldStatus.Result {
    WorldStatus.Result(
      directory: folder.layout.directory, version: programVersion, process: getpid(),
      cloud: settings.cloud, profile: profile.name, seed: settings.seed, clock: clockState.kind,
      now: clock.now.nanoseconds, isOnline: conditions.settings.isOnline,
      devices: allDevices)
  }

  fileprivate var clockState: ClockState {
    ClockState(kind: manualClock == nil ? .system : .manual, now: clock.now.nanoseconds)
  }

  fileprivate func requireManualClock() throws(ControlError) -> ManualClock {
    if let manualClock { return manualClock }
    throw ControlError(
      .unsupported, "this world's clock is the system's",
      remedy: "mount with --clock manual to steer time")
  }

  fileprivate var network: NetworkState {
    let settings = conditions.settings
    return NetworkState(
      isOnline: settings.isOnline, latencyMilliseconds: settings.latency.nanoseconds / 1_000_000,
      bytesPerSecond: settings.downloadRate ?? 0)
  }

  /// Unmounts every device, which ends the process.
  fileprivate func unmountAll(force: Bool) throws(ControlError) {
    for device in devices { try device.unmount(force: force) }
  }
}
