import Catalog
import Cloud
import Ledger
public import Platform
import Profiles

extension Drive {
  /// Finds a name in a folder, and counts the look-up of what it finds (LOOKUP).
  ///
  /// It waits in one case only: the folder's children are unknown. Everything else that a profile wants
  /// to hold is held in the call that follows a look-up.
  public func lookup(
    _ name: borrowing Span<UInt8>, in parent: NodeID, _ caller: Caller
  ) -> Outcome<LookupResult> {
    ledger.walk(thread: caller.thread, through: parent)
    guard let folder = row(of: parent), folder.kind == .folder else {
      return .failed(.notDirectory)
    }
    guard maySearch(folder, caller) else { return .failed(.accessDenied) }
    if folder.isPopulated {
      return result { () throws(Errno) in try find(name, in: folder, parent, caller) }
    }
    guard let kept = FileName(name) else { return .failed(.noSuchFile) }
    // What has changes here is known although the rest of its folder is not.
    if case .some(.some) = try? catalog.entry(named: name, in: folder.inode) {
      return result { () throws(Errno) in
        try find(kept.bytes.span, in: folder, parent, caller).uncached()
      }
    }
    let terms = WaitTerms(
      patience: settings.lookupPatience, outOfPatience: .error(.timedOut),
      unreachable: settings.representation.dial[.readdir].unreachable)
    let record = begin(.readdir, parent, folder, caller)
    let wait = populations.wait(for: parent.inode, terms)
    populate(parent.inode, cause: record)
    let starts: Starts = settings.representation.placeholder == .none ? .nothing : .metadata
    let outcome = recorded(record, started: starts, Outcome.pending(wait))
    return outcome.map { [self] in
      guard let folder = row(of: parent) else { return .failure(.stale) }
      return Result { () throws(Errno) in
        try find(kept.bytes.span, in: folder, parent, caller).uncached()
      }
    }
  }

  private func find(
    _ name: borrowing Span<UInt8>, in folder: Entry, _ parent: NodeID, _ caller: Caller
  ) throws(Errno) -> LookupResult {
    while true {
      let readAt = table.withLock { $0.generation }
      let row = try row(under: name, in: folder)
      if row.map({ isHidden($0.entry) }) ?? true,
        let hidden = try hiddenEntry(behind: name, in: folder)
      {
        let id = hidden.stub
        guard let found = remember(id, hidden, readAt) else { continue }
        noteLookup(id, hidden, caller)
        return .found(found)
      }
      guard let row else { return try missing(name, folder, parent, caller) }
      if let refusal = refuseWalk(to: row.entry, caller) { throw refusal }
      let id = NodeID(inode: row.entry.inode, epoch: row.entry.epoch)
      guard let found = remember(id, row.entry, readAt) else { continue }
      noteLookup(id, row.entry, caller)
      // The kernel learns what becomes of an item under its own name only.
      return .found(row.isOwnName ? found : found.uncached())
    }
  }

  /// The row that a name leads to, and whether it is the item's own name.
  private func row(
    under name: borrowing Span<UInt8>, in folder: Entry
  ) throws(Errno) -> (entry: Entry, isOwnName: Bool)? {
    if let entry = try entry(name, in: folder) { return (entry, true) }
    guard folded.isNeeded, let name = FileName(name) else { return nil }
    return try known(name, in: folder).map { ($0.entry, $0.name == name) }
  }

  func remember(_ id: NodeID, _ entry: Entry, _ readAt: UInt64) -> Found? {
    guard let node = table.withLock({ $0.remember(id, entry, readAt: readAt) }) else { return nil }
    return found(id, node)
  }

  func found(_ id: NodeID, _ node: Node) -> Found {
    let attributes = attributes(of: node, id)
    let isCacheable =
      attributes.isCacheable && keepsNames(in: (try? catalog.entry(of: node.entry.parent)) ?? nil)
    return Found(node: id, attributes: attributes, isCacheable: isCacheable)
  }

  /// A look-up is a request of its own only if nothing of the same thread follows it.
  func noteLookup(
    _ id: NodeID, _ entry: Entry, _ caller: Caller, answer: String = "present"
  ) {
    guard matters(entry) else { return }
    var record = record(.lookup, entry, caller)
    record.answer = answer
    ledger.lookup(
      thread: caller.thread, parent: NodeID(inode: entry.parent), node: id, record: record)
  }

  /// Why the dial lets no path lead to a document that is not here; nil when it does.
  ///
  /// A walk that is refused, or that starts something, is a request of its own: every other one belongs
  /// to the call that follows.
  private func refuseWalk(to entry: Entry, _ caller: Caller) -> Errno? {
    guard entry.kind == .file, !isLocal(entry) else { return nil }
    let reaction = settings.representation.dial[.lookup]
    guard !reaction.isTransparent else { return nil }
    let key = ContentKey(entry)
    let (answer, starts) = reaction.to(contentState(of: key))
    guard answer != .present || starts != .nothing else { return nil }
    var record = record(.lookup, entry, caller)
    record.answer = answer.text
    record.started = starts.rawValue
    let cause = ledger.add(record)
    if starts == .content { materializer.start(key, callClass: .lookup, cause: cause) }
    return answer.refusal
  }

  private func missing(
    _ name: borrowing Span<UInt8>, _ folder: Entry, _ parent: NodeID, _ caller: Caller
  ) throws(Errno) -> LookupResult {
    // A name that is not there is an existence check by itself: no other call follows.
    if settings.isAudited {
      var record = record(.lookup, folder, caller)
      record.path += (record.path == "/" ? "" : "/") + name.text
      record.item = ""
      record.answer = "missing"
      ledger.add(record)
    }
    // What is made later may have this name as well, and the kernel would not know.
    guard !settings.keepsNothing, !folded.isNeeded, keepsNames(in: folder) else {
      throw .noSuchFile
    }
    return .knownMissing
  }

  private func entry(
    _ name: borrowing Span<UInt8>, in folder: Entry
  ) throws(Errno) -> Entry? {
    do { return try catalog.entry(named: name, in: folder.inode) } catch { throw .io }
  }

  /// The row that a node shows: from the table if the kernel knows it, else from the catalog.
  func row(of id: NodeID) -> Entry? { node(id)?.entry }

  /// A node, known or (after a hand-over) read back from its number.
  func node(_ id: NodeID) -> Node? {
    if let node = table.withLock({ $0[id] }) { return node }
    guard let entry = (try? catalog.entry(of: id.inode)) ?? nil, entry.epoch == id.epoch else {
      return nil
    }
    return Node(entry: entry)
  }

  func result<Value: Sendable>(_ body: () throws(Errno) -> Value) -> Outcome<Value> {
    do { return .ready(try body()) } catch { return .failed(error) }
  }

  /// The kernel forgot a node `count` times (FORGET). Never waits.
  public func forget(_ id: NodeID, count: UInt64) {
    guard let last = table.withLock({ $0.forget(id, count: count) }) else { return }
    released(last)
  }

  /// Nobody needs the node any more: the content of a version that was replaced goes.
  func released(_ node: Node) {
    mapped.forget(node.entry.node)
    if node.isRemoved { keepsakes.withLock { $0[node.entry.node] = nil } }
    guard !node.isCurrent, node.entry.kind == .file else { return }
    materializer.content.remove(
      ContentKey(inode: node.entry.inode, serial: node.entry.contentSerial))
  }
}
