import Cloud
import Glibc
import Platform

/// How the bytes of an open file travel.
public enum ByteRoute: UInt8, Hashable, Sendable {
  /// Through the kernel's page cache: the content is here and does not change.
  case cached = 0
  /// Each read reaches the drive, so it can be held and interrupted: the content is not here.
  case direct = 1
  /// The kernel reads the content file without the drive.
  case passthrough = 2
  /// Reads and writes reach the drive, beside others who are served by the kernel; what is mapped does not.
  case beside = 3

  /// Whether the kernel has the content file.
  public var isBacked: Bool { self == .passthrough || self == .beside }
}

/// An open file or folder.
struct OpenItem: Sendable {
  let identifier: HandleIdentifier
  let node: NodeID
  let route: ByteRoute
  /// The version that this handle reads, to the end, whatever comes later.
  var contentSerial: UInt64
  let size: Int64
  /// The process that opened it; 0 where that does not matter.
  let process: pid_t
  /// Whether it may write.
  var isWriter: Bool
  /// The content file, opened at the first read.
  var content: ContentFile?
}

extension HandleIdentifier {
  // Bits 0-47 serial, 48-49 mode, 50 folder: with the node, all that a new process needs to go on.
  init(serial: UInt64, route: ByteRoute, isFolder: Bool) {
    self.init(
      rawValue: (serial & (1 << 48 - 1)) | UInt64(route.rawValue) << 48 | (isFolder ? 1 << 50 : 0))
  }

  /// How the bytes travel.
  var route: ByteRoute { ByteRoute(rawValue: UInt8(rawValue >> 48 & 3)) ?? .cached }
  /// Whether it is a folder.
  var isFolder: Bool { rawValue & 1 << 50 != 0 }
}
