public import Glibc
public import Platform

/// What a file system does for each request of the kernel.
///
/// Every operation has a default, so a conformer implements what it offers. An operation is called on
/// a FUSE thread, several at once; it answers there, or keeps the reply (`ReplySlot`) and returns. It
/// must not block, for there are only as many threads as cores, and must not touch the mount that it
/// serves. Names are bytes without a terminator, never empty, never longer than 255, without `/`;
/// a LOOKUP may be for `.` and `..` when export support was agreed. Spans are valid only during the
/// call.
///
/// The methods are named after the requests, which are named after the system calls. ENOSYS is
/// remembered by the kernel for the life of the mount: what a session shall not offer at all is left
/// out of `Session.Options.operations` instead.
///
/// Held may be: getattr, access, open, opendir, and read if it is direct or synchronous. A held
/// lookup, readdir, create, mknod, mkdir, link, symlink, unlink, rmdir, rename, flush or release stalls
/// a whole folder or an exit, and not even SIGKILL helps.
public protocol FuseOperations: AnyObject, Sendable {
  /// The kernel agreed; called once, before any other request.
  func sessionWillStart(_ agreement: Agreement)
  /// The session is about to unmount: answer every held reply now. Called on the stopping thread.
  ///
  /// Those with an interrupt handler are interrupted afterwards, if they are still held.
  func sessionWillStop()
  /// No request will come any more, and no answer will be taken. All lookup counts are zero.
  ///
  /// Drop every reply that is still held: each keeps the session's memory, and this object with it.
  func sessionDidEnd(_ reason: SessionEnd)

  /// Finds a name in a folder. Success counts as a lookup of the node.
  func lookup(_ name: Span<UInt8>, in parent: NodeID, reply: consuming Reply<Entry>)
  /// The kernel drops `count` lookups of a node.
  func forget(_ node: NodeID, count: UInt64)
  /// The kernel drops lookups of many nodes.
  func forget(_ batch: Span<Forgotten>)
  /// Shows attributes. `handle` is nil for stat(2) and, mostly, for fstat(2) too.
  func getattr(_ node: NodeID, handle: HandleIdentifier?, reply: consuming Reply<TimedAttributes>)
  /// Changes attributes, and shows them.
  func setattr(
    _ node: NodeID, _ changes: AttributeChanges, handle: HandleIdentifier?,
    reply: consuming Reply<TimedAttributes>)
  /// Checks a permission. Not sent where the mount has `default_permissions`.
  func access(_ node: NodeID, _ mask: AccessMask, reply: consuming Reply<Empty>)

  /// Reads the target of a symbolic link.
  func readlink(_ node: NodeID, reply: consuming Reply<Target>)
  /// Makes a symbolic link.
  func symlink(
    _ name: Span<UInt8>, in parent: NodeID, target: Span<UInt8>, reply: consuming Reply<Entry>)
  /// Makes a file, pipe, socket or device node; `mode` has the type bits.
  func mknod(
    _ name: Span<UInt8>, in parent: NodeID, mode: mode_t, device: UInt32,
    reply: consuming Reply<Entry>)
  /// Makes a folder.
  func mkdir(
    _ name: Span<UInt8>, in parent: NodeID, mode: mode_t, reply: consuming Reply<Entry>)
  /// Removes a name of a file.
  func unlink(_ name: Span<UInt8>, in parent: NodeID, reply: consuming Reply<Empty>)
  /// Removes an empty folder.
  func rmdir(_ name: Span<UInt8>, in parent: NodeID, reply: consuming Reply<Empty>)
  /// Renames, moves, replaces or exchanges.
  func rename(
    _ name: Span<UInt8>, in parent: NodeID, to newName: Span<UInt8>, in newParent: NodeID,
    flags: RenameFlags, reply: consuming Reply<Empty>)
  /// Gives a node another name.
  func link(
    _ node: NodeID, to newName: Span<UInt8>, in newParent: NodeID, reply: consuming Reply<Entry>)

