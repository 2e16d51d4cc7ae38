import Catalog
import Cloud
public import Platform
import Profiles

extension Drive {
  /// What `stat` shows (GETATTR).
  ///
  /// The kernel asks the same for `stat` and for `fstat`, so while anybody has the item open it is
  /// present to everybody: otherwise `cat` would fail after a good open.
  public func attributes(of id: NodeID, _ caller: Caller) -> Outcome<ItemAttributes> {
    guard let node = node(id), node.isOpenable else { return .failed(.stale) }
    if let refusal = refusal(.stat, id, node, caller) { return .failed(refusal) }
    if node.openCount > 0, isOpen(node, by: caller) {
      endWalk(at: id, caller)
      return .ready(attributes(of: node, id))
    }
    if id.isStub || isLocal(node.entry) || node.entry.kind == .folder || node.openCount > 0 {
      return recorded(begin(.stat, id, node.entry, caller), .ready(attributes(of: node, id)))
    }
    return react(.stat, to: node, id, caller) { [self] in
      self.node(id).map { .success(attributes(of: $0, id)) } ?? .failure(.stale)
    }
  }

  /// Whether the caller has the item open itself, so that asking for attributes is no check of whether
  /// it exists: `fstat` after an open, above all.
  private func isOpen(_ node: Node, by caller: Caller) -> Bool {
    !node.openers.isEmpty && node.openers[programs.program(of: caller.thread).process] != nil
  }

  func attributes(of node: Node, _ id: NodeID) -> ItemAttributes {
    if id.isStub { return stubAttributes(of: node.entry) }
    let entry = node.entry
    return ItemAttributes(
      inode: entry.inode, kind: entry.kind, permissions: entry.permissions,
      links: node.isRemoved ? 0 : 1, size: entry.size,
      blocks: blocks(of: node),
      modified: entry.modified, changed: entry.changed, created: entry.created,
      isCacheable: isLocal(entry) && !settings.keepsNothing)
  }

  private func blocks(of node: Node) -> Int64 {
    let entry = node.entry
    guard entry.kind == .file else { return 0 }
    let real = (entry.size + 511) / 512
    if isLocal(entry) { return real }
    // GNU tar --sparse archives zeros for a file of no blocks, and looks after it has opened it.
    let isSafelyOpen = settings.representation.blocks == .safe && node.openCount > 0
    return isSafelyOpen ? max(real, 1) : 0
  }

  /// Whether the caller may do what `mask` says (ACCESS; the bits of access(2), 0 for existence).
  public func access(_ id: NodeID, mask: Int32, _ caller: Caller) -> Outcome<Void> {
    guard let node = node(id), node.isOpenable else { return .failed(.stale) }
    if let refusal = refusal(.access, id, node, caller) { return .failed(refusal) }
    let check: @Sendable () -> Result<Void, Errno> = { [self] in
      guard let entry = row(of: id) else { return .failure(.stale) }
      return permission(entry, mask: mask, caller)
    }
    if id.isStub || isLocal(node.entry) || node.entry.kind == .folder || node.openCount > 0 {
      let record = begin(.access, id, node.entry, caller)
      return recorded(record, Outcome<Void>.ready(()).map(check))
    }
    return react(.access, to: node, id, caller, value: check)
  }

  /// The target of a symbolic link (READLINK).
  public func target(of id: NodeID, _ caller: Caller) -> Outcome<[UInt8]> {
    endWalk(at: id, caller)
    guard let details = (try? catalog.details(of: id.inode)) ?? nil, let target = details.target
    else { return .failed(.invalid) }
    return .ready(target)
  }
}
