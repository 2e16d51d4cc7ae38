import Catalog
import Cloud
import Ledger
import Glibc
public import Platform
import Profiles

/// Whether an extended attribute may or must exist before it is set. setxattr(2).
public enum XattrMode: Sendable {
  /// Either way.
  case any
  /// It must not exist (`XATTR_CREATE`).
  case create
  /// It must exist (`XATTR_REPLACE`).
  case replace
}

/// State and requests as extended attributes, so that any program can ask and act.
///
/// They answer `getxattr` but are not listed: `cp -a` would carry them off.
extension Drive {
  static let xattrPrefix = "user.fauxdrive."

  /// The value of an extended attribute (GETXATTR).
  public func xattr(_ name: String, of id: NodeID, _ caller: Caller) -> Outcome<[UInt8]> {
    guard let node = node(id) else { return .failed(.stale) }
    if let refusal = refusal(.xattr, id, node, caller) { return .failed(refusal) }
    if name.hasPrefix(Self.xattrPrefix) {
      let key = String(name.dropFirst(Self.xattrPrefix.count))
      endWalk(at: id, caller)
      return stateValue(key, id).map { .ready(Array($0.utf8)) } ?? .failed(.noData)
    }
    return onXattr(node, id, caller) { [self] in
      Result { () throws(Errno) in
        let key = Array(name.utf8)
        if node.isRemoved, let kept = keepsakes.withLock({ $0[id]?[key] }) { return kept }
        let value = try stored { () throws(CatalogError) in
          try catalog.xattr(key, of: id.inode)
        }
        guard let value else { throw .noData }
        return value
      }
    }
  }

  /// The names of the extended attributes (LISTXATTR), each with a terminator.
  public func xattrNames(of id: NodeID, _ caller: Caller) -> Outcome<[UInt8]> {
    guard let node = node(id) else { return .failed(.stale) }
    if let refusal = refusal(.xattr, id, node, caller) { return .failed(refusal) }
    return onXattr(node, id, caller) { [self] in
      Result { () throws(Errno) in
        if node.isRemoved, let kept = keepsakes.withLock({ $0[id] }) {
          return kept.keys.flatMap { $0 + [0] }
        }
        return try stored { () throws(CatalogError) in try catalog.xattrNames(of: id.inode) }
          .flatMap { $0 + [0] }
      }
    }
  }

  private func onXattr(
    _ node: Node, _ id: NodeID, _ caller: Caller,
    _ value: @escaping @Sendable () -> Result<[UInt8], Errno>
  ) -> Outcome<[UInt8]> {
    if id.isStub || isLocal(node.entry) || node.entry.kind == .folder {
      let record = begin(.xattr, id, node.entry, caller)
      return recorded(record, Outcome<Void>.ready(()).map(value))
    }
    return react(.xattr, to: node, id, caller, value: value)
  }

  /// Keeps the extended attributes of an open document whose last name is about to go.
  func keepXattrs(of entry: Entry) {
    guard table.withLock({ ($0[entry.node]?.openCount ?? 0) > 0 }) else { return }
    var kept: [[UInt8]: [UInt8]] = [:]
    for name in (try? catalog.xattrNames(of: entry.inode)) ?? [] {
      kept[name] = (try? catalog.xattr(name, of: entry.inode)) ?? nil
    }
    if !kept.isEmpty { keepsakes.withLock { $0[entry.node] = kept } }
  }

  private func stored<Value>(
    _ body: () throws(CatalogError) -> Value
  ) throws(Errno) -> Value {
    do throws(CatalogError) { return try body() } catch {
      throw error.errno
    }
  }

