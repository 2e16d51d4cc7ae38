internal import CFuse
internal import Glibc
public import Platform

/// Something that the kernel is told on its own account.
public enum KernelNotification: Hashable, Sendable {
  /// Attributes of a node, and pages of it, are no longer right.
  ///
  /// `offset` negative: attributes only. `count` 0: to the end of the file. Waits in the kernel for a
  /// buffered read of the range that is being answered.
  case invalidateInode(NodeID, offset: Int64, count: Int64)
  /// A name shall be looked up again at its next use; open files and working directories keep it.
  ///
  /// On Linux before 6.2 it is dropped, as by `invalidateEntry`.
  case expireEntry([UInt8], in: NodeID)
  /// A name is gone or names something else. Open files then show "(deleted)" behind their path.
  case invalidateEntry([UInt8], in: NodeID)
  /// A name of a node was deleted: watchers (inotify) of the node are told.
  case delete([UInt8], in: NodeID, child: NodeID)
  /// These bytes are the content of a node at an offset, for its page cache.
  case store([UInt8], in: NodeID, offset: Int64)

  /// All attributes and pages of a node are no longer right.
  public static func invalidateInode(_ node: NodeID) -> KernelNotification {
    .invalidateInode(node, offset: 0, count: 0)
  }

  /// Only the attributes of a node are no longer right; never waits in the kernel.
  public static func invalidateAttributes(_ node: NodeID) -> KernelNotification {
    .invalidateInode(node, offset: -1, count: 0)
  }

  /// Whether an equal one in the queue already says it.
  var canMerge: Bool {
    if case .store = self { return false }
    return true
  }
}

extension KernelNotification {
  /// Writes the notification to a device; nil is success.
  func send(to device: CInt, canExpire: Bool) -> Errno? {
    switch self {
    case .invalidateInode(let node, let offset, let count):
      return Self.write(
        device, FUSE_NOTIFY_INVAL_INODE,
        fuse_notify_inval_inode_out(ino: node.rawValue, off: offset, len: count))
    case .expireEntry(let name, let parent):
      return Self.writeEntry(device, name, parent, flags: canExpire ? UInt32(FUSE_EXPIRE_ONLY) : 0)
    case .invalidateEntry(let name, let parent):
      return Self.writeEntry(device, name, parent, flags: 0)
    case .delete(let name, let parent, let child):
      return Self.write(
        device, FUSE_NOTIFY_DELETE,
        fuse_notify_delete_out(
          parent: parent.rawValue, child: child.rawValue, namelen: UInt32(name.count), padding: 0),
        name + [0])
    case .store(let bytes, let node, let offset):
      return Self.write(
        device, FUSE_NOTIFY_STORE,
        fuse_notify_store_out(
          nodeid: node.rawValue, offset: UInt64(bitPattern: offset), size: UInt32(bytes.count),
          padding: 0), bytes)
    }
  }

  private static func writeEntry(
    _ device: CInt, _ name: [UInt8], _ parent: NodeID, flags: UInt32
  ) -> Errno? {
    write(
      device, FUSE_NOTIFY_INVAL_ENTRY,
      fuse_notify_inval_entry_out(
        parent: parent.rawValue, namelen: UInt32(name.count), flags: flags), name + [0])
  }

  private static func write<Body: BitwiseCopyable>(
    _ device: CInt, _ code: fuse_notify_code, _ body: Body, _ tail: [UInt8] = []
  ) -> Errno? {
    let size = MemoryLayout<fuse_out_header>.size + MemoryLayout<Body>.size + tail.count
    var message: [UInt8] = []
    message.reserveCapacity(size)
    let header = fuse_out_header(len: UInt32(size), error: CInt(code.rawValue), unique: 0)
    withUnsafeBytes(of: header) { message.append(contentsOf: $0) }
    withUnsafeBytes(of: body) { message.append(contentsOf: $0) }
    message.append(contentsOf: tail)
    let result = message.withUnsafeBytes { Glibc.write(device, $0.baseAddress, $0.count) }
    if result >= 0 { return nil }
    // ENOENT: the kernel does not know the node or name, so it has nothing to drop.
    return errno == ENOENT ? nil : Errno.current
  }

  /// Asks the kernel to send every request again that was read and not answered.
  static func requestResend(_ device: CInt) {
    var header = fuse_out_header(
      len: UInt32(MemoryLayout<fuse_out_header>.size), error: CFUSE_NOTIFY_RESEND, unique: 0)
    _ = Glibc.write(device, &header, MemoryLayout<fuse_out_header>.size)
  }
}
