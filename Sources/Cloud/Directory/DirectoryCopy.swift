internal import CPlatform
internal import Glibc
internal import Platform

/// Copies a folder, so that a cloud can begin as a copy that may be changed.
public enum DirectoryCopy {
  /// Copies everything in `source` into the folder `destination`; blocks until it is done.
  ///
  /// Folders, files, symbolic links, modes and modification times are kept, holes stay holes, and blocks
  /// are shared where the file system can (reflink). Names of one file become files of their own;
  /// sockets, devices and named pipes, owners and extended attributes are left out. `source` is never
  /// written to; it should be quiet meanwhile.
  ///
  /// - Throws: when something cannot be read or written, with its path. What was copied until then is
  ///   removed again.
  public static func copy(_ source: String, to destination: String) throws(CloudError) {
    let folder = try CloudFolder(at: source)
    try prepare(destination, for: folder)
    do {
      let target = try FileDescriptor.open(destination, O_RDONLY | O_DIRECTORY)
      try FolderCopy(folder).copyContent(of: folder.openRoot(), to: target, path: folder.path)
    } catch {
      FolderCopy.remove(destination)
      if let error = error as? CloudError { throw error }
      throw CloudError(.failed, "The folder \(source) cannot be copied: \(error)")
    }
  }

  private static func prepare(_ destination: String, for source: CloudFolder) throws(CloudError) {
    guard mkdir(destination, 0o700) == 0 else {
      throw CloudError(
        errno: Errno.current, "The copy's folder \(destination) cannot be made; it must be new")
    }
    guard let resolved = realpath(destination, nil) else {
      throw CloudError(errno: Errno.current, "The copy's folder \(destination) cannot be used")
    }
    defer { free(resolved) }
    guard (String(cString: resolved) + "/").hasPrefix(source.path + "/") else { return }
    rmdir(destination)
    throw CloudError(
      .failed, "The copy (\(destination)) must not lie in the folder \(source.path) itself.")
  }
}

/// The copying of one tree, folder by folder.
private struct FolderCopy {
  private let source: CloudFolder

  init(_ source: CloudFolder) { self.source = source }

  func copyContent(
    of folder: borrowing FileDescriptor, to target: borrowing FileDescriptor, path: String
  ) throws(CloudError) {
    let entries: [Entry]
    do throws(CloudError) {
      entries = try source.list(folder)
    } catch {
      throw CloudError(error.code, "\(path): \(error.message)")
    }
    for entry in entries {
      let path = "\(path)/\(entry.name)"
      do throws(Errno) {
        switch entry.status.kind {
        case .symlink: try copyLink(entry, to: target)
        case .file: try copyFile(entry, in: folder, to: target)
        case .folder: break
        }
      } catch {
        throw CloudError(errno: error, "\(path) cannot be copied")
      }
      if entry.status.kind == .folder { try copyFolder(entry, in: folder, to: target, path: path) }
    }
  }

  private func copyFolder(
    _ entry: Entry, in folder: borrowing FileDescriptor, to target: borrowing FileDescriptor,
    path: String
  ) throws(CloudError) {
    let made = try Self.makeFolder(entry.name, in: target, path: path)
    let child = try Self.openFolder(entry.name, in: folder, path: path)
    try copyContent(of: child, to: made, path: path)
    do throws(Errno) {
      // Last: a mode may forbid writing, and every child moves the time.
      try Self.finish(made, entry.status)
    } catch {
      throw CloudError(errno: error, "\(path) cannot be copied")
    }
  }

  private static func makeFolder(
    _ name: FileName, in target: borrowing FileDescriptor, path: String
  ) throws(CloudError) -> FileDescriptor {
    guard CPath.with(name.bytes, { mkdirat(target.rawValue, $0, 0o700) }) == 0 else {
      throw CloudError(errno: Errno.current, "\(path) cannot be copied")
    }
    return try openFolder(name, in: target, path: path)
  }

  private static func openFolder(
    _ name: FileName, in folder: borrowing FileDescriptor, path: String
  ) throws(CloudError) -> FileDescriptor {
    do throws(Errno) {
      // Readable, not just reachable: the copy's mode and times are set through it.
      return try open(name, in: folder, O_RDONLY | O_DIRECTORY)
    } catch {
      throw CloudError(errno: error, "\(path) cannot be copied")
    }
  }

