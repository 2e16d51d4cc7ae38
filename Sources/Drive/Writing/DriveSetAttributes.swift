import Catalog
import Cloud
public import Glibc
import Ledger
public import Platform
import Profiles

/// What a program wants to be different (SETATTR); nil leaves a value as it is.
public struct AttributeRequest: Sendable {
  /// Permission bits.
  public var permissions: UInt16?
  /// The owner.
  public var user: uid_t?
  /// The group.
  public var group: gid_t?
  /// The length in bytes.
  public var size: Int64?
  /// When the content changed last.
  public var modified: Timestamp?
  /// Whether times become the present one, which needs no more than the right to write.
  public var isTouched = false

  /// Nothing different.
  public init() {}
}

extension Drive {
  /// Changes attributes (SETATTR). chmod(2), chown(2), utimensat(2), truncate(2).
  ///
  /// - Fidelity: a device has one owner, so `chown` to anybody else is refused with EPERM; access times
  ///   are not kept.
  public func setAttributes(
    of id: NodeID, _ request: AttributeRequest, _ caller: Caller
  ) -> Outcome<ItemAttributes> {
    guard let node = node(id) else { return .failed(.stale) }
    if let refusal = refusal(.write, id, node, caller) { return .failed(refusal) }
    endWalk(at: id, caller)
    if id.isStub { return .failed(.notPermitted) }
    if let refusal = refusal(of: request, node.entry, caller) { return .failed(refusal) }
    let rest: @Sendable () -> Result<ItemAttributes, Errno> = { [self] in
      Result { () throws(Errno) in try setRest(id, request) }
    }
    guard let size = request.size else { return Outcome<Void>.ready(()).map(rest) }
    return truncate(id, to: size, caller).map(rest)
  }

  private func refusal(
    of request: AttributeRequest, _ entry: Entry, _ caller: Caller
  ) -> Errno? {
    let isOwner = caller.user == 0 || caller.user == settings.user
    if let user = request.user, user != settings.user { return .notPermitted }
    if let group = request.group, group != settings.group { return .notPermitted }
    if let permissions = request.permissions, !isOwner {
      // The kernel clears these bits in the name of whoever writes.
      guard permissions == entry.permissions & ~0o6000 else { return .notPermitted }
    }
    guard request.modified != nil, !isOwner else { return nil }
    guard request.isTouched else { return .notPermitted }
    if case .failure(let error) = permission(entry, mask: W_OK, caller) { return error }
    return nil
  }

  private func setRest(
    _ id: NodeID, _ request: AttributeRequest
  ) throws(Errno) -> ItemAttributes {
    guard let node = node(id) else { throw .stale }
    if request.modified != nil || request.permissions != nil {
      if node.isRemoved {
        table.withLock { $0.setShown(id, request.modified, request.permissions) }
      } else {
        _ = try changing(.setattr, id) { () throws(Errno) in
          try changeLocally { () throws(LocalChangeError) in
            try catalog.setLocal(
              id.inode, size: nil, modified: request.modified, permissions: request.permissions)
          } show: { table, entry in
            table.setShown(id, request.modified, request.permissions, changed: entry.changed)
          }
        }
        if !node.isWriting { uploader.schedule(id.inode) }
      }
    }
    guard let now = self.node(id) else { throw .stale }
    return attributes(of: now, id)
  }
}
