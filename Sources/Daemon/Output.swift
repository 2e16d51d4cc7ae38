import Glibc
import Platform

/// The standard streams of a process that goes on in the background.
enum Output {
  /// Writes a line to standard error, which is the world's log unless it is served in the foreground.
  static func log(_ message: String) {
    let line = Array("fauxdrive: \(message)\n".utf8)
    _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }

  /// Lets go of the terminal and the pipes of whoever started us; later output goes to a file.
  static func redirect(to log: String) {
    if let file = try? FileDescriptor.open(log, O_WRONLY | O_CREAT | O_APPEND) {
      dup2(file.rawValue, 2)
    }
    if let null = try? FileDescriptor.open("/dev/null", O_RDWR) {
      dup2(null.rawValue, 0)
      dup2(null.rawValue, 1)
    }
    chdir("/")
  }
}