  /// Makes and opens a file.
  func create(
    _ name: Span<UInt8>, in parent: NodeID, mode: mode_t, flags: OpenFlags,
    reply: consuming Reply<Created>)
  /// Opens a file.
  func open(_ node: NodeID, flags: OpenFlags, reply: consuming Reply<Opened>)
  /// Reads up to `reply.limit` bytes; fewer mean the end of the file.
  func read(
    _ node: NodeID, at offset: Int64, handle: HandleIdentifier, flags: OpenFlags,
    reply: consuming Reply<Bytes>)
  /// Writes bytes.
  func write(
    _ bytes: RawSpan, to node: NodeID, at offset: Int64, handle: HandleIdentifier,
    flags: OpenFlags, reply: consuming Reply<Written>)
  /// A descriptor was closed: called at each close(2), whose result it is.
  func flush(
    _ node: NodeID, handle: HandleIdentifier, owner: LockOwner, reply: consuming Reply<Empty>)
  /// The last descriptor is gone; nobody waits for the answer.
  func release(
    _ node: NodeID, handle: HandleIdentifier, flags: OpenFlags, owner: LockOwner,
    reply: consuming Reply<Empty>)
  /// Makes written bytes durable; `dataOnly` for fdatasync(2).
  func fsync(
    _ node: NodeID, handle: HandleIdentifier, dataOnly: Bool, reply: consuming Reply<Empty>)
  /// Allocates or frees a range, as fallocate(2).
  func fallocate(
    _ node: NodeID, handle: HandleIdentifier, mode: CInt, _ range: ByteRange,
    reply: consuming Reply<Empty>)
  /// Looks for data or a hole.
  func lseek(
    _ node: NodeID, handle: HandleIdentifier, from offset: Int64, _ target: SeekTarget,
    reply: consuming Reply<Offset>)
  /// Copies a range from one open file to another.
  func copyFileRange(
    from source: (node: NodeID, handle: HandleIdentifier, offset: Int64),
    to target: (node: NodeID, handle: HandleIdentifier, offset: Int64), count: UInt64,
    reply: consuming Reply<Written>)

  /// Opens a folder.
  func opendir(_ node: NodeID, flags: OpenFlags, reply: consuming Reply<Opened>)
  /// Lists a folder from a position: 0, or the `next` of the last entry that was seen.
  ///
  /// Serves READDIR and READDIRPLUS; `reply.wantsEntries` tells them apart.
  func readdir(
    _ node: NodeID, from position: UInt64, handle: HandleIdentifier,
    reply: consuming DirectoryReply)
  /// The last descriptor of the folder is gone.
  func releasedir(
    _ node: NodeID, handle: HandleIdentifier, flags: OpenFlags, reply: consuming Reply<Empty>)
  /// Makes the folder's entries durable.
  func fsyncdir(
    _ node: NodeID, handle: HandleIdentifier, dataOnly: Bool, reply: consuming Reply<Empty>)

  /// Shows the sizes of the file system.
  func statfs(_ node: NodeID, reply: consuming Reply<Statistics>)
  /// Sets an extended attribute.
  func setxattr(
    _ node: NodeID, _ name: Span<UInt8>, value: RawSpan, flags: ExtendedAttributeFlags,
    reply: consuming Reply<Empty>)
  /// Shows an extended attribute.
  func getxattr(_ node: NodeID, _ name: Span<UInt8>, reply: consuming Reply<ExtendedAttribute>)
  /// Lists the names of extended attributes, each ended by NUL.
  func listxattr(_ node: NodeID, reply: consuming Reply<ExtendedAttribute>)
  /// Removes an extended attribute.
  func removexattr(_ node: NodeID, _ name: Span<UInt8>, reply: consuming Reply<Empty>)
  /// A device control; `output` may have up to `reply.limit` bytes.
  func ioctl(
    _ node: NodeID, handle: HandleIdentifier, command: UInt32, argument: UInt64, input: RawSpan,
    reply: consuming Reply<ControlResult>)

  /// Tells which record lock is in the way of `lock`.
  func getlk(
    _ node: NodeID, handle: HandleIdentifier, owner: LockOwner, _ lock: FileLock,
    reply: consuming Reply<ConflictingLock>)
  /// Sets a record lock; when `waits`, the reply is held until it can be.
  func setlk(
    _ node: NodeID, handle: HandleIdentifier, owner: LockOwner, _ lock: FileLock, waits: Bool,
    reply: consuming Reply<Empty>)
  /// Sets a lock of flock(2); without `nonBlocking`, the reply is held until it can be.
  func flock(
    _ node: NodeID, handle: HandleIdentifier, owner: LockOwner, _ lock: WholeFileLock,
    reply: consuming Reply<Empty>)
}

/// Lookups that the kernel drops.
///
/// It has the layout of `struct fuse_forget_one`, so that a batch needs no conversion.
public struct Forgotten: Hashable, BitwiseCopyable, Sendable {
  private let rawNode: UInt64
  /// How many lookups.
  public let count: UInt64

  /// Lookups of a node.
  public init(node: NodeID, count: UInt64) {
    rawNode = node.rawValue
    self.count = count
  }

  /// The node.
  public var node: NodeID { NodeID(rawValue: rawNode) }
}
