import Catalog
import Cloud
import Glibc
import Ledger
import Platform
import Profiles

/// Permission bits, checked by the drive where the kernel does not.
extension Drive {
  /// The answer of access(2) for a row.
  func permission(_ entry: Entry, mask: Int32, _ caller: Caller) -> Result<Void, Errno> {
    guard !settings.kernelChecksPermissions else { return .success(()) }
    return allows(entry, mask, caller) ? .success(()) : .failure(.accessDenied)
  }

  /// Whether the caller may look up names in a folder. The kernel asks nobody about that but by the
  /// look-up itself.
  func maySearch(_ folder: Entry, _ caller: Caller) -> Bool {
    settings.kernelChecksPermissions || allows(folder, X_OK, caller)
  }

  /// Whether the kernel may keep names of a folder: what it keeps, it shows to every caller.
  func keepsNames(in folder: @autoclosure () -> Entry?) -> Bool {
    guard settings.isShared, !settings.kernelChecksPermissions else { return true }
    return folder().map { $0.permissions & 0o111 == 0o111 } ?? false
  }

  private func allows(_ entry: Entry, _ mask: Int32, _ caller: Caller) -> Bool {
    let bits = Int32(entry.permissions)
    if caller.user == 0 {
      // Root may read and search everything, and run what anybody may run.
      return mask & X_OK == 0 || entry.kind == .folder || bits & 0o111 != 0
    }
    let shift: Int32 =
      if caller.user == settings.user { 6 } else if belongs(caller) { 3 } else { 0 }
    return bits >> shift & mask == mask & 7
  }

  private func belongs(_ caller: Caller) -> Bool {
    caller.group == settings.group
      || programs.groups(of: caller.thread).contains(settings.group)
  }

  /// Why a scoped world refuses the caller, if it does.
  ///
  /// The root may be looked at by everybody, or nothing could find the mount; a grant lets its holder
  /// look at the folders above.
  func refusal(_ callClass: CallClass, _ id: NodeID, _ node: Node, _ caller: Caller) -> Errno? {
    guard settings.isScoped, caller.thread != 0 else { return nil }
    let looksOnly = callClass == .stat || callClass == .access
    if looksOnly, id == .root { return nil }
    if grants.allows(caller, id.inode, looksOnly: looksOnly, parent: parent) { return nil }
    let record = begin(callClass, id, node.entry, caller)
    let refusal = settings.representation.withoutGrant
    let own = record != 0 ? record : ledger.begin(self.record(callClass, node.entry, caller))
    ledger.finish(own, answer: refusal.name)
    return refusal
  }

  /// Whether a scoped world lets the caller touch an item.
  func mayTouch(_ inode: InodeNumber, _ caller: Caller) -> Bool {
    !settings.isScoped || caller.thread == 0
      || grants.allows(caller, inode, looksOnly: false, parent: parent)
  }

  private func parent(of inode: InodeNumber) -> InodeNumber? {
    guard inode != .root else { return nil }
    return (try? catalog.entry(of: inode))??.parent
  }
}