  private func copyLink(_ entry: Entry, to target: borrowing FileDescriptor) throws(Errno) {
    let result = CPath.with(entry.status.target ?? []) { link in
      CPath.with(entry.name.bytes) { symlinkat(link, target.rawValue, $0) }
    }
    guard result == 0 else { throw Errno.current }
    var times = Self.times(entry.status)
    let timed = CPath.with(entry.name.bytes) {
      utimensat(target.rawValue, $0, &times, AT_SYMLINK_NOFOLLOW)
    }
    guard timed == 0 else { throw Errno.current }
  }

  private func copyFile(
    _ entry: Entry, in folder: borrowing FileDescriptor, to target: borrowing FileDescriptor
  ) throws(Errno) {
    let from = try Self.open(entry.name, in: folder, O_RDONLY | O_NONBLOCK)
    let to = try Self.open(entry.name, in: target, O_WRONLY | O_CREAT | O_EXCL)
    if platform_clone(from.rawValue, to.rawValue) != 0 {
      try Self.copyData(from, to, size: entry.status.size)
      try to.truncate(to: entry.status.size)
    }
    try Self.finish(to, entry.status)
  }

  /// Copies the data between the holes.
  private static func copyData(
    _ from: borrowing FileDescriptor, _ to: borrowing FileDescriptor, size: Int64
  ) throws(Errno) {
    var position: Int64 = 0
    while position < size {
      let data = platform_seek_data(from.rawValue, position)
      if data < 0 {
        // ENXIO: only a hole is left. A file system that knows no holes answers as if there were none.
        if Errno.current.rawValue == ENXIO { return }
        throw Errno.current
      }
      let hole = platform_seek_hole(from.rawValue, data)
      guard hole > data else { throw Errno.current }
      try copyRange(from, to, ByteRange(from: data, to: min(hole, max(size, data))))
      position = hole
    }
  }

  private static func copyRange(
    _ from: borrowing FileDescriptor, _ to: borrowing FileDescriptor, _ range: ByteRange
  ) throws(Errno) {
    var position = range.offset
    while position < range.end {
      let count = platform_copy_range(
        from.rawValue, to.rawValue, position, range.end - position)
      if count == 0 { return }
      if count < 0 {
        if Errno.current == .interrupted { continue }
        return try copyThroughMemory(from, to, ByteRange(from: position, to: range.end))
      }
      position += count
    }
  }

  /// For file systems between which the kernel does not copy.
  private static func copyThroughMemory(
    _ from: borrowing FileDescriptor, _ to: borrowing FileDescriptor, _ range: ByteRange
  ) throws(Errno) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var position = range.offset
    while position < range.end {
      let count = Int(min(Int64(buffer.count), range.end - position))
      let done = try from.read(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: position)
      guard done > 0 else { return }
      try to.write(UnsafeRawBufferPointer(rebasing: buffer[..<done]), at: position)
      position += Int64(done)
    }
  }

  private static func open(
    _ name: FileName, in folder: borrowing FileDescriptor, _ flags: CInt
  ) throws(Errno) -> FileDescriptor {
    let number = CPath.with(name.bytes) {
      openat(folder.rawValue, $0, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    guard number >= 0 else { throw Errno.current }
    return FileDescriptor(owning: number)
  }

  private static func finish(
    _ copy: borrowing FileDescriptor, _ status: EntryStatus
  ) throws(Errno) {
    guard fchmod(copy.rawValue, mode_t(status.permissions)) == 0 else { throw Errno.current }
    var times = times(status)
    guard futimens(copy.rawValue, &times) == 0 else { throw Errno.current }
  }

  private static func times(_ status: EntryStatus) -> [timespec] {
    let modified = status.modified.timespec
    return [modified, modified]
  }

  /// Removes a copy that was not finished; what cannot be removed stays.
  static func remove(_ path: String) {
    guard let copy = try? CloudFolder(at: path), let root = try? copy.openRoot() else { return }
    removeContent(of: root, copy)
    rmdir(path)
  }

  private static func removeContent(of folder: borrowing FileDescriptor, _ copy: CloudFolder) {
    for entry in (try? copy.list(folder)) ?? [] {
      let isFolder = entry.status.kind == .folder
      CPath.with(entry.name.bytes) { name in
        // A mode that was copied may forbid it.
        if isFolder { fchmodat(folder.rawValue, name, 0o700, 0) }
        if isFolder, let child = try? open(entry.name, in: folder, platform_open_path | O_DIRECTORY)
        {
          removeContent(of: child, copy)
        }
        unlinkat(folder.rawValue, name, isFolder ? AT_REMOVEDIR : 0)
      }
    }
  }
}
