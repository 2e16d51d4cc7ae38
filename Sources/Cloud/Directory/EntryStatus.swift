internal import CPlatform
internal import Glibc
internal import Platform

/// What a file is, whatever it is called: its place on the disk and its birth.
///
/// The birth time tells a file from a later one that got the same inode number. Where the file system
/// keeps none it is zero, and the two cannot be told apart.
struct FileIdentity: Hashable, Sendable {
  /// 0 on the device of the cloud's folder, whose own number may change at every boot.
  let device: Int64
  let inode: Int64
  let birth: Timestamp
  let kind: ItemKind

  var hasBirth: Bool { birth != Timestamp(seconds: 0) }
}

/// What statx(2) and readlink(2) tell about one entry of a folder.
struct EntryStatus: Hashable, Sendable {
  let identity: FileIdentity
  let size: Int64
  let modified: Timestamp
  let permissions: UInt16
  let links: UInt32
  let target: [UInt8]?

  var kind: ItemKind { identity.kind }

  /// The content version: size and modification time.
  ///
  /// A rename or chmod leaves it alone, and an edit in place changes it even if the size stays.
  /// - Fidelity: an edit that keeps the size and sets the time back is not seen, as with rsync's quick
  ///   check; before Linux 6.13, neither are two edits within one tick of the clock (4 ms).
  var contentVersion: String {
    kind == .folder ? "folder" : Self.contentVersion(size: size, modified: modified)
  }

  static func contentVersion(size: Int64, modified: Timestamp) -> String {
    "\(size)-\(modified.seconds).\(modified.nanoseconds)"
  }

  /// Whether what is there now differs in anything that the cloud tells.
  ///
  /// A folder's date and size change with every child, so they do not count.
  func differs(from now: EntryStatus) -> Bool {
    if permissions != now.permissions { return true }
    guard kind != .folder else { return false }
    return size != now.size || modified != now.modified || target != now.target
  }

  /// Whether this is still the same file, and as it was.
  func isSame(as now: EntryStatus) -> Bool { identity == now.identity && !differs(from: now) }

  /// Looks at a name in a folder; at the descriptor itself when the name is nil.
  ///
  /// - Returns: nil when nothing has the name, or something that no cloud keeps (a socket, a device).
  static func read(
    _ name: FileName?, in folder: CInt, rootDevice: UInt64
  ) throws(Errno) -> EntryStatus? {
    var raw = platform_status()
    let result = CPath.with(name?.bytes ?? []) { platform_status_at(folder, $0, &raw) }
    guard result == 0 else {
      let error = Errno.current
      if error == .noSuchFile { return nil }
      throw error
    }
    guard let kind = ItemKind(mode: raw.mode) else { return nil }
    var target: [UInt8]?
    if kind == .symlink, let name {
      target = readTarget(name, in: folder)
      if target == nil { return nil }
    }
    return EntryStatus(
      identity: FileIdentity(
        device: raw.device == rootDevice ? 0 : Int64(bitPattern: raw.device),
        inode: Int64(bitPattern: raw.inode),
        birth: Timestamp(
          seconds: raw.birth_seconds, nanoseconds: Int32(raw.birth_nanoseconds)),
        kind: kind),
      size: kind == .file ? Int64(raw.size) : Int64(target?.count ?? 0),
      modified: Timestamp(
        seconds: raw.modified_seconds, nanoseconds: Int32(raw.modified_nanoseconds)),
      permissions: UInt16(raw.mode & 0o7777), links: raw.links, target: target)
  }

  private static func readTarget(_ name: FileName, in folder: CInt) -> [UInt8]? {
    let capacity = Int(PATH_MAX)
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      let length = CPath.with(name.bytes) { path in
        buffer.withMemoryRebound(to: CChar.self) {
          readlinkat(folder, path, $0.baseAddress.unsafelyUnwrapped, capacity)
        }
      }
      count = max(0, length)
    }
    return bytes.isEmpty ? nil : bytes
  }
}

extension ItemKind {
  init?(mode: UInt32) {
    switch mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .folder
    case S_IFLNK: self = .symlink
    default: return nil
    }
  }
}

/// Lends the bytes of a name or path to C, with a terminator.
enum CPath {
  static func with<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { buffer in
      for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
      buffer[bytes.count] = 0
      // The capacity is at least one, so there is memory.
      return body(UnsafePointer(buffer.baseAddress.unsafelyUnwrapped))
    }
  }
}
