import Glibc
import Platform

/// Where a device keeps content: one sparse file for each version that is here, wholly or in part.
///
/// A file is the item's content when the catalog says so, in one transaction; what lies here beside
/// that is left from a transfer or an eviction, and is cleaned up at start.
///
/// Neighbours in the cloud get successive inode numbers and lie in the same part, so that a program
/// that reads a folder touches few of our own.
final class ContentFolder: Sendable {
  private static let parts = 256
  private static let neighboursExponent: UInt64 = 10
  private let path: String
  private let folder: FileDescriptor
  private static let names = (0..<parts).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }

  /// Makes the folder and its parts.
  init(at path: String) throws(Errno) {
    self.path = path
    try Self.make(path)
    for name in Self.names { try Self.make("\(path)/\(name)") }
    folder = try FileDescriptor.open(path, O_RDONLY | O_DIRECTORY)
  }

  /// Opens a version's file, making it when it is not there.
  func open(_ key: ContentKey) throws(Errno) -> ContentFile {
    ContentFile(try folder.open(name(of: key), O_RDWR | O_CREAT))
  }

  /// Opens a version's file, which must be there.
  func openExisting(_ key: ContentKey) throws(Errno) -> ContentFile {
    ContentFile(try folder.open(name(of: key), O_RDONLY))
  }

  /// Removes a version's file; handles that have it open keep it.
  func remove(_ key: ContentKey) { unlinkat(folder.rawValue, name(of: key), 0) }

  /// Gives a version's file a second name.
  func link(_ key: ContentKey, as other: ContentKey) {
    linkat(folder.rawValue, name(of: key), folder.rawValue, name(of: other), 0)
  }

  /// Makes all content durable.
  func synchronize() throws(Errno) { try folder.synchronizeFileSystem() }

  /// Every file that is here.
  func forEach(_ body: (ContentKey) -> Void) {
    for name in Self.names {
      guard let folder = opendir("\(path)/\(name)") else { continue }
      defer { closedir(folder) }
      while let found = readdir(folder) {
        let name = withUnsafePointer(to: &found.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if let key = ContentKey(fileName: name) { body(key) }
      }
    }
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
