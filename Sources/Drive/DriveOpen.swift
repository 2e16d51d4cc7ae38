import Catalog
import Cloud
import Glibc
import Ledger
public import Platform
import Profiles

/// An open file or folder, as the mount hands it to the kernel.
public struct OpenedItem: Hashable, Sendable {
  /// The handle.
  public var handle: HandleIdentifier
  /// How the bytes travel.
  public var route: ByteRoute
}

extension Drive {
  /// Opens a document (OPEN).
  ///
  /// - Parameter flags: as in open(2).
  public func open(_ id: NodeID, flags: Int32, _ caller: Caller) -> Outcome<OpenedItem> {
    guard var node = node(id), node.isOpenable else { return .failed(.stale) }
    let callClass = Self.callClass(ofOpenWith: flags)
    if let refusal = refusal(callClass, id, node, caller) { return .failed(refusal) }
    if case .failure(let error) = permission(node.entry, mask: Self.mask(flags), caller) {
      return recorded(begin(callClass, id, node.entry, caller), .failed(error))
    }
    let isWriter = flags & O_ACCMODE != O_RDONLY
    if id.isStub {
      guard isWriter else { return openStub(id, node, caller) }
      // A stand-in is not the document, and nobody's to change.
      return recorded(begin(callClass, id, node.entry, caller), .failed(.notPermitted))
    }
    // A version that another one has replaced takes no more writing.
    if isWriter, !node.isCurrent, !node.isRemoved { return .failed(.stale) }
    let process = opener(of: node.entry, caller)
    noticeMappedAndEnd(id)
    // Who reads finds damage when he does: most opens are of what is whole.
    if isWriter, flags & O_TRUNC == 0 { node = checked(id, node) }
    let opening: @Sendable () -> Result<OpenedItem, Errno> = { [self] in
      finishOpening(id, by: process, writing: isWriter)
    }
    if flags & O_TRUNC != 0 {
      // What is about to be written shall not be sent as an empty document before.
      return truncate(id, to: 0, caller, opening: isWriter).map { [self] in
        let opened = opening()
        if isWriter, case .failure = opened { endWritingIfUnopened(id) }
        return opened
      }
    }
    if hasContent(node.entry) {
      return recorded(
        begin(.open, id, node.entry, caller), Outcome<Void>.ready(()).map(opening))
    }
    if settings.representation.placeholder == .none {
      let record = begin(.open, id, node.entry, caller)
      return recorded(record, bringSilently(node).map(opening))
    }
    return react(.open, to: node, id, caller, value: opening)
  }

  private static func callClass(ofOpenWith flags: Int32) -> CallClass {
    flags & O_TRUNC != 0 ? .truncate : .open
  }

  private static func mask(_ flags: Int32) -> Int32 {
    switch flags & O_ACCMODE {
    case O_RDONLY: R_OK
    case O_WRONLY: W_OK
    default: R_OK | W_OK
    }
  }

  private func finishOpening(
    _ id: NodeID, by process: pid_t, writing: Bool = false
  ) -> Result<OpenedItem, Errno> {
    guard let entry = row(of: id) else { return .failure(.stale) }
    let opened: OpenedItem? = table.withLock { table in
      let node = table[id] ?? Node(entry: entry)
      // A newer version took the name while the kernel was on its way: it looks again at ESTALE.
      guard node.isOpenable else { return nil }
      let route = route(for: node, writing: writing)
      let item = table.open(id, entry, route, by: process, writing: writing)
      return OpenedItem(handle: item.identifier, route: route)
    }
    guard let opened else { return .failure(.stale) }
    claims.claim(id.inode)
    if opened.route == .beside { watchMapped(id, opened.handle) }
    return .success(opened)
  }

