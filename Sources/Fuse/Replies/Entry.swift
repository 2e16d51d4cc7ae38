internal import CFuse
public import Platform

/// The answer that names a node: to LOOKUP and to everything that creates one.
///
/// When the kernel took it, its lookup count of the node grows by one, until FORGET takes it back.
public struct Entry: ReplyPayload, Hashable, Sendable {
  /// The node; 0 means that there is none (a negative entry).
  public var node: NodeID
  /// Tells nodes apart that had the same number, for file handles. 0 where numbers are never reused.
  public var generation: UInt64
  /// What `stat` shows.
  public var attributes: Attributes
  /// How long the kernel may use the name.
  public var entryTimeout: CacheTimeout
  /// How long the kernel may use the attributes.
  public var attributeTimeout: CacheTimeout

  /// An entry for a node.
  public init(
    node: NodeID, generation: UInt64 = 0, attributes: Attributes,
    entryTimeout: CacheTimeout = .zero, attributeTimeout: CacheTimeout = .zero
  ) {
    self.node = node
    self.generation = generation
    self.attributes = attributes
    self.entryTimeout = entryTimeout
    self.attributeTimeout = attributeTimeout
  }

  /// Says that the name does not exist, for as long as the timeout; it counts as no lookup.
  public static func negative(timeout: CacheTimeout) -> Entry {
    Entry(
      node: NodeID(rawValue: 0),
      attributes: Attributes(inode: InodeNumber(rawValue: 0), mode: 0, linkCount: 0),
      entryTimeout: timeout)
  }

  /// Sends the entry.
  public func send(to request: RequestAnswer) -> Bool {
    request.send(valueOf: fuse_entry_out(self))
  }
}

/// The answer to GETATTR and SETATTR.
public struct TimedAttributes: ReplyPayload, Hashable, Sendable {
  /// What `stat` shows.
  public var attributes: Attributes
  /// How long the kernel may use it.
  public var timeout: CacheTimeout

  /// Attributes and how long they hold.
  public init(_ attributes: Attributes, timeout: CacheTimeout = .zero) {
    self.attributes = attributes
    self.timeout = timeout
  }

  /// Sends the attributes.
  public func send(to request: RequestAnswer) -> Bool {
    request.send(
      valueOf: fuse_attr_out(
        attr_valid: timeout.seconds, attr_valid_nsec: timeout.nanoseconds, dummy: 0,
        attr: fuse_attr(attributes)))
  }
}

extension fuse_entry_out {
  @inline(__always)
  init(_ entry: Entry) {
    self.init(
      nodeid: entry.node.rawValue, generation: entry.generation,
      entry_valid: entry.entryTimeout.seconds, attr_valid: entry.attributeTimeout.seconds,
      entry_valid_nsec: entry.entryTimeout.nanoseconds,
      attr_valid_nsec: entry.attributeTimeout.nanoseconds, attr: fuse_attr(entry.attributes))
  }
}

extension fuse_attr {
  @inline(__always)
  init(_ attributes: Attributes) {
    self.init(
      ino: attributes.inode.rawValue, size: UInt64(bitPattern: attributes.size),
      blocks: UInt64(bitPattern: attributes.blocks),
      atime: UInt64(bitPattern: attributes.accessTime.seconds),
      mtime: UInt64(bitPattern: attributes.modificationTime.seconds),
      ctime: UInt64(bitPattern: attributes.changeTime.seconds),
      atimensec: UInt32(bitPattern: attributes.accessTime.nanoseconds),
      mtimensec: UInt32(bitPattern: attributes.modificationTime.nanoseconds),
      ctimensec: UInt32(bitPattern: attributes.changeTime.nanoseconds), mode: attributes.mode,
      nlink: attributes.linkCount, uid: attributes.user, gid: attributes.group,
      rdev: attributes.device, blksize: attributes.blockSize, flags: 0)
  }
}
