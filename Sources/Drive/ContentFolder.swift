import Glibc
import Platform

/// Where a device keeps content: one sparse file for each version that is here, wholly or in part.
///
/// A file is the item's content when the catalog says so, in one transaction; what lies here beside
/// that is left from a transfer or an eviction, and is cleaned up at start.
struct ContentFolder: Sendable {
  private let path: String

  /// Makes the folder and its 256 parts.
  init(at path: String) throws(Errno) {
    self.path = path
    try Self.make(path)
    for part in 0..<256 { try Self.make("\(path)/\(Self.hex(UInt64(part)))") }
  }

  /// Opens a version's file, making it when it is not there.
  func open(_ key: ContentKey) throws(Errno) -> ContentFile {
    ContentFile(try FileDescriptor.open(name(of: key), O_RDWR | O_CREAT))
  }

  /// Opens a version's file, which must be there.
  func openExisting(_ key: ContentKey) throws(Errno) -> ContentFile {
    ContentFile(try FileDescriptor.open(name(of: key), O_RDONLY))
  }

  /// Removes a version's file; handles that have it open keep it.
  func remove(_ key: ContentKey) { unlink(name(of: key)) }

  /// Makes all content durable.
  func synchronize() throws(Errno) {
    try FileDescriptor.open(path, O_RDONLY | O_DIRECTORY).synchronizeFileSystem()
  }

  /// Every file that is here.
  func forEach(_ body: (ContentKey) -> Void) {
    for part in 0..<256 {
      guard let folder = opendir("\(path)/\(Self.hex(UInt64(part)))") else { continue }
      defer { closedir(folder) }
      while let found = readdir(folder) {
        let name = withUnsafePointer(to: &found.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if let key = ContentKey(fileName: name) { body(key) }
      }
    }
  }

  private func name(of key: ContentKey) -> String {
    "\(path)/\(Self.hex(key.inode.rawValue & 0xff))/\(key.fileName)"
  }

  private static func hex(_ number: UInt64) -> String {
    (number < 16 ? "0" : "") + String(number, radix: 16)
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
