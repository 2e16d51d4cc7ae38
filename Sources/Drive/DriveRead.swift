import Catalog
import Cloud
public import Platform
import Profiles

/// Where the bytes of a read are, ready to be copied.
public enum ReadSource: Sendable {
  /// So many bytes of a content file.
  case file(ContentFile, ByteRange)
  /// These bytes.
  case bytes(ArraySlice<UInt8>)
}

extension Drive {
  /// Finds the bytes of a range of an open document (READ), waiting for them if they are not here.
  ///
  /// A handle reads the version that it opened, to the end, whatever comes later.
  public func read(
    _ range: ByteRange, of handle: HandleIdentifier, _ id: NodeID, _ caller: Caller
  ) -> Outcome<ReadSource> {
    if id.isStub { return readStub(range, id, caller) }
    let found = table.withLock { table in table.handles[handle].map { ($0, table[$0.node]) } }
    guard let (item, node) = found else { return .failed(.badDescriptor) }
    guard let node else { return .failed(.stale) }
    // The version that a name leads to may be written on this device; one that was replaced is over.
    let isLive = node.isCurrent || node.isRemoved
    let range = range.clamped(to: isLive ? node.entry.size : item.size)
    if range.isEmpty { return .ready(.bytes([])) }
    if let content = item.content, !settings.isAudited { return .ready(.file(content, range)) }
    guard item.content != nil || node.isCurrent || hasContent(node.entry) else {
      return .failed(.stale)
    }
    if item.content != nil || hasContent(node.entry) {
      return readPresent(range, item, node, caller)
    }
    return readAbsent(range, item, node, caller)
  }

  private func readPresent(
    _ range: ByteRange, _ item: OpenItem, _ node: Node, _ caller: Caller
  ) -> Outcome<ReadSource> {
    let found = result { () throws(Errno) in try source(range, item) }
    if case .failed(.io) = found {
      let now = checked(item.node, node)
      // What the cloud has as well is brought again.
      if !hasContent(now.entry), let item = table.withLock({ $0.handles[item.identifier] }) {
        return readAbsent(range, item, now, caller)
      }
    }
    return recorded(settings.isAudited ? begin(.read, item.node, node.entry, caller) : 0, found)
  }

  private func readAbsent(
    _ range: ByteRange, _ item: OpenItem, _ node: Node, _ caller: Caller
  ) -> Outcome<ReadSource> {
    let key = ContentKey(inode: node.entry.inode, serial: item.contentSerial)
    if let content = materializer.contentHolding(range, of: key) {
      let record = begin(.read, item.node, node.entry, caller)
      return recorded(record, .ready(.file(content, range)))
    }
    let early = settings.representation.materialization.handsOutEarly
    let need = early ? Need(range: range, isByName: false) : .version
    return react(.read, to: node, item.node, caller, need: need) { [self] in
      if let content = materializer.contentHolding(range, of: key) {
        return .success(.file(content, range))
      }
      return Result { () throws(Errno) in try source(range, item) }
    }
  }

  /// The bytes of a version that is here; its file is opened once for each handle.
  private func source(_ range: ByteRange, _ item: OpenItem) throws(Errno) -> ReadSource {
    if let content = item.content { return .file(content, range) }
    let key = ContentKey(inode: item.node.inode, serial: item.contentSerial)
    do throws(Errno) {
      let content = try materializer.content.openExisting(key)
      let size = try content.size()
      // Zeros in place of what is missing would be taken for content.
      guard range.end <= size else { throw .io }
      if item.size <= size { table.withLock { $0.keep(content, for: item.identifier) } }
      return .file(content, range)
    } catch {
      guard error == .noSuchFile else { throw error }
      // The file of a version that was replaced is gone with it; any other one should be there.
      let isPresent = node(item.node)?.entry.contentSerial == item.contentSerial
      throw isPresent ? .io : .stale
    }
  }

  /// The content file of an open document that is here, for reading without the drive.
  public func contentFile(of handle: HandleIdentifier) -> ContentFile? {
    guard let item = table.withLock({ $0.handles[handle] }) else { return nil }
    if let content = item.content { return content }
    let key = ContentKey(inode: item.node.inode, serial: item.contentSerial)
    guard let content = try? materializer.content.openExisting(key),
      let size = try? content.size(), item.size <= size
    else { return nil }
    table.withLock { $0.keep(content, for: handle) }
    return content
  }
}

extension Materializer {
  /// The content file of a running transfer, if it holds the range and may hand it out.
  func contentHolding(_ range: ByteRange, of key: ContentKey) -> ContentFile? {
    guard settings.representation.materialization.handsOutEarly else { return nil }
    let running = state.withLock { state -> ContentFile? in
      guard let flight = state.flights[key], flight.ranges.contains(range) else { return nil }
      return flight.content
    }
    if let running { return running }
    // Between transfers the catalog tells what is here.
    guard let entry = (try? catalog.entry(of: key.inode)) ?? nil,
      entry.contentSerial == key.serial, entry.residency == .partial,
      let saved = try? catalog.savedRanges(of: key.inode), saved.contains(range)
    else { return nil }
    guard let file = try? content.openExisting(key), let size = try? file.size(), range.end <= size
    else { return nil }
    return file
  }
}
