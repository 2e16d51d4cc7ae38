public import Catalog
import Cloud
public import Platform
import Profiles

/// Documents and folders that a user wants to have here, or not.
extension Drive {
  /// Says whether an item is kept here, with all that is in it now and later; nil to follow its folder.
  ///
  /// What is pinned is brought, in the background; what is unpinned is evicted where nothing forbids it.
  /// - Throws: why it cannot be noted.
  public func setPin(_ state: Pin?, of inode: InodeNumber, caller: Caller?) throws(DriveError) {
    let old = pin(of: inode)
    do throws(CatalogError) { try catalog.setPin(state, of: inode) } catch {
      throw DriveError(.failed, "the catalog cannot be written: \(error.message)")
    }
    switch pin(of: inode) {
    // A folder may hold much, and the caller may be one of the few threads that answer the kernel.
    case .pinned: workers.start { [self] in bringPinned(inode) }
    case .unpinned where old != .unpinned || state == .unpinned: dropUnpinned(inode, caller)
    case .unpinned, .unspecified: break
    }
  }

  /// What counts for an item: its own state, or that of a folder above it.
  func pin(of inode: InodeNumber) -> Pin {
    ((try? catalog.pin(of: inode)) ?? (.unspecified, false)).state
  }

  /// Goes on bringing what is pinned, as after a restart.
  func bringAllPinned() {
    workers.start { [self] in
      for inode in (try? catalog.items(pinned: .pinned)) ?? [] { bringPinned(inode) }
    }
  }

  /// Begins to bring an item, and all below it that counts as pinned.
  func bringPinned(_ inode: InodeNumber) {
    guard settings.representation.placeholder != .none, pin(of: inode) == .pinned,
      let entry = (try? catalog.entry(of: inode)) ?? nil
    else { return }
    switch entry.kind {
    case .symlink: return
    case .file:
      guard entry.residency != .materialized else { return }
      materializer.start(ContentKey(entry), callClass: .explicit, cause: 0)
    case .folder:
      // Its children are told as added when they have come.
      guard entry.isPopulated else { return populate(inode, cause: 0) }
      for child in childrenByNumber(of: inode) { bringPinned(child) }
    }
  }

  private func dropUnpinned(_ inode: InodeNumber, _ caller: Caller?) {
    guard pin(of: inode) == .unpinned, let entry = (try? catalog.entry(of: inode)) ?? nil else {
      return
    }
    if entry.kind == .file {
      // What is open, pending or of a profile that keeps all stays.
      try? evict(inode, .unpinned, caller: caller, done: {})
    } else if entry.kind == .folder {
      for child in childrenByNumber(of: inode) { dropUnpinned(child, caller) }
    }
  }

  private func childrenByNumber(of folder: InodeNumber) -> [InodeNumber] {
    var children: [InodeNumber] = []
    try? catalog.forEachChild(of: folder) { entry, _ in
      children.append(entry.inode)
      return true
    }
    return children
  }
}