  /// A node has cached and direct opens or passed-through ones, never both, as the kernel demands.
  private func route(for node: Node, writing: Bool) -> ByteRoute {
    // In an audit every read reaches the drive.
    guard hasContent(node.entry), !settings.isAudited else { return settings.absentRoute }
    // What is written must come here: who passes it through tells nobody.
    if node.passthroughCount > 0 { return writing ? .beside : .passthrough }
    guard node.openCount == 0, !writing, let least = settings.passthroughFrom,
      node.entry.size >= least
    else { return .cached }
    return .passthrough
  }

  /// A local disk has no placeholders: what the catalog lists and does not hold yet is copied.
  func bringSilently(_ node: Node) -> Outcome<Void> {
    let key = ContentKey(inode: node.entry.inode, serial: node.entry.contentSerial)
    let terms = WaitTerms(patience: nil, outOfPatience: .error(.io), unreachable: .error(.io))
    let wait = materializer.wait(key, need: .document, terms)
    materializer.start(key, callClass: .open, cause: 0)
    return .pending(wait)
  }

  /// Opens a folder (OPENDIR); waits for its children when they are unknown.
  public func openFolder(_ id: NodeID, _ caller: Caller) -> Outcome<OpenedItem> {
    guard let node = node(id), node.entry.kind == .folder else { return .failed(.notDirectory) }
    if let refusal = refusal(.readdir, id, node, caller) { return .failed(refusal) }
    if case .failure(let error) = permission(node.entry, mask: R_OK, caller) {
      return recorded(begin(.readdir, id, node.entry, caller), .failed(error))
    }
    let record = begin(.readdir, id, node.entry, caller)
    let process = opener(of: node.entry, caller)
    let opening: @Sendable () -> Result<OpenedItem, Errno> = { [self] in
      // An unknown folder is never shown as an empty one, whatever a profile says of a failure.
      guard row(of: id)?.isPopulated == true else { return .failure(.timedOut) }
      return finishOpening(id, by: process)
    }
    if node.entry.isPopulated {
      return recorded(record, Outcome<Void>.ready(()).map(opening))
    }
    return listUnknown(id.inode, record).map(opening)
  }

  /// Lets a listing wait for a folder's children, or refuses it, as the dial says.
  private func listUnknown(_ folder: InodeNumber, _ record: UInt64) -> Outcome<Void> {
    let reaction = settings.representation.dial[.readdir]
    let state = listingState(of: folder)
    let (answer, starts) = reaction.to(state)
    guard state != .here else { return recorded(record, .ready(())) }
    if let refusal = answer.refusal {
      if starts != .nothing { populate(folder, cause: record) }
      return recorded(record, started: starts, .failed(refusal))
    }
    // `present` waits as well: there is nothing yet that could be shown.
    let wait = populations.wait(for: folder, WaitTerms(reaction))
    populate(folder, cause: record)
    return recorded(record, started: starts, .pending(wait))
  }

  /// Where the list of a folder's children is, for whoever has read a row that says that it is unknown.
  func listingState(of folder: InodeNumber) -> ContentState {
    if populations.isRunning(folder) { return .coming }
    // It may have come since the row was read.
    return ((try? catalog.entry(of: folder)) ?? nil)?.isPopulated == true ? .here : .away
  }

  /// Closes a file or folder (RELEASE, RELEASEDIR). Never waits.
  ///
  /// - Returns: how its bytes travelled; nil when no such handle is open.
  @discardableResult
  public func close(_ handle: HandleIdentifier) -> ByteRoute? {
    if handle.route == .beside, let item = table.withLock({ $0.handles[handle] }) {
      noticeMapped(item.node)
    }
    // The last writer is gone: also one who was killed, and closed nothing.
    if let written = table.withLock({ $0.stopWriting(handle) }) {
      endWriting(written, by: .close)
      // What was noted at an earlier close can go as soon as nobody can write any more.
      uploader.lookUnlessWaiting(written.inode)
    }
    guard let closed = table.withLock({ $0.close(handle) }) else { return nil }
    if let last = closed.last { released(last) }
    return closed.item.route
  }

  /// Whether the kernel may keep listings of folders.
  public var keepsListings: Bool { !settings.keepsNothing }
}
