public import Control
public import DriveClient
public import Foundation
import Glibc
import Ledger
import Platform

/// A drive on a real mount, in a world and a process of its own, always unmounted and removed.
///
/// The process that tests never touches the mount: it runs programs that do, and steers the world over
/// its control socket.
public final class MountedDrive: @unchecked Sendable {
  /// Whether drives can be mounted here at all.
  public static var isAvailable: Bool { access("/dev/fuse", R_OK | W_OK) == 0 }

  /// The folder that holds everything of this test.
  public let folder: String
  /// Where the drive is mounted.
  public var mountpoint: String { folder + "/Drive" }
  /// The folder that is the cloud: editing it is what another device does.
  public var cloud: String { folder + "/cloud" }
  /// The world's folder.
  public var worldFolder: String { folder + "/world" }
  /// The process that serves the mount.
  public private(set) var process: pid_t = 0
  private let options: [String]
  private let user: UserSpace?
  private var isMounted = false
  private var others: [String] = []

  /// Makes a cloud of files (path: content) and mounts it.
  ///
  /// - Parameters:
  ///   - profile: a built-in profile's name, or a file.
  ///   - cloud: the documents.
  ///   - options: further options of `fauxdrive mount`, such as `--audit`, `--clock manual`.
  ///   - user: who mounts and uses it; nil for whoever tests.
  ///   - mounting: false to mount it later.
  public init(
    _ profile: String, cloud files: [String: [UInt8]] = [:], options: [String] = ["--audit"],
    as user: UserSpace? = nil, mounting: Bool = true
  ) throws {
    folder = try Self.makeFolder()
    self.user = user
    self.options = ["--profile", profile] + options
    for path in [mountpoint, cloud] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    for (path, bytes) in files { try put(bytes, at: path) }
    if user != nil {
      for path in [folder, mountpoint] { chown(path, UserSpace.number, UserSpace.number) }
    }
    if mounting { try mount() }
  }

