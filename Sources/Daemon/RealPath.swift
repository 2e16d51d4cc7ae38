import Foundation
import Glibc

/// Paths as the kernel sees them, for comparing.
enum RealPath {
  /// The absolute path without symbolic links; nil when there is nothing.
  static func resolve(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether `path` is `folder` or lies in it.
  static func contains(_ folder: String, _ path: String) -> Bool {
    path == folder || path.hasPrefix(folder == "/" ? "/" : folder + "/")
  }

  /// Removes what is there, with everything in it; nothing is no error.
  static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  /// As `resolve`, for a path whose last parts may not exist yet.
  static func resolveMissing(_ path: String) -> String {
    let absolute = path.hasPrefix("/") ? path : currentDirectory() + "/" + path
    var parts = absolute.split(separator: "/")
    var missing: [Substring] = []
    while !parts.isEmpty {
      if let found = resolve("/" + parts.joined(separator: "/")) {
        return ([found == "/" ? "" : found] + missing.reversed().map(String.init))
          .joined(separator: "/")
      }
      missing.append(parts.removeLast())
    }
    return "/" + missing.reversed().joined(separator: "/")
  }

  private static func currentDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }
}
