/// What the kernel calls a node: an inode number, an epoch, and which face of the item it is.
///
/// The kernel keeps one page cache and one size per node. When a new version of an open or mapped
/// document appears, the item gets a new node with the same inode number and the next epoch, so the
/// sizes and bytes of two versions never mix. All parts can be read back by another process.
public struct NodeID: RawRepresentable, Hashable, Sendable {
  /// The number that travels in requests: 40 bits of inode number, 16 of epoch, one for the face.
  public let rawValue: UInt64

  /// Wraps a number from the kernel.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// A node of an item.
  ///
  /// - Parameter isStub: whether it is the stand-in file that some profiles list in place of a
  ///   document that is not here.
  public init(inode: InodeNumber, epoch: UInt16 = 0, isStub: Bool = false) {
    precondition(inode.rawValue < 1 << 40, "an inode number has 40 bits")
    rawValue = inode.rawValue | UInt64(epoch) << 40 | (isStub ? 1 << 56 : 0)
  }

  /// The node that the kernel knows from the start (FUSE_ROOT_ID).
  public static let root = NodeID(inode: .root)

  /// The item's inode number.
  public var inode: InodeNumber { InodeNumber(rawValue: rawValue & (1 << 40 - 1)) }
  /// How many versions of the item were replaced while they were in use.
  public var epoch: UInt16 { UInt16(truncatingIfNeeded: rawValue >> 40) }
  /// Whether this is the stand-in file.
  public var isStub: Bool { rawValue & 1 << 56 != 0 }
}

extension NodeID: CustomStringConvertible {
  /// `inode`, with `.epoch` when there is one and `s` for a stand-in file.
  public var description: String {
    "\(inode)" + (epoch == 0 ? "" : ".\(epoch)") + (isStub ? "s" : "")
  }
}

/// What the kernel calls an open file or folder (`fh`). The drive gives the bits their meaning.
public struct HandleIdentifier: RawRepresentable, Hashable, Sendable {
  /// The number that travels in requests.
  public let rawValue: UInt64
  /// Wraps a number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}
