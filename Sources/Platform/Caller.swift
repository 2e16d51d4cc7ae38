public import Glibc

/// Who made a request, as the kernel tells it.
public struct Caller: Hashable, Sendable {
  /// The thread that made the call (not its process; see `Programs`). 0 when the kernel itself asks.
  public let thread: pid_t
  /// The effective user.
  public let user: uid_t
  /// The effective group.
  public let group: gid_t

  /// A caller with the three identities of a FUSE request.
  public init(thread: pid_t, user: uid_t, group: gid_t) {
    self.thread = thread
    self.user = user
    self.group = group
  }
}
