import Catalog
import Cloud
import Control
import Drive
import Foundation
import Ledger
import Platform
import Profiles
import Simulation

/// One simulated universe: a cloud, its devices, one clock, one seed, one ledger, one process.
///
/// Order of a stop: held replies are answered, the devices unmount, the catalogs and the ledger close.
final class World: Sendable {
  let folder: WorldFolder
  let settings: WorldSettings
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
  private let devicesByName = Locked<[String: Device]>([:])

  init(_ folder: WorldFolder, _ settings: WorldSettings) throws(WorldError) {
    self.folder = folder
    self.settings = settings
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

  var devices: [Device] { devicesByName.withLock { Array($0.values) }.sorted { $0.name < $1.name } }

  func device(named name: String?) -> Device? {
    devicesByName.withLock { devices in
      if let name { return devices[name] }
      return devices.count == 1 ? devices.values.first : nil
    }
  }

  func add(_ device: Device) { devicesByName.withLock { $0[device.name] = device } }

  /// The store as a device reaches it: through the network, unless the profile is a local disk.
  func reachedStore(describe: @escaping @Sendable (ItemIdentifier) -> String) -> any CloudStore {
    guard profile.account.reachedOver == .network else { return store }
    return SimulatedCloud(
      store, clock: clock, conditions: conditions, gates: gates, describe: describe)
  }

  /// Where transfers can be held: nowhere, if the profile is a local disk.
  var checkpoints: any Checkpoints {
    SimulatedCheckpoints(gates: gates, holds: profile.account.reachedOver == .network)
  }

  /// Keeps the world's time for the next start.
  func keepTime() { clockFile.keep(clock.now) }

  /// Ends everything. The devices must be unmounted.
  func close() {
    for device in devices { device.close() }
    keepTime()
    ledger.close()
    (store as? DirectoryStore)?.close()
  }
}
