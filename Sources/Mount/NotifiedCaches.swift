public import Drive
public import Fuse
public import Platform

/// Carries the drive's word to the kernel's caches, on the notifier's own thread.
public struct NotifiedCaches: KernelCaches {
  private let notifier: Notifier

  /// Speaks through a session's notifier.
  public init(_ notifier: Notifier) { self.notifier = notifier }

  /// Attributes and pages of a node are out of date.
  public func invalidate(_ node: NodeID) { notifier.post(.invalidateInode(node)) }

  /// Attributes of a node are out of date.
  public func invalidateAttributes(_ node: NodeID) { notifier.post(.invalidateAttributes(node)) }

  /// The name must be looked up again.
  public func expire(_ name: FileName, in folder: NodeID) {
    notifier.post(.expireEntry(name.bytes, in: folder))
  }

  /// The name is gone.
  public func remove(_ name: FileName, in folder: NodeID) {
    notifier.post(.invalidateEntry(name.bytes, in: folder))
  }

  /// Calls `done` when everything told before has been delivered.
  public func afterDelivery(_ done: @escaping @Sendable () -> Void) { notifier.drain(done) }
}
