public import Control
internal import Glibc
internal import Platform

/// Where a path lies: on which device of which world, and what it is called there.
public struct DriveLocation: Hashable, Sendable {
  /// The world's folder.
  public let world: String
  /// The device's name.
  public let device: String
  /// The path on the device, with a leading slash.
  public let path: String
  /// Where the device is mounted.
  public let mountpoint: String

  /// Finds out where a path lies.
  ///
  /// Symbolic links and `..` are followed above the mountpoint only, and from it on the path is taken
  /// as text, so that a drive that is held, or whose world has died, cannot make this wait.
  ///
  /// - Throws: `.notOnADrive`.
  public init(of path: String, in mounts: MountTable = .current()) throws(ControlError) {
    let absolute = try Self.absolute(path)
    var walk = PathWalk(absolute, mounts: mounts)
    guard let entry = walk.findDrive(), let source = entry.source else {
      throw ControlError(
        .notOnADrive, "'\(path)' is not on a FauxDrive mount",
        remedy: "'fauxdrive status' lists the mounts")
    }
    world = source.world
    device = source.device
    mountpoint = entry.mountpoint
    let inside = (entry.root == "/" ? "" : entry.root) + walk.rest.map { "/" + $0 }.joined()
    self.path = inside.isEmpty ? "/" : inside
  }

  private static func absolute(_ path: String) throws(ControlError) -> String {
    if path.hasPrefix("/") { return path }
    // The kernel knows the name of the working directory without asking the file system.
    guard let buffer = getcwd(nil, 0) else {
      throw ControlError(
        .notOnADrive, "the working directory has no path", remedy: "use an absolute path")
    }
    defer { free(buffer) }
    return String(cString: buffer) + "/" + path
  }
}

/// Follows a path down to the mountpoint of a drive.
private struct PathWalk {
  private static let maximumLinks = 40

  private let mounts: MountTable
  /// The part that has been followed, without symbolic links.
  private var done: [String] = []
  /// The parts that are to follow; of a drive that was found, the parts on it.
  private(set) var rest: [String]
  private var links = 0

  init(_ path: String, mounts: MountTable) {
    self.mounts = mounts
    rest = Self.parts(of: path)
  }

  private static func parts(of path: String) -> [String] {
    path.split(separator: "/").map(String.init).filter { $0 != "." }
  }

  private var place: String { "/" + done.joined(separator: "/") }

  mutating func findDrive() -> MountEntry? {
    while true {
      if let entry = coveringMount(), entry.source != nil {
        if staysOnDrive() { return entry }
        // The walk is now at another place, which may be a drive as well.
        continue
      }
      guard !rest.isEmpty else { return nil }
      step()
    }
  }

  /// The mount that the present place lies on; if that is a drive, the walk goes back to where it
  /// begins, since nothing below may be looked at.
  private mutating func coveringMount() -> MountEntry? {
    for count in stride(from: done.count, through: 0, by: -1) {
      let prefix = "/" + done[..<count].joined(separator: "/")
      guard let entry = mounts.top(at: prefix) else { continue }
      if entry.source != nil {
        rest = done[count...] + rest
        done.removeSubrange(count...)
      }
      return entry
    }
    return nil
  }

  /// Whether the rest of the path ends on this drive, and neither above it nor on a mount in it.
  private mutating func staysOnDrive() -> Bool {
    var inside: [String] = []
    for (index, part) in rest.enumerated() {
      if part != ".." {
        inside.append(part)
        let below = place == "/" ? "/" : place + "/"
        if mounts.top(at: below + inside.joined(separator: "/")) != nil {
          // Another mount begins here; the walk goes on at it.
          done += inside
          rest.removeFirst(index + 1)
          return false
        }
      } else if inside.popLast() == nil {
        // The path leaves the drive again.
        rest.removeFirst(index + 1)
        _ = done.popLast()
        return false
      }
    }
    rest = inside
    return true
  }

  private mutating func step() {
    let part = rest.removeFirst()
    if part == ".." {
      _ = done.popLast()
      return
    }
    done.append(part)
    // What is mounted here is no link, and must not be touched.
    if mounts.top(at: place) != nil { return }
    guard links < Self.maximumLinks, let target = Self.linkTarget(of: place) else { return }
    links += 1
    done = target.hasPrefix("/") ? [] : done.dropLast()
    rest = Self.parts(of: target) + rest
  }

  private static func linkTarget(of path: String) -> String? {
    withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let count = readlink(path, base, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
