import Catalog
import Cloud
import Glibc
import Ledger
public import Platform
import Profiles

extension Drive {
  /// Writes bytes of an open document (WRITE), after its content has come if it is not here.
  ///
  /// The bytes are in the content file before the reply: a killed drive loses none.
  public func write(
    _ bytes: RawSpan, at offset: Int64, of handle: HandleIdentifier, _ caller: Caller
  ) -> Outcome<Int> {
    let found = table.withLock { table -> (OpenItem, Node)? in
      guard let item = table.handles[handle], let node = table[item.node] else { return nil }
      return (item, node)
    }
    guard let (item, node) = found, item.isWriter else { return .failed(.badDescriptor) }
    guard node.isReadyToWrite || hasContent(node.entry) else {
      let kept = bytes.withUnsafeBytes { Array($0) }
      return bring(.write, node, item.node, caller) { [self] in
        Result { () throws(Errno) in try put(kept.span.bytes, at: offset, item) }
      }
    }
    let written = result { () throws(Errno) in try put(bytes, at: offset, item) }
    guard settings.isAudited else { return written }
    return recorded(begin(.write, item.node, node.entry, caller), written)
  }

  /// Waits for the content of a document that is to be changed in part, as the dial says.
  func bring<Value: Sendable>(
    _ callClass: CallClass, _ node: Node, _ id: NodeID, _ caller: Caller,
    then: @escaping @Sendable () -> Result<Value, Errno>
  ) -> Outcome<Value> {
    if settings.representation.placeholder == .none { return bringSilently(node).map(then) }
    let reaction = settings.representation.dial[callClass]
    let key = ContentKey(node.entry)
    guard reaction.to(contentState(of: key)).answer.refusal == nil else {
      return react(callClass, to: node, id, caller, value: then)
    }
    let record = begin(callClass, id, node.entry, caller)
    // Whatever the dial says: nobody can write into what is not here.
    let wait = materializer.wait(key, need: .version, WaitTerms(reaction))
    let isAway = contentState(of: key) == .away
    if isAway { materializer.start(key, callClass: callClass, cause: record) }
    return recorded(record, started: isAway ? .content : .nothing, .pending(wait.map { then() }))
  }

  private func put(
    _ bytes: RawSpan, at offset: Int64, _ item: OpenItem
  ) throws(Errno) -> Int {
    let isFirst = try beginWriting(item.node, by: .write)
    let file = try writtenFile(of: item.node)
    let count = try bytes.withUnsafeBytes { buffer throws(Errno) in
      try file.writeSome(buffer, at: offset)
    }
    table.withLock { $0.wrote(item.node, upTo: offset + Int64(count), at: .now) }
    if item.route == .direct || item.route == .beside { tellKernel { $0.invalidate(item.node) } }
    if isFirst { pass(.after(.write), item.node) }
    return count
  }

  /// Notes in the catalog that the document is being written, before its first byte is.
  ///
  /// - Returns: whether that was news.
  @discardableResult
  func beginWriting(
    _ id: NodeID, emptied: Bool = false, by call: ChangingCall? = nil
  ) throws(Errno) -> Bool {
    guard let node = table.withLock({ $0[id] }) else { throw .stale }
    guard emptied || !node.isReadyToWrite else { return false }
    guard node.isCurrent else {
      // A newer version took the name while this one was open, and it was not written until now.
      throw .stale
    }
    if let call { pass(.before(call), id) }
    let old = ContentKey(node.entry)
    _ = try changeLocally { () throws(LocalChangeError) in
      if !emptied { try markOnlyCopy(old, node.entry) }
      return try catalog.beginWriting(id.inode, emptied: emptied)
    } show: { table, entry in
      table.began(id, entry)
      // Before anybody can take what an upload has read for the newest.
      uploader.contentChanges(id.inode)
    }
    if emptied { materializer.content.remove(old) }
    return true
  }

  /// Should the catalog be lost from now on, the content must not be thrown away.
  private func markOnlyCopy(_ key: ContentKey, _ entry: Entry) throws(LocalChangeError) {
    do throws(Errno) {
      try materializer.content.mark(key, isOnlyCopy: true)
    } catch {
      // Of an empty document there may be no file.
      guard error == .noSuchFile, entry.size == 0 else { throw .refused(error.ofContent) }
    }
  }

  /// The content file, open for writing, shared by everybody who writes.
  func writtenFile(of id: NodeID) throws(Errno) -> ContentFile {
    let (known, entry) = table.withLock { ($0.written[id], $0[id]?.entry) }
    if let known { return known }
    guard let entry else { throw .stale }
    let opened: ContentFile
    do throws(Errno) {
      opened = try materializer.content.openToWrite(
        ContentKey(entry), isNew: entry.size == 0)
    } catch {
      throw error.ofContent
    }
    return table.withLock { table in
      if let known = table.written[id] { return known }
      table.keepWritten(opened, for: id)
      return opened
    }
  }

