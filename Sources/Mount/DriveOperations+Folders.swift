import Cloud
import Drive
public import Fuse
import Glibc
public import Platform

extension DriveOperations {
  /// Opens a folder.
  public func opendir(_ node: NodeID, flags: OpenFlags, reply: consuming Reply<Opened>) {
    let outcome = drive.openFolder(node, reply.caller)
    let mode: OpenMode = drive.keepsListings ? [.keepCache, .cacheDirectory] : []
    answer(outcome, reply) { [drive] reply, item in
      if !reply.succeed(Opened(item.handle, mode: mode)) { drive.close(item.handle) }
    }
  }

  /// Lists a folder from a position.
  public func readdir(
    _ node: NodeID, from position: UInt64, handle: HandleIdentifier,
    reply: consuming DirectoryReply
  ) {
    let time = drive.beginAnswer()
    defer { drive.endAnswer(time) }
    var reply = reply
    let counts = reply.wantsEntries
    let error = drive.list(node, after: position, countingLookups: counts) { name, item in
      guard let found = item.found else {
        return reply.append(name, inode: item.inode, kind: S_IFDIR, next: item.cookie)
      }
      return reply.append(name, view.entry(found), next: item.cookie)
    }
    if let error, reply.isEmpty { reply.fail(error) } else { reply.finish() }
  }

  /// The last descriptor of a folder is gone.
  public func releasedir(
    _ node: NodeID, handle: HandleIdentifier, flags: OpenFlags, reply: consuming Reply<Empty>
  ) {
    drive.close(handle)
    reply.succeed()
  }
}
