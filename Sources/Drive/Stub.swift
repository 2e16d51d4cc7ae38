import Catalog
import Cloud
import Foundation
import Platform
import Profiles

/// The stand-in file that some representations list in place of a document that is not here.
///
/// It is a small binary property list under another name, as iCloud Drive wrote until about iOS 16:
/// `.name.icloud`. The document's own name does not exist meanwhile.
/// - Fidelity: it shares the document's inode number; Apple's stand-in is a file of its own.
extension Drive {
  /// Whether the row's own name does not exist at present.
  func isHidden(_ entry: Entry) -> Bool {
    guard case .stub = settings.representation.placeholder else { return false }
    return entry.kind == .file && entry.residency != .materialized
  }

  /// The stand-in's name for a document's name; nil when the representation has none.
  ///
  /// One that would be too long, or that another item has, has a mark in it.
  func stubName(of name: borrowing Span<UInt8>, in folder: InodeNumber) -> FileName? {
    guard case .stub(let prefix, let suffix, _) = settings.representation.placeholder,
      let name = FileName(name)
    else { return nil }
    if let plain = FileName(Array(prefix.utf8) + name.bytes + Array(suffix.utf8)),
      !isVisible(plain, in: folder)
    {
      return plain
    }
    let room = FileName.maximumLength - prefix.utf8.count - suffix.utf8.count
    return FileName(
      Array(prefix.utf8) + name.marked(maximum: room).bytes + Array(suffix.utf8))
  }

  private func isVisible(_ name: FileName, in folder: InodeNumber) -> Bool {
    guard let entry = (try? catalog.entry(named: name.bytes.span, in: folder)) ?? nil else {
      return false
    }
    return !isHidden(entry)
  }

  /// The document that is listed under a stand-in's name; nil when the name is not one.
  func hiddenEntry(
    behind name: borrowing Span<UInt8>, in folder: Entry
  ) throws(Errno) -> Entry? {
    guard case .stub(let prefix, let suffix, _) = settings.representation.placeholder,
      let real = Self.strip(name.copied, prefix, suffix)
    else { return nil }
    if let row = try known(real, in: folder) { return isHidden(row.entry) ? row.entry : nil }
    guard real.isMarked, let name = FileName(name) else { return nil }
    return try hiddenEntry(listedAs: name, in: folder.inode)
  }

  /// The document whose stand-in has a marked name, found by looking at all of the folder.
  private func hiddenEntry(
    listedAs name: FileName, in folder: InodeNumber
  ) throws(Errno) -> Entry? {
    var found: Entry?
    do throws(CatalogError) {
      try catalog.forEachChild(of: folder) { entry, own in
        if isHidden(entry), stubName(of: own, in: folder) == name { found = entry }
        return found == nil
      }
    } catch {
      throw error.errno
    }
    return found
  }

  private static func strip(_ name: [UInt8], _ prefix: String, _ suffix: String) -> FileName? {
    guard name.starts(with: prefix.utf8), name.count > prefix.utf8.count + suffix.utf8.count,
      name.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    else { return nil }
    return FileName(name.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count))
  }

  func stubAttributes(of entry: Entry) -> ItemAttributes {
    let size = Int64(stubContent(of: entry).count)
    return ItemAttributes(
      inode: entry.inode, kind: .file, permissions: entry.permissions, links: 1, size: size,
      blocks: (size + 511) / 512, modified: entry.modified, changed: entry.changed,
      created: entry.created, isCacheable: false)
  }

  /// The bytes of the stand-in: name, size and type, as property list.
  func stubContent(of entry: Entry) -> [UInt8] {
    let name = (try? catalog.details(of: entry.inode))??.name?.text ?? ""
    let list: [String: Any] = [
      "NSURLNameKey": name, "NSURLFileSizeKey": entry.size,
      "NSURLFileResourceTypeKey": "NSURLFileResourceTypeRegular",
    ]
    let data = try? PropertyListSerialization.data(
      fromPropertyList: list, format: .binary, options: 0)
    return data.map(Array.init) ?? []
  }

  func openStub(_ id: NodeID, _ node: Node, _ caller: Caller) -> Outcome<OpenedItem> {
    guard case .stub(_, _, let opening) = settings.representation.placeholder else {
      return .failed(.stale)
    }
    let record = begin(.open, id, node.entry, caller)
    // The document may have changed since the kernel learned of its stand-in.
    let entry = (try? catalog.entry(of: id.inode)) ?? nil ?? node.entry
    let key = ContentKey(entry)
    let starts: Starts = contentState(of: key) == .away ? opening : .nothing
    if starts == .content { materializer.start(key, callClass: .open, cause: record) }
    let process = opener(of: node.entry, caller)
    let opened: OpenedItem = table.withLock { table in
      let item = table.open(id, node.entry, .direct, by: process)
      return OpenedItem(handle: item.identifier, route: .direct)
    }
    return recorded(record, started: starts, .ready(opened))
  }

  func readStub(_ range: ByteRange, _ id: NodeID, _ caller: Caller) -> Outcome<ReadSource> {
    guard let entry = row(of: id) else { return .failed(.stale) }
    let content = stubContent(of: entry)
    let range = range.clamped(to: Int64(content.count))
    if range.isEmpty { return .ready(.bytes([])) }
    return recorded(
      begin(.read, id, entry, caller),
      .ready(.bytes(content[Int(range.offset)..<Int(range.end)])))
  }

  /// One name goes and the other comes, in one step for whoever looks.
  func tellStub(of entry: Entry, _ name: FileName, _ caches: any KernelCaches) {
    guard let stub = stubName(of: name.bytes.span, in: entry.parent) else { return }
    let folder = NodeID(inode: entry.parent)
    if isHidden(entry) {
      caches.remove(name, in: folder)
      caches.expire(stub, in: folder)
    } else {
      caches.remove(stub, in: folder)
      caches.expire(name, in: folder)
    }
    caches.invalidate(folder)
  }
}

extension Entry {
  /// The node of the stand-in for the document.
  var stub: NodeID { NodeID(inode: inode, epoch: epoch, isStub: true) }
}
