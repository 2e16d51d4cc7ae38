public import Platform

/// How the drive tells the kernel that what it remembers is no longer so.
///
/// Calls return at once; a thread of the mount delivers in order, with no lock of the drive held.
/// The drive changes its state first and tells the kernel afterwards.
public protocol KernelCaches: Sendable {
  /// Attributes and pages of a node are out of date.
  func invalidate(_ node: NodeID)
  /// Attributes of a document are out of date, and its pages are not: never waits for a page that somebody
  /// waits for.
  func invalidateAttributes(_ node: NodeID)
  /// The name must be looked up again; it still exists.
  func expire(_ name: FileName, in folder: NodeID)
  /// The name is gone, or no longer means what it meant.
  func remove(_ name: FileName, in folder: NodeID)
  /// Calls `done` when everything told before has been delivered.
  func afterDelivery(_ done: @escaping @Sendable () -> Void)
}
