import Catalog
import Glibc
import Platform

/// Where a device keeps content: one sparse file for each version that is here, wholly or in part.
///
/// A file is the item's content when the catalog says so, in one transaction; what lies here beside
/// that is left from a transfer or an eviction, and is cleaned up at start.
///
/// A file that a program on this device has written is marked until the cloud has it, in its permission
/// bits: should the catalog be lost, it must not be.
///
/// Neighbours in the cloud get successive inode numbers and lie in the same part, so that a program
/// that reads a folder touches few of our own.
final class ContentFolder: Sendable {
  private static let parts = 256
  private static let neighboursExponent: UInt64 = 10
  private let path: String
  private let folder: FileDescriptor
  private let files: LocalFiles
  private static let names = (0..<parts).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }

  /// The permission bits of what may be the only copy, and of what the cloud has as well. Files from
  /// before there were marks have the first, which is the safe mistake.
  private static let onlyCopyBits: mode_t = 0o600
  private static let fetchedBits: mode_t = 0o700

  /// Makes the folder and its parts.
  init(at path: String, files: LocalFiles = .real) throws(Errno) {
    self.path = path
    self.files = files
    try Self.make(path)
    for name in Self.names { try Self.make("\(path)/\(name)") }
    folder = try FileDescriptor.open(path, O_RDONLY | O_DIRECTORY)
  }

  /// Opens a version's file for what comes from the cloud, making it when it is not there.
  func openToFetch(_ key: ContentKey) throws(Errno) -> ContentFile {
    try open(key, O_RDWR | O_CREAT, Self.fetchedBits)
  }

  /// Opens a version's file for what a program writes.
  ///
  /// - Parameter isNew: whether it may not be there yet.
  func openToWrite(_ key: ContentKey, isNew: Bool) throws(Errno) -> ContentFile {
    try open(key, isNew ? O_RDWR | O_CREAT : O_RDWR, Self.onlyCopyBits)
  }

  /// Opens a version's file, which must be there.
  func openExisting(_ key: ContentKey) throws(Errno) -> ContentFile { try open(key, O_RDONLY, 0) }

  private func open(
    _ key: ContentKey, _ flags: CInt, _ bits: mode_t
  ) throws(Errno) -> ContentFile {
    try files.willCall(.open)
    return ContentFile(try folder.open(name(of: key), flags, permissions: bits), files)
  }

  /// Removes a version's file; handles that have it open keep it. One that cannot be removed goes at the
  /// next start.
  func remove(_ key: ContentKey) {
    guard (try? files.willCall(.remove)) != nil else { return }
    unlinkat(folder.rawValue, name(of: key), 0)
  }

  /// Gives a version's file a second name.
  func link(_ key: ContentKey, as other: ContentKey) throws(Errno) {
    try files.willCall(.link)
    let (from, to) = (name(of: key), name(of: other))
    guard linkat(folder.rawValue, from, folder.rawValue, to, 0) == 0 else { throw Errno.current }
  }

  /// Marks a version's file as the only copy, or as one that the cloud has as well.
  func mark(_ key: ContentKey, isOnlyCopy: Bool) throws(Errno) {
    try files.willCall(.mark)
    let bits = isOnlyCopy ? Self.onlyCopyBits : Self.fetchedBits
    guard fchmodat(folder.rawValue, name(of: key), bits, 0) == 0 else { throw Errno.current }
  }

  /// The length of a version's file; nil when it is not there.
  func size(of key: ContentKey) throws(Errno) -> Int64? {
    try files.willCall(.status)
    var status = stat()
    if fstatat(folder.rawValue, name(of: key), &status, 0) == 0 { return Int64(status.st_size) }
    guard errno == ENOENT else { throw Errno.current }
    return nil
  }

  /// Makes all content durable.
  func synchronize() throws(Errno) {
    try files.willCall(.synchronize)
    try folder.synchronizeFileSystem()
  }

  /// Every file that is here.
  func forEach<Failure: Error>(
    _ body: (ContentKey) throws(Failure) -> Void
  ) throws(Failure) {
    for name in Self.names {
      guard let folder = opendir("\(path)/\(name)") else { continue }
      defer { closedir(folder) }
      while let found = readdir(folder) {
        let name = withUnsafePointer(to: &found.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if let key = ContentKey(fileName: name) { try body(key) }
      }
    }
  }

  /// Whether there is no file at all.
  var isEmpty: Bool {
    struct Found: Error {}
    do throws(Found) {
      try forEach { _ throws(Found) in throw Found() }
      return true
    } catch {
      return false
    }
  }

  /// Every file that is here, with all that can be told without a catalog.
  func survey() -> [FoundContent] {
    var found: [FoundContent] = []
    forEach { key in
      var status = stat()
      guard fstatat(folder.rawValue, name(of: key), &status, 0) == 0 else { return }
      found.append(
        FoundContent(
          inode: key.inode, serial: key.serial, size: Int64(status.st_size),
          modified: Timestamp(status.st_mtim),
          isOnlyCopy: status.st_mode & 0o777 != Self.fetchedBits))
    }
    return found
  }

  /// Moves a version's file out of here.
  func setAside(_ key: ContentKey, to path: String) {
    guard (try? Self.make(path)) != nil, (try? files.willCall(.rename)) != nil else { return }
    renameat(folder.rawValue, name(of: key), AT_FDCWD, path + "/" + key.fileName)
  }

  /// The name below the folder.
  private func name(of key: ContentKey) -> String {
    let part = Int((key.inode.rawValue >> Self.neighboursExponent) % UInt64(Self.parts))
    return Self.names[part] + "/" + key.fileName
  }

  private static func make(_ path: String) throws(Errno) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Errno.current }
  }
}

/// Names one version's content on a device.
struct ContentKey: Hashable, Sendable {
  let inode: InodeNumber
  let serial: UInt64

  init(inode: InodeNumber, serial: UInt64) {
    self.inode = inode
    self.serial = serial
  }

  init?(fileName: String) {
    let parts = fileName.split(separator: ".")
    guard parts.count == 2, let inode = UInt64(parts[0]), let serial = UInt64(parts[1]) else {
      return nil
    }
    self.init(inode: InodeNumber(rawValue: inode), serial: serial)
  }

  var fileName: String { "\(inode.rawValue).\(serial)" }
}
