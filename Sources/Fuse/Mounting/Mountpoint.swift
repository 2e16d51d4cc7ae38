internal import CFuse
internal import Glibc
internal import Platform

/// A place that was found fit to be mounted on.
struct Mountpoint {
  /// The absolute path without symbolic links.
  let path: String
  /// The type bits of the folder's mode.
  let kind: mode_t

  /// Checks a place, in an order that never asks a mount that may not answer.
  init(_ path: String, _ options: MountOptions) throws(FuseError) {
    let resolved = try Self.resolve(path)
    if let entry = MountTable.current().last(where: { $0.mountpoint == resolved }) {
      let isDead = entry.isFuse && entry.health() == .dead
      throw FuseError(
        .mountpointInUse,
        isDead
          ? "\(resolved) is a mount of \(entry.source) whose server is gone; unmount it first."
          : "\(resolved) is already a mount, of \(entry.source) (\(entry.type)).")
    }
    var status = stat()
    guard stat(resolved, &status) == 0 else {
      throw FuseError(.mountpointMissing, "\(resolved): \(Errno.current). Create the folder first.")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw FuseError(
        .mountpointNotDirectory, "\(resolved) is not a folder; mount on a folder.")
    }
    guard geteuid() == 0 || access(resolved, W_OK) == 0 else {
      throw FuseError(
        .mountpointNotPermitted,
        "You may not write to \(resolved); mount on a folder of your own.")
    }
    guard options.allowsNonEmpty || Self.isEmpty(resolved) else {
      throw FuseError(
        .mountpointNotEmpty,
        "\(resolved) is not empty, and the mount would hide what is there; use an empty folder.")
    }
    self.path = resolved
    kind = status.st_mode & S_IFMT
  }

  /// Resolves symbolic links, but does not touch the last component if something is mounted on it.
  private static func resolve(_ path: String) throws(FuseError) -> String {
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let (parent, name) = split(trimmed)
    if let parent = realPath(parent), name != ".", name != ".." {
      let joined = parent == "/" ? "/\(name)" : "\(parent)/\(name)"
      if MountTable.current().contains(where: { $0.mountpoint == joined }) { return joined }
    }
    guard let resolved = realPath(trimmed) else {
      throw FuseError(.mountpointMissing, "\(path): \(Errno.current). Create the folder first.")
    }
    return resolved
  }

  private static func split(_ path: String) -> (parent: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let parent = path[..<slash]
    return (parent.isEmpty ? "/" : String(parent), String(path[path.index(after: slash)...]))
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func isEmpty(_ path: String) -> Bool {
    // A folder that cannot be listed is left to mount(2) to judge.
    guard let directory = opendir(path) else { return true }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { return false }
    }
    return true
  }
}
