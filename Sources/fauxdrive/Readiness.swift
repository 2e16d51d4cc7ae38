import Glibc
import Platform

/// Tells the service manager that started this process, if it wants to know, that the drive is mounted.
///
/// The protocol is that of sd_notify(3): a datagram to the socket that $NOTIFY_SOCKET names.
enum Readiness {
  /// Tells it; nobody is told when nobody asked.
  static func tell() {
    guard let name = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }),
      var address = address(of: name)
    else { return }
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    let socket = FileDescriptor(owning: descriptor)
    let length = MemoryLayout<sa_family_t>.size + name.utf8.count
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        _ = sendto(
          socket.rawValue, "READY=1", 7, CInt(MSG_NOSIGNAL), pointer, socklen_t(length))
      }
    }
  }

  /// A path, or a name in the abstract namespace, which begins with "@".
  private static func address(of name: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard name.hasPrefix("/") || name.hasPrefix("@"),
      name.utf8.count < MemoryLayout.size(ofValue: address.sun_path)
    else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
    if name.hasPrefix("@") { address.sun_path.0 = 0 }
    return address
  }
}
