import Catalog
import Cloud
import Glibc
import Platform

/// What the drive remembers of a node for as long as the kernel knows it or has it open.
struct Node: Sendable {
  /// The catalog's row; for a node that a newer version has replaced, as it was then.
  var entry: Entry
  /// How often the kernel was given this node, less what it forgot.
  var lookupCount: UInt64 = 0
  /// Open handles, of files and folders.
  var openCount: UInt32 = 0
  /// Of these, how many bypass the page cache.
  var directCount: UInt32 = 0
  /// Of these, how many go to the content file without us.
  var passthroughCount: UInt32 = 0
  /// Which processes have opened it, each with its handles; only where that matters for the ledger.
  var openers: [pid_t: UInt32] = [:]
  /// Of the open handles, how many may write.
  var writerCount: UInt32 = 0
  /// Whether the catalog knows that the document is being written; `entry` then tells more than its row.
  var isWriting = false
  /// Whether a name leads here; false after a newer version took its place, or its removal.
  var isCurrent = true
  /// Whether the item is gone; those who have it open keep it.
  var isRemoved = false

  /// Whether its version was replaced when it was here, and stays here until the kernel forgets the node.
  var keepsContent = false

  /// Whether an open may come to this node: its version is the name's, or is here all the same. Who
  /// looked up the name before the change is then served as if he had opened it before.
  var isOpenable: Bool { isCurrent || openCount > 0 || keepsContent }

  /// Whether bytes may be written without telling the catalog first.
  var isReadyToWrite: Bool { isWriting || isRemoved }

  /// A newer version took its place, or it was removed.
  ///
  /// - Returns: whether its content is of no use any more.
  mutating func retire() -> Bool {
    isCurrent = false
    keepsContent = entry.kind == .file && entry.residency == .materialized
    return !keepsContent && openCount == 0
  }

  /// INVARIANT: a node is in the table only while the kernel may still name it.
  ///
  /// Or while it knows more of a document than the catalog, where the last close could not be noted.
  var isNeeded: Bool { lookupCount > 0 || openCount > 0 || (isWriting && !isRemoved) }
}
