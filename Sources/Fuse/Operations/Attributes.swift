public import Glibc
public import Platform

/// What `stat` shows of a node.
public struct Attributes: Hashable, Sendable {
  /// The inode number (`st_ino`).
  public var inode: InodeNumber
  /// Type and permission bits (`st_mode`).
  public var mode: mode_t
  /// The number of names (`st_nlink`).
  public var linkCount: UInt32
  /// The owner.
  public var user: uid_t
  /// The group.
  public var group: gid_t
  /// The device number of a device node, in the kernel's 32-bit form.
  public var device: UInt32
  /// The size in bytes.
  public var size: Int64
  /// The 512-byte blocks in use (`st_blocks`).
  public var blocks: Int64
  /// The size that programs should read and write in (`st_blksize`).
  public var blockSize: UInt32
  /// When it was last read.
  public var accessTime: Timestamp
  /// When its content last changed.
  public var modificationTime: Timestamp
  /// When its content or attributes last changed.
  public var changeTime: Timestamp

  /// Attributes of a node; all times are `modificationTime` unless given.
  public init(
    inode: InodeNumber, mode: mode_t, linkCount: UInt32 = 1, user: uid_t = 0, group: gid_t = 0,
    device: UInt32 = 0, size: Int64 = 0, blocks: Int64 = 0, blockSize: UInt32 = 4096,
    modificationTime: Timestamp = Timestamp(seconds: 0), accessTime: Timestamp? = nil,
    changeTime: Timestamp? = nil
  ) {
    self.inode = inode
    self.mode = mode
    self.linkCount = linkCount
    self.user = user
    self.group = group
    self.device = device
    self.size = size
    self.blocks = blocks
    self.blockSize = blockSize
    self.modificationTime = modificationTime
    self.accessTime = accessTime ?? modificationTime
    self.changeTime = changeTime ?? modificationTime
  }

  /// Whether it is a folder.
  public var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
  /// The type as `readdir` shows it (`d_type`).
  var directoryEntryType: UInt32 { UInt32((mode & S_IFMT) >> 12) }
}
