import Foundation
import Glibc

/// A private folder for a program that makes mounts and processes of its own, to see whether any is left.
public final class WatchedFolder {
  /// The absolute path.
  public let path: String

  /// Makes it.
  public init() throws {
    var template = Array("/tmp/fauxdrive-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestFailure("/tmp takes no folder") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    for mount in mounts where umount2(mount, CInt(MNT_DETACH)) != 0 {
      _ = try? TestProgram.run(["fusermount3", "-uz", mount])
    }
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The mountpoints in it.
  public var mounts: [String] {
    Self.mountTable.split(separator: "\n").compactMap { line in
      let place = line.split(separator: " ").dropFirst(4).first.map(String.init) ?? ""
      return place.hasPrefix(path + "/") ? place : nil
    }
  }

  /// The names in it.
  public var entries: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// The processes whose environment names it.
  public var processes: [String] {
    let numbers = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [])
      .filter { Int($0) != nil }
    return numbers.filter { number in
      let data = FileManager.default.contents(atPath: "/proc/\(number)/environ") ?? Data()
      return String(decoding: data, as: UTF8.self).contains(path)
    }
  }

  /// Blocks until something is mounted in it, or the program has ended.
  public func awaitMount(by program: TestProgram) {
    let table = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    defer { close(table) }
    while mounts.isEmpty, program.isRunning {
      // The kernel tells a change of the table as an error of this file. The time is for a program
      // that ends without a mount.
      var event = pollfd(fd: table, events: Int16(POLLPRI), revents: 0)
      poll(&event, 1, 1000)
    }
  }

  private static var mountTable: String {
    (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) ?? ""
  }
}
