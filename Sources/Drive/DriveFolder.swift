import Catalog
import Cloud
public import Platform

/// One line of a folder's listing.
public struct ListedItem: Sendable {
  /// What a look-up would have found; nil for `.` and `..`.
  public let found: Found?
  /// The inode number.
  public let inode: InodeNumber
  /// Where a listing goes on behind this line.
  public let cookie: UInt64
}

extension Drive {
  private static let dotCookie: UInt64 = 1
  private static let dotDotCookie: UInt64 = 2

  /// Lists a folder from behind a cookie, until `append` says that the reply is full (READDIR).
  ///
  /// A cookie is the inode number of the line before it, so a listing goes on rightly whatever was
  /// deleted meanwhile, and after a restart. With `countingLookups` every line but `.` and `..` counts
  /// as a look-up (READDIRPLUS).
  /// - Returns: why it failed, if it did.
  public func list(
    _ id: NodeID, after cookie: UInt64, countingLookups: Bool,
    _ append: (borrowing Span<UInt8>, ListedItem) -> Bool
  ) -> Errno? {
    guard let folder = row(of: id) else { return .stale }
    if cookie < Self.dotCookie, !dot(".", folder, Self.dotCookie, append) { return nil }
    let above = (try? catalog.entry(of: folder.parent)) ?? nil ?? folder
    if cookie < Self.dotDotCookie, !dot("..", above, Self.dotDotCookie, append) { return nil }
    var last = InodeNumber(rawValue: max(cookie, Self.dotDotCookie))
    var isDone = false
    while !isDone {
      let readAt = table.withLock { $0.generation }
      isDone = true
      do {
        try catalog.forEachChild(of: folder.inode, after: last) { entry, name in
          switch line(entry, name, readAt, countingLookups, append) {
          case .appended:
            last = entry.inode
            return true
          case .full: return false
          case .outdated:
            isDone = false
            return false
          }
        }
      } catch {
        return .io
      }
    }
    return nil
  }

  private enum Line { case appended, full, outdated }

  private func line(
    _ entry: Entry, _ name: borrowing Span<UInt8>, _ readAt: UInt64, _ counts: Bool,
    _ append: (borrowing Span<UInt8>, ListedItem) -> Bool
  ) -> Line {
    let hidden = isHidden(entry) ? stubName(of: name, in: entry.parent) : nil
    let id = NodeID(inode: entry.inode, epoch: entry.epoch, isStub: hidden != nil)
    var node = Node(entry: entry)
    if counts {
      guard let known = table.withLock({ $0.remember(id, entry, readAt: readAt) }) else {
        return .outdated
      }
      node = known
    }
    let item = ListedItem(
      found: found(id, node), inode: entry.inode, cookie: entry.inode.rawValue)
    let fits = hidden.map { append($0.bytes.span, item) } ?? append(name, item)
    if !fits, counts { forget(id, count: 1) }
    return fits ? .appended : .full
  }

  private func dot(
    _ name: StaticString, _ entry: Entry, _ cookie: UInt64,
    _ append: (borrowing Span<UInt8>, ListedItem) -> Bool
  ) -> Bool {
    let bytes = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    return append(bytes.span, ListedItem(found: nil, inode: entry.inode, cookie: cookie))
  }
}
