import Catalog
import Cloud
import Control
import Drive
import Foundation
import Fuse
import Ledger
import Platform
import Profiles
import Simulation

/// One simulated universe: a cloud, its devices, one clock, one seed, one ledger, one process.
///
/// Order of a stop: held replies are answered, the devices unmount, the catalogs and the ledger close.
final class World: Sendable {
  let folder: WorldFolder
  let profile: Profile
  let clock: any WorldClock
  let manualClock: ManualClock?
  let conditions: Conditions
  let gates: Gates
  let gateNumbers = GateNumbers()
  let ledger: Recorder
  let store: any CloudStore
  let workers: WorkerPool
  let programs = Programs()
  private let clockFile: ClockFile
  private let mounted = Devices()
  private let kept: Locked<WorldSettings>

  init(_ folder: WorldFolder, _ settings: WorldSettings) throws(WorldError) {
    self.folder = folder
    kept = Locked(settings)
    profile = try settings.loadedProfile()
    clockFile = ClockFile(path: folder.layout.clock, began: settings.began)
    let start = clockFile.start(isManual: settings.hasManualClock)
    manualClock = settings.hasManualClock ? ManualClock(startingAt: start) : nil
    clock = manualClock ?? SystemClock(startingAt: start)
    ledger = try Self.openLedger(clock, folder.layout)
    conditions = Conditions()
    gates = Gates(clock: clock) { [ledger] fault, subject in
      ledger.note(fault: fault, on: subject.cause)
    }
    workers = WorkerPool(threads: max(2, ProcessInfo.processInfo.activeProcessorCount))
    store = try CloudOpener(folder.layout, settings, gates).open()
  }

  private static func openLedger(
    _ clock: any WorldClock, _ layout: WorldLayout
  ) throws(WorldError) -> Recorder {
    do {
      return try Recorder(
        clock: clock,
        wallClock: {
          let now = Timestamp.now
          return now.seconds * 1_000_000_000 + Int64(now.nanoseconds)
        }, file: layout.ledger, patienceWithLookups: .seconds(1))
    } catch {
      throw WorldError(.cannotCreate, "\(error)")
    }
  }

  /// What the world is now, as its file says.
  var settings: WorldSettings { kept.withLock { $0 } }

  /// The mounted devices, by name.
  var devices: [Device] { mounted.all }

  func device(named name: String?) -> Device? {
    if let name { return mounted[name] }
    return devices.count == 1 ? devices.first : nil
  }

  func isLast(_ device: Device) -> Bool { mounted.isLast(device.name) }

  /// Mounts a device, and remembers it.
  ///
  /// - Parameters:
  ///   - mountpoint: `request.mountpoint`, checked.
  ///   - profile: whose representation it has from now on; nil for what it had, or the account's.
  ///   - profileName: what the profile was called.
  func mount(
    _ request: MountRequest, at mountpoint: String, as profile: Profile? = nil,
    named profileName: String? = nil
  ) throws(WorldError) -> Device {
    let name = request.deviceName
    return try mounted.add(name) { () throws(WorldError) in
      let before = note(name, at: mountpoint, profile, named: profileName)
      do throws(WorldError) {
        let device = try Device(self, request, mountpoint: mountpoint)
        do throws(WorldError) {
          try settings.save(folder.layout)
          return device
        } catch {
          device.session.stop()
          device.close()
          throw error
        }
      } catch {
        // Only a device that works is remembered.
        kept.withLock { $0.devices?[name] = before }
        throw error
      }
    }
  }

  /// - Returns: what was remembered of the device before.
  private func note(
    _ name: String, at mountpoint: String, _ profile: Profile?, named profileName: String?
  ) -> WorldSettings.DeviceRecord? {
    kept.withLock { settings in
      let before = settings.devices?[name]
      var record = before ?? .init(mountpoint: mountpoint)
      record.mountpoint = mountpoint
      if let profile { record.use(profile, named: profileName) }
      settings.devices = settings.devices ?? [:]
      settings.devices?[name] = record
      return before
    }
  }

  /// Forgets a device that is not mounted, with all that it has.
  ///
  /// - Parameter check: called while nobody can mount it; throws why it must stay.
  func remove(
    _ name: String, unless check: (_ folder: String) throws(WorldError) -> Void
  ) throws(WorldError) {
    try mounted.reserving(name) { () throws(WorldError) in
      let directory = folder.layout.device(name)
      try check(directory)
      let record = kept.withLock { $0.devices?.removeValue(forKey: name) }
      do throws(WorldError) {
        try settings.save(folder.layout)
      } catch {
        kept.withLock { $0.devices?[name] = record }
        throw error
      }
      RealPath.remove(directory)
    }
  }

  func awaitEnd(of device: Device) async { await mounted.awaitEnd(of: device.name) }

  /// Unmounts every device; blocks until that is done.
  func stop() { mounted.stop() }

  /// Blocks until no device is mounted any more.
  func waitUntilEnded() { mounted.waitUntilEnded() }

  /// The store as a device reaches it: through the network, unless the profile is a local disk.
  func reachedStore(
    by device: String, describe: @escaping @Sendable (ItemIdentifier) -> String
  ) -> any CloudStore {
    guard profile.account.reachedOver == .network else { return store }
    return SimulatedCloud(
      store, clock: clock, conditions: conditions, gates: gates, device: device,
      describe: describe)
  }

  /// Where a device's transfers can be held: nowhere, if the profile is a local disk.
  func checkpoints(of device: String) -> any Checkpoints {
    SimulatedCheckpoints(
      gates: gates, device: device, holds: profile.account.reachedOver == .network)
  }

  /// Keeps the world's time for the next start.
  func keepTime() { clockFile.keep(clock.now) }

  /// Ends everything. No device may be mounted.
  func close() {
    keepTime()
    ledger.close()
    (store as? DirectoryStore)?.close()
  }
}
