public import Control
public import Platform

/// A running world, asked over its control socket. Every call blocks its thread until it is answered.
///
/// One call at a time; a thread that wants to call while another one's call waits opens a world of its
/// own.
public final class World {
  /// The world's folder.
  public let directory: String
  private let client: ControlClient

  /// Connects to the world in a folder.
  ///
  /// - Throws: `.notRunning` with the folder's name when nobody serves it.
  public init(directory: String) throws(ControlError) {
    self.directory = directory
    let layout = WorldLayout(directory: directory)
    do {
      client = try ControlClient(path: layout.controlSocket)
    } catch {
      guard error.code == .notRunning else { throw error }
      throw ControlError(
        .notRunning, "the world at '\(directory)' is not running",
        remedy: "mount it again; '\(layout.log)' may say why it stopped")
    }
  }

  /// Calls any method of the protocol.
  ///
  /// - Parameters:
  ///   - timeout: how long to wait for the result; nil waits for ever.
  ///   - progress: is called for each notification.
  public func call<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params, timeout: Duration? = nil,
    progress: (Method.Progress) -> Void = { _ in }
  ) throws(ControlError) -> Method.Result {
    try client.call(method, params, timeout: timeout, progress: progress)
  }

  /// What the world is and how it does.
  public func status() throws(ControlError) -> WorldStatus.Result {
    try call(WorldStatus.self, Nothing())
  }
  /// Unmounts every device and ends the world's process.
  ///
  /// - Throws: also `.timedOut` when it does not answer; it may stop all the same.
  public func stop(force: Bool = false, timeout: Duration? = nil) throws(ControlError) {
    _ = try call(WorldStop.self, .init(force: force), timeout: timeout)
  }
  /// The process that serves it, which the kernel tells, whether it answers or not.
  public var process: Int32 { client.server }
  /// A folder of the cloud, past all network conditions.
  public func cloudList(_ path: String) throws(ControlError) -> [CloudItemInfo] {
    try call(CloudList.self, .init(path: path)).items
  }
  /// A whole document of the cloud, past all network conditions.
  ///
  /// - Throws: `.failed` when it changes while it is read.
  public func cloudContent(_ path: String) throws(ControlError) -> [UInt8] {
    var bytes: [UInt8] = []
    var version: String?
    while true {
      let params = CloudRead.Params(path: path, offset: Int64(bytes.count), count: 1 << 20)
      let piece = try call(CloudRead.self, params)
      guard version == nil || version == piece.version else {
        throw ControlError(
          .failed, "'\(path)' has changed while it was read", remedy: "read it again")
      }
      version = piece.version
      bytes += piece.data
      if piece.data.isEmpty || Int64(bytes.count) >= piece.size { return bytes }
    }
  }
  /// Looks for changes that were made to the cloud from outside.
  public func cloudRefresh() throws(ControlError) -> Int {
    try call(CloudRefresh.self, Nothing()).changes
  }

  /// The conditions of the network.
  public func network() throws(ControlError) -> NetworkState {
    try call(NetworkGet.self, Nothing())
  }
  /// Changes conditions of the network; nil leaves one as it is.
  @discardableResult
  public func setNetwork(
    isOnline: Bool? = nil, latencyMilliseconds: Int64? = nil, bytesPerSecond: Int64? = nil
  ) throws(ControlError) -> NetworkState {
    let params = NetworkSet.Params(
      isOnline: isOnline, latencyMilliseconds: latencyMilliseconds, bytesPerSecond: bytesPerSecond)
    return try call(NetworkSet.self, params)
  }
}

extension World {
  /// Closes a gate and returns its number.
  ///
  /// - Parameter isDeadly: whether what arrives there ends the world's process, and nothing is held.
  @discardableResult
  public func closeGate(
    at checkpoint: Checkpoint, path: String = "*", device: String? = nil, isDeadly: Bool = false
  ) throws(ControlError) -> Int {
    let params = GateClose.Params(
      checkpoint: checkpoint.rawValue, path: path, device: device, isDeadly: isDeadly)
    return try call(GateClose.self, params).gate
  }
  /// Opens a gate, or all of them, and returns how many went on.
  @discardableResult
  public func openGate(_ gate: Int? = nil) throws(ControlError) -> Int {
    try call(GateOpen.self, .init(gate: gate)).released
  }
  /// Fails what a gate holds, and returns how many that was.
  @discardableResult
  public func failGate(_ gate: Int, with error: Errno) throws(ControlError) -> Int {
    try call(GateFail.self, .init(gate: gate, errno: error.name)).released
  }
  /// Cancels what a gate holds, and returns how many that was.
  @discardableResult
  public func cancelGate(_ gate: Int) throws(ControlError) -> Int {
    try call(GateCancel.self, .init(gate: gate)).released
  }
  /// The closed gates.
  public func gates() throws(ControlError) -> [GateInfo] {
    try call(GateList.self, Nothing()).gates
  }
  /// Waits until a gate holds so many.
  @discardableResult
  public func awaitGate(
    _ gate: Int, holds count: Int = 1, timeout: Duration? = nil
  ) throws(ControlError) -> [HeldInfo] {
    let params = GateAwait.Params(
      gate: gate, count: count, timeoutMilliseconds: timeout.map { $0.nanoseconds / 1_000_000 })
    return try call(GateAwait.self, params).held
  }

  /// The world's clock.
  public func clock() throws(ControlError) -> ClockState { try call(ClockGet.self, Nothing()) }
  /// Lets time pass on a manual clock.
  @discardableResult
  public func advanceClock(by duration: Duration) throws(ControlError) -> ClockState {
    try call(ClockAdvance.self, .init(nanoseconds: duration.nanoseconds))
  }
  /// Sets a manual clock forward to a moment.
  @discardableResult
  public func setClock(to moment: WorldTime) throws(ControlError) -> ClockState {
    try call(ClockSet.self, .init(now: moment.nanoseconds))
  }
}
