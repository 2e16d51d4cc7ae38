import Cloud
import Glibc
import Platform

/// A folder that goes away with the value.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/fauxdrive-cloud-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Errno.current }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.removeTree(path) }

  func at(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file in place, as `cat > name` does.
  func write(_ text: String, to name: String) throws {
    let file = try FileDescriptor.open(at(name), O_WRONLY | O_CREAT | O_TRUNC, permissions: 0o644)
    let bytes = Array(text.utf8)
    guard Glibc.write(file.rawValue, bytes, bytes.count) == bytes.count else { throw Errno.current }
  }

  /// Writes a new file and renames it over the old one, as editors do.
  func replace(_ name: String, with text: String) throws {
    try write(text, to: name + ".tmp")
    try rename(name + ".tmp", to: name)
  }

  func makeFolder(_ name: String) throws { try check(mkdir(at(name), 0o755)) }
  func rename(_ old: String, to new: String) throws { try check(Glibc.rename(at(old), at(new))) }
  func remove(_ name: String) throws { try check(Glibc.remove(at(name))) }
  func removeTree(_ name: String) { Self.removeTree(at(name)) }
  func link(_ old: String, to new: String) throws { try check(Glibc.link(at(old), at(new))) }
  func symlink(_ name: String, to target: String) throws {
    try check(Glibc.symlink(target, at(name)))
  }
  func chmod(_ name: String, _ mode: mode_t) throws { try check(Glibc.chmod(at(name), mode)) }
  func makePipe(_ name: String) throws { try check(mkfifo(at(name), 0o600)) }

  func setTime(_ name: String, _ time: Timestamp) throws {
    let times = [time.timespec, time.timespec]
    try check(utimensat(AT_FDCWD, at(name), times, AT_SYMLINK_NOFOLLOW))
  }

  func status(_ name: String) throws -> stat {
    var status = stat()
    try check(lstat(at(name), &status))
    return status
  }

  func text(_ name: String) throws -> String {
    let file = try FileDescriptor.open(at(name), O_RDONLY)
    let size = Int(try file.status().st_size)
    var bytes = [UInt8](repeating: 0, count: size)
    guard Glibc.read(file.rawValue, &bytes, size) == size else { throw Errno.current }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// All names of a folder, hidden ones as well, in their order; none when it is missing.
  func names(_ folder: String) throws -> [String] {
    guard let stream = opendir(at(folder)) else {
      guard errno == ENOENT else { throw Errno.current }
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private func check(_ result: CInt) throws {
    guard result == 0 else { throw Errno.current }
  }

  private static func removeTree(_ path: String) {
    if Glibc.remove(path) == 0 { return }
    Glibc.chmod(path, 0o700)
    if let stream = opendir(path) {
      var names: [String] = []
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) {
            Array(UnsafeBufferPointer(start: $0, count: strlen($0)))
          }
        }
        // Bytes, not text: a name need not be UTF-8.
        if name != [46], name != [46, 46] {
          var child = Array(path.utf8CString.dropLast()) + [47] + name + [0]
          if Glibc.remove(&child) != 0 {
            names.append(String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self))
          }
        }
      }
      closedir(stream)
      for name in names { removeTree("\(path)/\(name)") }
    }
    Glibc.remove(path)
  }
}
