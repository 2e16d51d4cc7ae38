internal import CPlatform
internal import Glibc
internal import Platform

/// The folder that is the cloud, and the ways into it.
///
/// Every path is walked name by name without following symbolic links, so nothing leads out of it.
struct CloudFolder: Sendable {
  let path: String
  let root: EntryStatus
  /// The number of its device while this process runs.
  let device: UInt64

  /// Finds the folder, or says what is wrong with it.
  init(at path: String) throws(CloudError) {
    guard let resolved = realpath(path, nil) else {
      let error = Errno.current
      throw CloudError(
        errno: error,
        "The cloud folder \(path) cannot be used; create it, or name another one")
    }
    self.path = String(cString: resolved)
    free(resolved)
    do throws(Errno) {
      let descriptor = try FileDescriptor.open(self.path, platform_open_path)
      var raw = platform_status()
      guard platform_status_at(descriptor.rawValue, "", &raw) == 0 else { throw Errno.current }
      device = raw.device
      guard
        let root = try EntryStatus.read(nil, in: descriptor.rawValue, rootDevice: raw.device)
      else { throw Errno.notDirectory }
      self.root = root
    } catch {
      throw CloudError(errno: error, "The cloud folder \(path) cannot be used")
    }
    guard root.kind == .folder else {
      throw CloudError(.failed, "\(path) is not a folder; the cloud needs one.")
    }
  }

  /// Opens the folder itself (`O_PATH`).
  ///
  /// - Throws: `.offline` when it is not there any more: then nothing can be asked, and nothing in it
  ///   may be taken for deleted.
  func openRoot() throws(CloudError) -> FileDescriptor {
    do throws(Errno) {
      let descriptor = try FileDescriptor.open(path, platform_open_path | O_DIRECTORY)
      let now = try EntryStatus.read(nil, in: descriptor.rawValue, rootDevice: device)
      guard now?.identity == root.identity else { throw Errno.stale }
      return descriptor
    } catch {
      throw CloudError(
        .offline, "The cloud folder \(path) is not there any more, or is another one (\(error)).")
    }
  }

  /// Opens a folder in it (`O_PATH`).
  func open(_ names: [FileName]) throws(CloudError) -> FileDescriptor {
    var folder = try openRoot()
    for name in names {
      let next = CPath.with(name.bytes) {
        openat(folder.rawValue, $0, platform_open_path | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      }
      guard next >= 0 else {
        throw CloudError(errno: Errno.current, "The folder \(name) cannot be opened")
      }
      folder = FileDescriptor(owning: next)
    }
    return folder
  }

  /// Looks at one name; the staging folders of stores are not there.
  func status(
    of name: FileName, in folder: borrowing FileDescriptor
  ) throws(CloudError) -> EntryStatus? {
    if name.bytes.starts(with: Staging.prefix.utf8) { return nil }
    do throws(Errno) {
      return try EntryStatus.read(name, in: folder.rawValue, rootDevice: device)
    } catch {
      throw CloudError(errno: error, "\(name) cannot be looked at")
    }
  }

  /// Looks at an open file or folder.
  func status(of descriptor: borrowing FileDescriptor) throws(CloudError) -> EntryStatus? {
    do throws(Errno) {
      return try EntryStatus.read(nil, in: descriptor.rawValue, rootDevice: device)
    } catch {
      throw CloudError(errno: error, "An open file cannot be looked at")
    }
  }

  /// Everything in a folder that a cloud can keep, in the order of the names.
  func list(_ folder: borrowing FileDescriptor) throws(CloudError) -> [Entry] {
    let number = openat(folder.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0, let stream = fdopendir(number) else {
      let error = Errno.current
      if number >= 0 { close(number) }
      throw CloudError(errno: error, "A folder of the cloud cannot be listed")
    }
    defer { closedir(stream) }
    var entries: [Entry] = []
    while let name = try Self.next(stream) {
      // What vanishes between the listing and the look was not there.
      if let status = try status(of: name, in: folder) {
        entries.append(Entry(name: name, status: status))
      }
    }
    return entries.sorted { $0.name < $1.name }
  }

  /// The next name of an open folder, in no order; nil after the last.
  static func next(_ stream: OpaquePointer) throws(CloudError) -> FileName? {
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        guard errno == 0 else {
          throw CloudError(errno: Errno.current, "A folder of the cloud cannot be listed")
        }
        return nil
      }
      // The name is read where it lies: the imported tuple would be copied as a whole.
      guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return nil }
      let bytes = UnsafeRawPointer(entry) + offset
      let length = strlen(bytes.assumingMemoryBound(to: CChar.self))
      if let name = FileName(UnsafeRawBufferPointer(start: bytes, count: length)) { return name }
    }
  }
}

/// One name of a folder and what it names.
struct Entry: Sendable {
  let name: FileName
  let status: EntryStatus
}
