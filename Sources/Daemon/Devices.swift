import Dispatch
import Fuse
import Platform

/// The mounted devices of a world. The world ends with the last of them.
final class Devices: Sendable {
  private struct State: Sendable {
    var mounted: [String: Device] = [:]
    /// Those that are being mounted.
    var opening: Set<String> = []
    /// Whoever waits until one is unmounted.
    var awaited: [String: [Wait<Void>]] = [:]
    var isEnding = false
  }

  private let state = Locked(State())
  private let allEnded = DispatchSemaphore(value: 0)

  /// Those that are mounted, by name.
  var all: [Device] {
    state.withLock { Array($0.mounted.values) }.sorted { $0.name < $1.name }
  }

  subscript(_ name: String) -> Device? { state.withLock { $0.mounted[name] } }

  /// Whether nothing but this device is mounted.
  func isLast(_ name: String) -> Bool {
    state.withLock { $0.opening.isEmpty && $0.mounted.keys.allSatisfy { $0 == name } }
  }

  /// Mounts one more device.
  ///
  /// - Throws: also when it is mounted, or the world is about to end.
  func add(_ name: String, _ open: () throws(WorldError) -> Device) throws(WorldError) -> Device {
    try reserve(name)
    let device: Device
    do throws(WorldError) {
      device = try open()
    } catch {
      state.withLock { _ = $0.opening.remove(name) }
      endIfEmpty()
      throw error
    }
    let isTooLate = state.withLock { state in
      state.opening.remove(name)
      state.mounted[name] = device
      return state.isEnding
    }
    device.session.whenEnded { [self] _ in ended(device) }
    if isTooLate { device.session.stop() }
    return device
  }

  /// Does something with a device while nobody can mount it; throws when it is mounted.
  func reserving(_ name: String, _ body: () throws(WorldError) -> Void) throws(WorldError) {
    try reserve(name)
    defer {
      state.withLock { _ = $0.opening.remove(name) }
      endIfEmpty()
    }
    try body()
  }

  private func reserve(_ name: String) throws(WorldError) {
    let problem: WorldError? = state.withLock { state in
      if let device = state.mounted[name] { return Self.alreadyMounted(device) }
      if state.opening.contains(name) {
        return WorldError(.cannotCreate, "the device '\(name)' is just being mounted")
      }
      if state.isEnding { return WorldError(.cannotCreate, "the world is about to end") }
      state.opening.insert(name)
      return nil
    }
    if let problem { throw problem }
  }

  static func alreadyMounted(_ device: Device) -> WorldError {
    WorldError(
      .cannotCreate,
      "the device '\(device.name)' of this world is mounted on '\(device.mountpoint)' already; unmount "
        + "it, or give a new one another name")
  }

  /// A device is unmounted, by whatever means.
  private func ended(_ device: Device) {
    device.close()
    let waits = state.withLock { state in
      state.mounted[device.name] = nil
      return state.awaited.removeValue(forKey: device.name) ?? []
    }
    for wait in waits { wait.finish(()) }
    endIfEmpty()
  }

  /// Waits until a device is unmounted and closed.
  func awaitEnd(of name: String) async {
    let wait = Wait<Void>()
    let isMounted = state.withLock { state in
      guard state.mounted[name] != nil else { return false }
      state.awaited[name, default: []].append(wait)
      return true
    }
    if isMounted { _ = await wait.value() }
  }

  private func endIfEmpty() {
    let isEmpty = state.withLock { state in
      guard state.mounted.isEmpty, state.opening.isEmpty else { return false }
      state.isEnding = true
      return true
    }
    if isEmpty { allEnded.signal() }
  }

  /// Unmounts all, and lets none be mounted any more. Blocks until their sessions have ended.
  func stop() {
    state.withLock { $0.isEnding = true }
    for device in all { device.session.stop() }
  }

  /// Blocks until no device is mounted.
  func waitUntilEnded() { allEnded.wait() }
}
