internal import Cloud
internal import Platform

/// A change by a program on this device that can be made again from what the redo log says of it.
///
/// The same operation upon the same state, with the same numbers and at the same time, has the same
/// effect: nothing else may decide what it does.
enum LocalOperation: Hashable, Sendable {
  case create(
    FileName, in: InodeNumber, kind: ItemKind, permissions: UInt16, target: [UInt8]?,
    covering: Bool)
  case remove(FileName, in: InodeNumber, asFolder: Bool)
  case rename(Position, to: Position, RenameMode, keepsIdentity: Bool)
  case beginWriting(InodeNumber, emptied: Bool)
  case endWriting(InodeNumber, size: Int64, modified: Timestamp, stillWriting: Bool)
  case set(InodeNumber, size: Int64?, modified: Timestamp?, permissions: UInt16?)
}

extension Transaction {
  /// Makes a change again.
  ///
  /// - Returns: why it is not possible; nil when it was done.
  mutating func repeating(_ operation: LocalOperation) throws(CatalogError) -> Errno? {
    switch operation {
    case .create(let name, let parent, let kind, let permissions, let target, let covering):
      try create(
        name, in: parent, kind: kind, permissions: permissions, target: target, covering: covering
      ).refusal
    case .remove(let name, let parent, let asFolder):
      try remove(name, in: parent, asFolder: asFolder).refusal
    case .rename(let old, let new, let mode, let keepsIdentity):
      try rename(old, to: new, mode, keepsIdentity: keepsIdentity).refusal
    case .beginWriting(let inode, let emptied):
      try beginWriting(inode, emptied: emptied).refusal
    case .endWriting(let inode, let size, let modified, let stillWriting):
      try endWriting(inode, size: size, modified: modified, stillWriting: stillWriting).refusal
    case .set(let inode, let size, let modified, let permissions):
      try set(inode, size: size, modified: modified, permissions: permissions).refusal
    }
  }
}

extension Result where Failure == Errno {
  fileprivate var refusal: Errno? {
    if case .failure(let error) = self { error } else { nil }
  }
}