  /// A descriptor of a document was closed (FLUSH): what was written belongs to the document now.
  ///
  /// - Returns: why that cannot be noted.
  public func flush(_ handle: HandleIdentifier) -> Errno? {
    let found = table.withLock { table -> (NodeID, Node)? in
      guard let item = table.handles[handle], item.isWriter, let node = table[item.node] else {
        return nil
      }
      return (item.node, node)
    }
    guard let (id, node) = found else { return nil }
    noticeMapped(id)
    return endWriting(id, stillWriting: node.writerCount > 1, by: .close)
  }

  /// Tells the catalog what was written, and the uploader that there is something to do.
  @discardableResult
  func endWriting(
    _ id: NodeID, stillWriting: Bool = false, by call: ChangingCall? = nil
  ) -> Errno? {
    guard let node = table.withLock({ $0[id] }), node.isWriting, !node.isRemoved else { return nil }
    do throws(Errno) {
      if let call { pass(.before(call), id) }
      try revision.withLock { _ throws(Errno) in
        guard let node = table.withLock({ $0[id] }), node.isWriting else { return }
        let entry: Entry?
        do throws(CatalogError) {
          entry = try catalog.endWriting(
            id.inode, size: node.entry.size, modified: node.entry.modified,
            stillWriting: stillWriting)
        } catch {
          throw error.errno
        }
        table.withLock { table in
          table.rowsChanged()
          table.update(id) { node in
            node.isWriting = stillWriting
            // What `stat` shows from now on is what the row says, and no upload moves it.
            if let entry { node.entry.changed = entry.changed }
          }
        }
      }
      hasPublished.withLock { $0 = true }
      refreshMapped(id)
      if !stillWriting { uploader.schedule(id.inode) }
      if let call { pass(.after(call), id) }
      return nil
    } catch {
      if !stillWriting { unfinished.withLock { _ = $0.insert(id) } }
      return error
    }
  }

  /// Notes again what could not be noted at the last close: there may be room now.
  func finishWriting() {
    for id in unfinished.withLock({ $0 }) {
      let node = table.withLock { $0[id] }
      // Whoever writes it again will end it himself.
      guard let node, node.isWriting, node.writerCount == 0, endWriting(id) != nil else {
        unfinished.withLock { _ = $0.remove(id) }
        if let last = table.withLock({ $0.settle(id) }) { released(last) }
        continue
      }
    }
  }

  /// Makes a document durable (FSYNC), whoever has written it: it survives a power cut when the ticket
  /// ends well.
  public func synchronize(_ handle: HandleIdentifier) -> Outcome<Void> {
    guard let item = table.withLock({ $0.handles[handle] }) else {
      return .failed(.badDescriptor)
    }
    pass(.before(.fsync), item.node)
    noticeMapped(item.node)
    if let error = endWriting(item.node, stillWriting: true) { return .failed(error) }
    let (file, node) = table.withLock { ($0.written[item.node], $0[item.node]) }
    let ticket = Ticket<Void>()
    workers.start { [self] in
      do {
        try (file ?? node.flatMap(contentToSynchronize))?.synchronize()
        try catalog.synchronize()
        pass(.after(.fsync), item.node)
        ticket.finish(.success(()))
      } catch {
        let errno = error as? Errno ?? (error as? CatalogError)?.errno
        ticket.finish(.failure(errno ?? .io))
      }
    }
    return .pending(ticket)
  }

  /// The content file of a document that nobody has open for writing; nil when it has none.
  private func contentToSynchronize(_ node: Node) throws(Errno) -> ContentFile? {
    guard node.entry.kind == .file, node.entry.residency == .materialized else { return nil }
    do throws(Errno) {
      return try materializer.content.openExisting(ContentKey(node.entry))
    } catch {
      // An empty document has none, and one that is gone has lost it.
      guard error == .noSuchFile, node.entry.size == 0 || node.isRemoved else { throw .io }
      return nil
    }
  }

  /// Makes the names in a folder durable (FSYNCDIR).
  public func synchronizeFolder() -> Outcome<Void> {
    let ticket = Ticket<Void>()
    workers.start { [self] in
      do throws(CatalogError) {
        try catalog.synchronize()
        ticket.finish(.success(()))
      } catch {
        ticket.finish(.failure(error.errno))
      }
    }
    return .pending(ticket)
  }
}

extension Errno {
  /// What a program gets for an error that a content file gave: that a file of ours is missing is no
  /// answer to a question for its document.
  var ofContent: Errno { self == .noSuchFile ? .io : self }
}
