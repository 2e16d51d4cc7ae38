internal import CPlatform
internal import Glibc
internal import Platform

/// One private folder on the cloud's file system, where entries wait to be put in place and where those
/// that came out wait to be removed.
final class StagingFolder: Sendable {
  let place: StagingPlace
  let path: String
  let descriptor: FileDescriptor

  /// Opens the folder; makes it when asked to and missing.
  init(_ place: StagingPlace, at path: String, isMade: Bool) throws(Errno) {
    self.place = place
    self.path = path
    if isMade, mkdir(path, 0o700) != 0, errno != EEXIST { throw Errno.current }
    descriptor = try FileDescriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    // Nobody else may put anything in the way.
    guard try descriptor.status().st_uid == geteuid() else { throw .notPermitted }
  }

  /// A name that nothing has.
  static func freshName() -> FileName {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    guard let name = FileName(digits) else { preconditionFailure("digits are a name") }
    return name
  }

  /// Finds out whether the kernel renames between this folder and the cloud's, showing nothing there.
  ///
  /// Devices alone do not tell: two mounts of one file system have the same.
  func reaches(_ cloud: borrowing FileDescriptor) throws(Errno) -> Bool {
    let name = Self.freshName().bytes
    let result = CPath.with(name) { name in
      platform_rename(
        descriptor.rawValue, name, cloud.rawValue, name, platform_rename_noreplace)
    }
    guard result != 0 else { return true }
    switch Errno.current.rawValue {
    // There is no such name, which the kernel finds out last.
    case ENOENT: return true
    case EXDEV: return false
    default: throw Errno.current
    }
  }

  /// Exchanges two new files, to see whether the file system can.
  func tryExchange() throws(Errno) {
    let names = [Self.freshName(), Self.freshName()]
    defer { names.forEach(remove) }
    for name in names {
      _ = try descriptor.open(name.text, O_WRONLY | O_CREAT | O_EXCL)
    }
    try Renames.exchange(descriptor, names[0], descriptor, names[1])
  }

  /// The names of everything that is in it.
  func names() -> [FileName] { Self.names(in: descriptor.rawValue) }

  /// Removes an entry and everything in it, as far as it can be; nothing is fine as well.
  func remove(_ name: FileName) { Self.remove(name, in: descriptor.rawValue) }

  /// Whether an entry is a folder with nothing in it.
  func isEmpty(_ name: FileName) -> Bool {
    CPath.with(name.bytes) { path in
      let number = openat(
        descriptor.rawValue, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard number >= 0 else { return false }
      defer { close(number) }
      return Self.names(in: number).isEmpty
    }
  }

  private static func names(in folder: CInt) -> [FileName] {
    let number = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { return [] }
    guard let stream = fdopendir(number) else {
      close(number)
      return []
    }
    defer { closedir(stream) }
    var names: [FileName] = []
    while let name = try? CloudFolder.next(stream) { names.append(name) }
    return names
  }

  private static func remove(_ name: FileName, in folder: CInt) {
    CPath.with(name.bytes) { path in
      if unlinkat(folder, path, 0) == 0 || errno == ENOENT { return }
      // Not followed, should it be a link; a mode that came with the folder may forbid the removal.
      let number = openat(folder, path, platform_open_path | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard number >= 0 else { return }
      defer { close(number) }
      _ = platform_set_permissions(number, 0o700)
      for child in names(in: number) { remove(child, in: number) }
      unlinkat(folder, path, AT_REMOVEDIR)
    }
  }
}
