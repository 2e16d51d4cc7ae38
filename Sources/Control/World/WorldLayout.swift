internal import Glibc

/// Where things lie in a world's folder.
public struct WorldLayout: Hashable, Sendable {
  /// The world's folder; mode 0700.
  public let directory: String

  /// The layout of the world in a folder.
  public init(directory: String) { self.directory = directory }

  /// The control socket.
  public var controlSocket: String { directory + "/control.sock" }
  /// How the world was made, with the version of its format.
  public var settings: String { directory + "/settings.json" }
  /// What the serving process has to say.
  public var log: String { directory + "/log" }
  /// Is locked by the serving process, so that a world is served once.
  public var lock: String { directory + "/lock" }
  /// The identifiers and versions of the items of a cloud that is a folder.
  public var cloudIndex: String { directory + "/cloud.index" }
  /// The ledger, as JSON Lines.
  public var ledger: String { directory + "/ledger.jsonl" }
  /// The world's time, from one start to the next.
  public var clock: String { directory + "/clock" }
  /// The world's own copy of a cloud that is one.
  public var cloudCopy: String { directory + "/cloud" }
  /// The folder of the devices.
  public var devices: String { directory + "/devices" }
  /// Whether a name in the world's folder is one that a world gives.
  public func isPart(_ name: String) -> Bool {
    let path = directory + "/" + name
    return [controlSocket, settings, log, lock, cloudIndex, ledger, clock, cloudCopy, devices]
      .contains { path == $0 || path.hasPrefix($0 + ".") }
  }
  /// The folder of one device; a name with special characters is written with percent signs.
  public func device(_ name: String) -> String {
    devices + "/" + PercentCoding.encode(name, keeping: "-_")
  }

  /// The folder below which worlds lie that were given none:
  /// `$XDG_STATE_HOME/fauxdrive`, or `~/.local/state/fauxdrive`.
  ///
  /// - Parameter environment: tells a variable's value; relative paths in it do not count, as the XDG
  ///   Base Directory Specification demands.
  public static func defaultRoot(environment: (String) -> String? = Self.variable) -> String {
    if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") {
      return state + "/fauxdrive"
    }
    if let home = environment("HOME"), home.hasPrefix("/") {
      return home + "/.local/state/fauxdrive"
    }
    return "/tmp/fauxdrive-\(geteuid())"
  }

  /// The layout of the world that a mountpoint gets when none is given.
  ///
  /// - Parameter mountpoint: an absolute path.
  public static func forMountpoint(
    _ mountpoint: String, environment: (String) -> String? = Self.variable
  ) -> WorldLayout {
    let trimmed = mountpoint.drop { $0 == "/" }
    // A hyphen of the path is written as %2D, so that two mountpoints never share a world.
    var name = trimmed.split(separator: "/").map { PercentCoding.encode(String($0), keeping: "._") }
      .joined(separator: "-")
    if name.isEmpty { name = "-" }
    if name.utf8.count > 200 {
      name = String(name.prefix(180)) + "-" + hash(mountpoint)
    }
    return WorldLayout(directory: defaultRoot(environment: environment) + "/" + name)
  }

  /// A variable of this process.
  public static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// FNV-1a, 64 bits: only to tell long names apart.
  private static func hash(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}
