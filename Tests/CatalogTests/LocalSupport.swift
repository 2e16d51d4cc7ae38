import Catalog
import Cloud
import Platform
import Testing

extension Catalog {
  @discardableResult
  func make(
    _ text: String, in parent: InodeNumber = .root, _ kind: ItemKind = .file,
    target: [UInt8]? = nil
  ) throws -> Entry {
    try create(
      name(text), in: parent, kind: kind, permissions: kind == .folder ? 0o755 : 0o640,
      target: target)
  }

  /// A file that was written and closed.
  @discardableResult
  func makeWritten(_ text: String, in parent: InodeNumber = .root, size: Int64 = 5) throws -> Entry
  {
    let entry = try make(text, in: parent)
    return try #require(
      try endWriting(
        entry.inode, size: size, modified: Timestamp(seconds: 77), stillWriting: false))
  }

  func move(
    _ old: String, in parent: InodeNumber = .root, to new: String,
    into newParent: InodeNumber = .root,
    _ mode: RenameMode = .replacing, keepsIdentity: Bool = false
  ) throws -> LocalRename {
    try rename(
      try name(old), in: parent, to: try name(new), in: newParent, mode,
      keepsIdentity: keepsIdentity)
  }

  func unlink(_ text: String, in parent: InodeNumber = .root) throws -> Entry {
    try removeLocal(try name(text), in: parent, asFolder: false)
  }

  func parts(of inode: InodeNumber) throws -> PendingParts? {
    try pendingItem(of: inode)?.parts
  }

  func sequence(of inode: InodeNumber) throws -> UInt64 {
    try #require(try pendingItem(of: inode)).sequence
  }

  /// Makes all of a known file here.
  func fetch(_ item: String) throws -> Entry {
    let entry = try known(item)
    #expect(try publish(entry.inode, contentSerial: entry.contentSerial))
    return try known(item)
  }

  /// Tells that the cloud has all that is pending.
  func finishUpload(_ inode: InodeNumber, as item: Item) throws -> Bool? {
    let pending = try #require(try pendingItem(of: inode))
    return try uploaded(inode, sequence: pending.sequence, parts: pending.parts, as: item)
  }

  func deletions() throws -> [String] {
    try pendingDeletions(limit: 100).map(\.item.rawValue)
  }

  /// What the catalog's rows look like to somebody who looks at every one.
  func expectEntry(
    _ entry: Entry, named text: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try self.entry(of: entry.inode) == entry, sourceLocation: location)
    let bytes = Array(text.utf8)
    let found = try self.entry(named: bytes.span, in: entry.parent)
    #expect(found == entry, sourceLocation: location)
  }
}

/// Runs something that must be refused.
func expectRefusal(
  _ errno: Errno, _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
  do {
    try body()
    Issue.record("it was done, not refused with \(errno)", sourceLocation: location)
  } catch {
    let refusal = error as? LocalChangeError
    #expect(refusal == .refused(errno), sourceLocation: location)
  }
}
