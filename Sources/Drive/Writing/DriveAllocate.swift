import Catalog
import Cloud
import Glibc
import Ledger
public import Platform
import Profiles

extension Drive {
  /// Allocates, punches or zeroes a range (FALLOCATE), as fallocate(2) on the content file does.
  public func allocate(
    _ range: ByteRange, mode: Int32, of handle: HandleIdentifier, _ caller: Caller
  ) -> Outcome<Void> {
    let found = table.withLock { table -> (OpenItem, Node)? in
      guard let item = table.handles[handle], let node = table[item.node] else { return nil }
      return (item, node)
    }
    guard let (item, node) = found, item.isWriter else { return .failed(.badDescriptor) }
    let allocating: @Sendable () -> Result<Void, Errno> = { [self] in
      Result { () throws(Errno) in try allocate(range, mode: mode, item.node) }
    }
    guard node.isReadyToWrite || hasContent(node.entry) else {
      return bring(.write, node, item.node, caller, then: allocating)
    }
    return Outcome<Void>.ready(()).map(allocating)
  }

  private func allocate(_ range: ByteRange, mode: Int32, _ id: NodeID) throws(Errno) {
    try beginWriting(id)
    let file = try writtenFile(of: id)
    try file.allocate(range, mode: mode)
    let size = try file.size()
    table.withLock { $0.resized(id, to: size, at: .now) }
  }

  /// Sets the length of a document (SETATTR with a size; also open(2) with `O_TRUNC`).
  ///
  /// To make a document empty needs nothing of its content, unless the profile wants it.
  ///
  /// - Parameter opening: whether the caller is about to open it for writing, and ends that.
  func truncate(
    _ id: NodeID, to size: Int64, _ caller: Caller, opening: Bool = false
  ) -> Outcome<Void> {
    guard var node = node(id) else { return .failed(.stale) }
    switch node.entry.kind {
    case .folder: return .failed(.isDirectory)
    case .symlink: return .failed(.invalid)
    case .file: break
    }
    guard size >= 0 else { return .failed(.invalid) }
    if size > 0 { node = checked(id, node) }
    guard node.isReadyToWrite || hasContent(node.entry) else {
      return truncateAbsent(node, id, to: size, caller, opening)
    }
    // What is missing of the content is not missed then.
    let isEmptied = size == 0 && !node.isReadyToWrite && damage(of: node.entry) != nil
    let resized = result { () throws(Errno) in
      try resize(id, to: size, emptied: isEmptied, opening)
    }
    return recorded(begin(.truncate, id, node.entry, caller), resized)
  }

  private func truncateAbsent(
    _ node: Node, _ id: NodeID, to size: Int64, _ caller: Caller, _ opening: Bool
  ) -> Outcome<Void> {
    let isEmptied = size == 0
    let resizing: @Sendable () -> Result<Void, Errno> = { [self] in
      let isHere = row(of: id).map { hasContent($0) } ?? false
      return Result { () throws(Errno) in
        try resize(id, to: size, emptied: isEmptied && !isHere, opening)
      }
    }
    guard isEmptied else { return bring(.write, node, id, caller, then: resizing) }
    if settings.representation.placeholder == .none {
      let record = begin(.truncate, id, node.entry, caller)
      return recorded(record, Outcome<Void>.ready(()).map(resizing))
    }
    return react(.truncate, to: node, id, caller, value: resizing)
  }

  private func resize(
    _ id: NodeID, to size: Int64, emptied: Bool, _ opening: Bool
  ) throws(Errno) {
    try changing(.truncate, id) { () throws(Errno) in
      do throws(Errno) {
        try setLength(of: id, to: size, emptied: emptied)
      } catch {
        // Whoever opens it gets the same error, so that nobody is there to end what has begun.
        endWritingIfUnopened(id)
        throw error
      }
      if !opening, let error = endWritingIfUnopened(id) { throw error }
    }
  }

  /// Nobody has it open who would end it.
  @discardableResult
  func endWritingIfUnopened(_ id: NodeID) -> Errno? {
    let isOpen = table.withLock { table in
      let isOpen = (table[id]?.writerCount ?? 0) > 0
      if !isOpen { table.dropWritten(id) }
      return isOpen
    }
    return isOpen ? nil : endWriting(id)
  }

  private func setLength(of id: NodeID, to size: Int64, emptied: Bool) throws(Errno) {
    try beginWriting(id, emptied: emptied)
    // Without content it needs no file, the making of which could fail after the old one has gone.
    if emptied { return }
    let file = try writtenFile(of: id)
    try file.truncate(to: size)
    table.withLock { $0.resized(id, to: size, at: .now) }
  }
}
