internal import CPlatform
internal import Glibc
internal import Platform

/// One name in a staging folder: what shall be put in place, and afterwards what came out in exchange.
final class StagedEntry: Sendable {
  let folder: StagingFolder
  let name: FileName
  private let hook: WritingHook
  /// The file, folder or link that was made; -1 for a name that is only kept free.
  private let file: CInt

  /// A name to which something can be moved out.
  init(in staging: Staging) throws(CloudError) {
    folder = try staging.folder()
    name = StagingFolder.freshName()
    hook = staging.hook
    file = -1
  }

  /// What a process before this one staged.
  init(_ name: FileName, in folder: StagingFolder) {
    self.folder = folder
    self.name = name
    hook = .none
    file = -1
  }

  /// A new, empty entry.
  init(_ kind: ItemKind, target: [UInt8]?, in staging: Staging) throws(CloudError) {
    folder = try staging.folder()
    name = StagingFolder.freshName()
    hook = staging.hook
    let (folder, name) = (folder, name)
    file = CPath.with(name.bytes) { path in
      let place = folder.descriptor.rawValue
      switch kind {
      case .file:
        return openat(place, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      case .folder:
        guard mkdirat(place, path, 0o700) == 0 else { return -1 }
        return openat(place, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      case .symlink:
        guard CPath.with(target ?? [], { symlinkat($0, place, path) }) == 0 else { return -1 }
        return openat(place, path, platform_open_path | O_NOFOLLOW | O_CLOEXEC)
      }
    }
    guard file >= 0 else {
      let error = Errno.current
      folder.remove(name)
      throw CloudError(errno: error, "The cloud cannot stage a new \(kind.rawValue)")
    }
  }

  deinit { if file >= 0 { close(file) } }

  /// Copies content in pieces of at most 1 MiB, and makes it durable.
  func fill(from source: any ContentSource) async throws(CloudError) {
    var position: Int64 = 0
    while position < source.size {
      if Task.isCancelled { throw .cancelledByCaller }
      let piece = try await source.read(
        at: position, count: Int(min(1 << 20, source.size - position)))
      guard !piece.isEmpty else {
        throw CloudError(.corrupt, "The upload ended after \(position) of \(source.size) bytes.")
      }
      try attempt { () throws(Errno) in
        try hook.fail(at: .writing)
        try write(piece, at: position)
      }
      position += Int64(piece.count)
    }
    if Task.isCancelled { throw .cancelledByCaller }
    try attempt { () throws(Errno) in
      guard fdatasync(file) == 0 else { throw Errno.current }
    }
  }

  /// Tells that everything is there.
  func finish() throws(CloudError) {
    try attempt { () throws(Errno) in try hook.fail(at: .staged) }
  }

  /// Gives the new version of a file what the old one has beside its content, as far as the process may.
  func adopt(_ old: borrowing FileDescriptor) throws(CloudError) {
    try attempt { () throws(Errno) in
      let (status, own) = (try old.status(), try descriptorStatus())
      if status.st_uid != own.st_uid || status.st_gid != own.st_gid {
        _ = fchown(file, status.st_uid, status.st_gid)
      }
      guard platform_copy_attributes(old.rawValue, file) == 0 else { throw Errno.current }
    }
  }

  func setPermissions(_ permissions: UInt16) throws(CloudError) {
    try attempt { () throws(Errno) in
      guard platform_set_permissions(file, UInt32(permissions)) == 0 else { throw Errno.current }
    }
  }

  func setModified(_ time: Timestamp) throws(CloudError) {
    try attempt { () throws(Errno) in
      let result = platform_set_modified(file, time.seconds, Int64(time.nanoseconds))
      guard result == 0 else { throw Errno.current }
    }
  }

  private func write(_ piece: ContentBytes, at position: Int64) throws(Errno) {
    var done = 0
    while done < piece.count {
      let count = piece.withUnsafeBytes { bytes in
        bytes.baseAddress.map {
          pwrite(file, $0 + done, bytes.count - done, off_t(position) + off_t(done))
        } ?? 0
      }
      if count >= 0 {
        done += count
      } else if errno != EINTR {
        throw Errno.current
      }
    }
  }

  private func descriptorStatus() throws(Errno) -> stat {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw Errno.current }
    return status
  }

  private func attempt(_ body: () throws(Errno) -> Void) throws(CloudError) {
    do throws(Errno) {
      try body()
    } catch {
      throw CloudError(errno: error, "The upload cannot be staged")
    }
  }
}
