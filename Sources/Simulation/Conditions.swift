internal import Cloud
internal import Platform

/// The state of the network between the devices and the cloud; it can be changed at any time.
///
/// Going offline fails calls that wait for latency or bandwidth at once, and running transfers at their
/// next piece. Coming back online needs nothing special.
/// - Fidelity: every transfer has the whole bandwidth for itself.
public final class Conditions: Sendable {
  /// One state of the network.
  public struct Settings: Hashable, Sendable {
    /// Whether there is a network at all.
    public var isOnline: Bool
    /// How long every call takes before the cloud sees it.
    public var latency: Duration
    /// Bytes per second from the cloud; nil is without limit, 0 stands still.
    public var downloadRate: Int64?
    /// Bytes per second to the cloud; nil is without limit, 0 stands still.
    public var uploadRate: Int64?

    /// Describes a network; without arguments a perfect one.
    public init(
      isOnline: Bool = true, latency: Duration = .zero, downloadRate: Int64? = nil,
      uploadRate: Int64? = nil
    ) {
      self.isOnline = isOnline
      self.latency = latency
      self.downloadRate = downloadRate
      self.uploadRate = uploadRate
    }
  }

  /// Which way bytes go.
  enum Direction: Sendable { case down, up }

  /// Why a delay ended.
  enum Ending: Sendable { case elapsed, changed }

  private struct State: Sendable {
    var settings: Settings
    var nextNumber: UInt64 = 0
    var delays: [UInt64: Wait<Ending>] = [:]
    var onlineHandlers: [UInt64: @Sendable () -> Void] = [:]
  }

  private let state: Locked<State>

  /// Starts with a state of the network.
  public init(_ settings: Settings = Settings()) { state = Locked(State(settings: settings)) }

  /// The present state.
  public var settings: Settings { state.withLock { $0.settings } }

  /// Changes the state; what waits for latency or bandwidth goes by the new one from now on.
  public func change(_ body: (inout Settings) -> Void) {
    let (delays, handlers): ([Wait<Ending>], [@Sendable () -> Void]) = state.withLock { state in
      let before = state.settings
      body(&state.settings)
      guard state.settings != before else { return ([], []) }
      let delays = state.delays.sorted { $0.key < $1.key }.map(\.value)
      state.delays = [:]
      let isBack = state.settings.isOnline && !before.isOnline
      let handlers = state.onlineHandlers.sorted { $0.key < $1.key }.map(\.value)
      return (delays, isBack ? handlers : [])
    }
    for delay in delays { delay.finish(.changed) }
    for handler in handlers { handler() }
  }

  /// Cuts the network.
  public func goOffline() { change { $0.isOnline = false } }

  /// Brings the network back.
  public func goOnline() { change { $0.isOnline = true } }

  /// Fails when there is no network.
  func checkOnline() throws(CloudError) {
    guard settings.isOnline else { throw CloudError(.offline, "There is no network.") }
  }

  /// Waits until a moment (nil: without end), or until the conditions are no longer `settings`.
  func wait(
    until moment: WorldTime?, under settings: Settings, clock: any WorldClock
  ) async throws(CloudError) -> Ending {
    let wait = Wait<Ending>()
    let number: UInt64? = state.withLock { state in
      guard state.settings == settings else { return nil }
      state.nextNumber += 1
      state.delays[state.nextNumber] = wait
      return state.nextNumber
    }
    guard let number else { return .changed }
    let timer = moment.map { clock.schedule(at: $0) { wait.finish(.elapsed) } }
    let ending = await wait.value()
    timer?.cancel()
    state.withLock { $0.delays[number] = nil }
    guard let ending else {
      throw CloudError(.cancelled, "The task was cancelled while it waited for the network.")
    }
    return ending
  }

  /// Calls `handler` whenever the network comes back; ends with the number's `removeHandler`.
  func whenOnline(_ handler: @escaping @Sendable () -> Void) -> UInt64 {
    state.withLock { state in
      state.nextNumber += 1
      state.onlineHandlers[state.nextNumber] = handler
      return state.nextNumber
    }
  }

  func removeHandler(_ number: UInt64) {
    state.withLock { $0.onlineHandlers[number] = nil }
  }
}
