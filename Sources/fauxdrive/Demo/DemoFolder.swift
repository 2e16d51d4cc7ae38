import Daemon
import Foundation
import Glibc
import Platform

/// The folder that holds all that the demonstration makes, and what its command lines need to know.
struct DemoFolder {
  /// The absolute path, without symbolic links.
  let path: String

  /// Makes it in `$TMPDIR` or /tmp.
  init() throws {
    let parent = Self.variable("TMPDIR") ?? "/tmp"
    var template = Array("\(parent)/fauxdrive-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil, let real = realpath(template, nil) else {
      throw WorldError(
        .cannotCreate, "no folder can be made in '\(parent)': \(Errno.current); set TMPDIR")
    }
    defer { free(real) }
    path = String(cString: real)
  }

  var mountpoint: String { path + "/Drive" }
  var documents: String { path + "/Documents" }

  /// The environment of the command lines: this program and its neighbours are found by name, worlds and
  /// settings go into the folder, and messages are in English.
  var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    let programs = (Self.program as NSString).deletingLastPathComponent
    environment["PATH"] = programs + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    environment["XDG_STATE_HOME"] = path + "/State"
    environment["LC_ALL"] = "C"
    environment["GIT_CONFIG_GLOBAL"] = "/dev/null"
    environment["GIT_CONFIG_NOSYSTEM"] = "1"
    for role in ["AUTHOR", "COMMITTER"] {
      environment["GIT_\(role)_NAME"] = "Demo"
      environment["GIT_\(role)_EMAIL"] = "demo@example.org"
    }
    return environment
  }

  /// Removes it, unless something is still mounted in it.
  func remove() throws {
    if let left = MountCleaner.drives().first(where: { $0.mountpoint.hasPrefix(path + "/") }) {
      throw WorldError(
        .failure,
        "'\(left.mountpoint)' is still mounted; unmount it: fauxdrive unmount --force "
          + "'\(left.mountpoint)'")
    }
    try FileManager.default.removeItem(atPath: path)
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static let program =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
}