  /// Keeps an extended attribute of the user's (SETXATTR); others are not supported.
  private func keepXattr(
    _ name: String, _ value: [UInt8], _ mode: XattrMode, _ node: Node, _ id: NodeID,
    _ caller: Caller
  ) -> Outcome<Void> {
    result { () throws(Errno) in
      guard name.hasPrefix("user."), !name.hasPrefix(Self.xattrPrefix), !id.isStub else {
        throw .notSupported
      }
      try permission(node.entry, mask: W_OK, caller).get()
      guard !node.isRemoved else { throw .notSupported }
      guard value.count <= 65_536 else { throw .noSpace }
      let key = Array(name.utf8)
      let isThere = try stored { () throws(CatalogError) in
        try catalog.xattr(key, of: id.inode) != nil
      }
      if mode == .create, isThere { throw .exists }
      if mode == .replace, !isThere { throw .noData }
      try stored { () throws(CatalogError) in try catalog.setXattr(key, value, of: id.inode) }
      if !node.isWriting { uploader.schedule(id.inode) }
    }
  }

  /// Removes an extended attribute (REMOVEXATTR).
  public func removeXattr(_ name: String, of id: NodeID, _ caller: Caller) -> Outcome<Void> {
    guard let node = node(id) else { return .failed(.stale) }
    endWalk(at: id, caller)
    if let refusal = refusal(.xattr, id, node, caller) { return .failed(refusal) }
    return result { () throws(Errno) in
      guard name.hasPrefix("user."), !id.isStub else { throw .noData }
      try permission(node.entry, mask: W_OK, caller).get()
      let wasThere = try stored { () throws(CatalogError) in
        try catalog.removeXattr(Array(name.utf8), of: id.inode)
      }
      guard wasThere else { throw .noData }
      if !node.isWriting { uploader.schedule(id.inode) }
    }
  }

  /// Takes a request (SETXATTR of `user.fauxdrive.request`): `download` or `evict`. Returns at once.
  public func setXattr(
    _ name: String, _ value: [UInt8], _ mode: XattrMode, of id: NodeID, _ caller: Caller
  ) -> Outcome<Void> {
    guard let node = node(id) else { return .failed(.stale) }
    endWalk(at: id, caller)
    let isRequest = name == Self.xattrPrefix + "request"
    let isPin = name == Self.xattrPrefix + "pin"
    let callClass: CallClass = isRequest || isPin ? .explicit : .xattr
    if let refusal = refusal(callClass, id, node, caller) { return .failed(refusal) }
    if isPin { return setPin(value, id, caller) }
    guard isRequest else { return keepXattr(name, value, mode, node, id, caller) }
    switch String(decoding: value, as: UTF8.self) {
    case "download":
      guard node.entry.kind == .file else { return .failed(.invalid) }
      return request(node.entry, caller, waiting: false)
    case "evict":
      do throws(DriveError) {
        try evict(id.inode, .requested, caller: caller, done: {})
        return .ready(())
      } catch {
        return .failed(error.errno)
      }
    default: return .failed(.invalid)
    }
  }

  /// Takes what shall be kept (SETXATTR of `user.fauxdrive.pin`): `pinned`, `unpinned`, `unspecified`, or
  /// `inherited` to follow the folder.
  private func setPin(_ value: [UInt8], _ id: NodeID, _ caller: Caller) -> Outcome<Void> {
    let text = String(decoding: value, as: UTF8.self)
    let state = Pin(rawValue: text)
    guard state != nil || text == "inherited", !id.isStub else { return .failed(.invalid) }
    do throws(DriveError) {
      try setPin(state, of: id.inode, caller: caller)
      return .ready(())
    } catch {
      return .failed(error.errno)
    }
  }

  private func stateValue(_ key: String, _ id: NodeID) -> String? {
    if key == "profile" { return settings.profileName }
    if key == "pending", id == .root { return String(pendingChanges) }
    guard let status = status(of: id.inode) else { return nil }
    switch key {
    case "item-id": return status.item
    case "status": return status.downloadingStatus.rawValue
    case "percent": return String(status.percent)
    case "pin": return status.pin.rawValue
    case "version": return status.version
    case "error": return status.error
    default: return nil
    }
  }
}

extension DriveError {
  /// What a program gets that asked through an extended attribute.
  var errno: Errno {
    switch code {
    case .notFound: .noSuchFile
    case .wrongKind, .notHere: .invalid
    case .isOpen, .isPending, .isPinned: .busy
    case .neverEvicts: .notSupported
    case .unreachable: .timedOut
    case .failed: .io
    }
  }
}