  deinit {
    if isMounted { try? kill() }
    for path in [mountpoint] + others { Self.removeMount(path) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  static func makeFolder() throws -> String {
    var template = Array("/tmp/fauxdrive-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestFailure("/tmp takes no folder") }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Mounts, as `fauxdrive mount` does; the world goes on where it was.
  public func mount() throws {
    let ended = try tryMounting()
    guard ended.status == 0 else { throw TestFailure("mount failed: \(ended)") }
    try adopt()
  }

  /// Takes over what `tryMounting` has mounted.
  public func adopt() throws {
    isMounted = true
    process = try world().status().process
  }

  /// Runs `fauxdrive mount`, with further options, and tells how it ended.
  public func tryMounting(_ more: [String] = []) throws -> TestProgram.Ended {
    try fauxdrive(
      ["mount", mountpoint, "--cloud", cloud, "--world", worldFolder, "--json"] + options + more)
  }

  /// Runs the program under test.
  @discardableResult
  public func fauxdrive(_ arguments: [String]) throws -> TestProgram.Ended {
    try TestProgram.run((user?.prefix ?? []) + [user?.program ?? Self.program] + arguments)
  }

  /// Waits until everything that programs have closed is in the cloud.
  ///
  /// - Parameters:
  ///   - device: whose programs.
  ///   - isAdvancing: whether to let time pass on the manual clock meanwhile.
  public func awaitUploads(of device: String = "device", isAdvancing: Bool = false) throws {
    let mountpoint = device == "device" ? mountpoint : folder + "/" + device
    let deadline = ContinuousClock.now + .seconds(120)
    while true {
      let asked = try run(
        "getfattr", "--only-values", "-n", "user.fauxdrive.pending", mountpoint)
      if asked.output == "0" { return }
      if isAdvancing { try world().advanceClock(by: .seconds(1)) }
      guard ContinuousClock.now < deadline else {
        let records = try world().records(LedgerFilter(kinds: [.upload, .conflict]))
        let last = records.suffix(30).map(\.line).joined(separator: "\n")
        throw TestFailure("\(asked.output) changes stay pending:\n\(last)")
      }
    }
  }

  /// Unmounts the last device and waits for the end of the world's process.
  @discardableResult
  public func unmount(force: Bool = false) throws -> TestProgram.Ended {
    let ended = try fauxdrive(["unmount", mountpoint] + (force ? ["--force"] : []))
    if ended.status == 0 { isMounted = false }
    return ended
  }

  /// Kills the world's process with SIGKILL and waits for its end; the mount is dead then.
  public func kill() throws {
    Glibc.kill(process, SIGKILL)
    try awaitDeath()
  }

  /// Waits until the world's process has died, of a deadly gate for example; at most a minute.
  ///
  /// - Parameter isAdvancing: whether to let time pass on the manual clock meanwhile.
  public func awaitDeath(isAdvancing: Bool = false) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while isAdvancing, server.isRunning, ContinuousClock.now < deadline {
      _ = try? world().advanceClock(by: .seconds(1))
    }
    // It is not our child: its lock on the world tells when it has ended.
    let ended = try TestProgram.run(["flock", "-w", "60", worldFolder + "/lock", "true"])
    guard ended.status == 0 else { throw TestFailure("the world's process does not die") }
    isMounted = false
  }

  /// Whether something is mounted there, as this process sees it.
  public var isInMountTable: Bool { Self.isInMountTable(mountpoint) }

  /// Whether something is mounted at a path.
  public static func isInMountTable(_ path: String) -> Bool {
    let table = (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) ?? ""
    return table.contains(" \(path) ")
  }

  private static func removeMount(_ path: String) {
    guard isInMountTable(path) else { return }
    if umount2(path, CInt(MNT_DETACH)) != 0 {
      _ = try? TestProgram.run(["fusermount3", "-uz", path])
    }
  }

  /// Mounts another device of the world, as `fauxdrive device add` does.
  ///
  /// - Returns: where it is mounted.
  public func addDevice(_ name: String, _ options: String...) throws -> String {
    let path = folder + "/" + name
    // There may be a dead mount.
    mkdir(path, 0o700)
    if !others.contains(path) { others.append(path) }
    let ended = try fauxdrive(["device", "add", name, path, "--world", worldFolder] + options)
    guard ended.status == 0 else { throw TestFailure("device add failed: \(ended)") }
    return path
  }

  /// A connection to the world, for one thread.
  public func world() throws(ControlError) -> World { try World(directory: worldFolder) }

  /// A connection to the drive, for one thread.
  public func drive() throws(ControlError) -> Drive { Drive(device: "device", of: try world()) }

  /// Writes a document into the cloud's folder, as another device would: a new file under its name.
  public func put(_ bytes: [UInt8], at path: String) throws {
    let target = cloud + "/" + path
    let above = (target as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: above, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: target), options: .atomic)
  }

  /// The path of a document on the mount, for programs to use.
  public func at(_ path: String) -> String { mountpoint + "/" + path }

  /// Runs a program to its end.
  @discardableResult
  public func run(_ arguments: String...) throws -> TestProgram.Ended {
    try TestProgram.run((user?.prefix ?? []) + arguments)
  }

  /// Starts a program.
  public func start(_ arguments: String...) throws -> TestProgram {
    try TestProgram((user?.prefix ?? []) + arguments)
  }

  /// A process that does calls on the mount one after the other.
  public func session() throws -> Hands { try Hands("session", as: user) }

  /// So many processes that do the same on a document (see `Crowd`).
  public func crowd(_ count: Int, _ what: String, _ path: String) throws -> Crowd {
    try Crowd(count, what, at(path), as: user)
  }

  /// The program under test, built beside the tests.
  public static let program: String = built("fauxdrive")

  static func built(_ name: String) -> String {
    let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return ((own ?? "") as NSString).deletingLastPathComponent + "/" + name
  }
}
