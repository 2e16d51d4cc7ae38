import Catalog
import Cloud
import Ledger
import Glibc
public import Platform
import Profiles

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
    return onXattr(node, id, caller) { .failure(.noData) }
  }

  /// The names of the extended attributes (LISTXATTR): none.
  public func xattrNames(of id: NodeID, _ caller: Caller) -> Outcome<[UInt8]> {
    guard let node = node(id) else { return .failed(.stale) }
    if let refusal = refusal(.xattr, id, node, caller) { return .failed(refusal) }
    return onXattr(node, id, caller) { .success([]) }
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

  /// Takes a request (SETXATTR of `user.fauxdrive.request`): `download` or `evict`. Returns at once.
  public func setXattr(
    _ name: String, _ value: [UInt8], of id: NodeID, _ caller: Caller
  ) -> Outcome<Void> {
    guard let node = node(id) else { return .failed(.stale) }
    endWalk(at: id, caller)
    let isRequest = name == Self.xattrPrefix + "request"
    let callClass: CallClass = isRequest ? .explicit : .xattr
    if let refusal = refusal(callClass, id, node, caller) { return .failed(refusal) }
    guard isRequest else {
      return recorded(begin(.xattr, id, node.entry, caller), .failed(.readOnly))
    }
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

  private func stateValue(_ key: String, _ id: NodeID) -> String? {
    if key == "profile" { return settings.profileName }
    guard let status = status(of: id.inode) else { return nil }
    switch key {
    case "item-id": return status.item
    case "status": return status.downloadingStatus.rawValue
    case "percent": return String(status.percent)
    case "pin": return status.pin
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
