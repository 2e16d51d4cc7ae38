/// Every statement that is run more than once; each connection prepares one when it first needs it.
enum Query: Int, CaseIterable {
  case begin, beginImmediate, commit, rollback
  case entryOfInode, entryOfName, children, details, inodeOfItem, parentAndName
  case rowOfInode, rowOfItem, childRows, rowsOfName, hiddenRowsOfName
  case insert, update, place, setContent, hide, delete
  case publish, setResidency, evict, withContent, residency, counts, populatedFolders
  case ranges, saveRanges, deleteRanges
  // Local changes; their texts are in a file of their own.
  case shownEntry, hasChildren, hiddenOfName, show, setName, setPlace, setChanged, touchFolder
  case setAttributes, setEmptied, setIdentity, setItem
  case partsOfInode, notePending, replacePending, setParts, deletePending
  case pendingAfter, pendingOfInode, writingEntries, pendingCounts, pendingFailed, hasPending,
    pendingMove
  case noteDeletion, insertDeletion, moveDeletion, deleteDeletion, deletionFailed
  case deletionsAfter, deletionOfName, hasDeletion, hasAnyDeletion, hasOtherDeletion
  case journalRow, pendingInodes
  case noteSending, deleteSending, sendings, sendingOfInode
  case setPin, deletePin, pinAbove, pinnedItems, hasPins
  case xattr, xattrNames, setXattr, deleteXattr, copyXattrs
  case counters, setCounters, commits, setCommits, state, setState, setting, setSetting,
    deleteSetting

  /// The columns of an `Entry`, in the order in which it reads them.
  static let entry = """
    inode, parent, kind, size, modified, modified_ns, created, created_ns, changed, changed_ns, \
    permissions, residency, populated, serial, epoch
    """
  /// The columns that `Row` writes.
  static let stored =
    entry + ", name, item, content_version, metadata_version, checksum, target, hidden"
  /// The columns that `Row` reads.
  private static let row =
    stored + ", (SELECT parts FROM pending WHERE pending.inode = items.inode)"

  /// The text.
  var sql: String {
    transactionSQL ?? readingSQL ?? rowSQL ?? contentSQL ?? stateSQL ?? localSQL ?? ""
  }

  private var transactionSQL: String? {
    switch self {
    case .begin: "BEGIN"
    case .beginImmediate: "BEGIN IMMEDIATE"
    case .commit: "COMMIT"
    case .rollback: "ROLLBACK"
    default: nil
    }
  }

  private var readingSQL: String? {
    switch self {
    case .entryOfInode: "SELECT \(Self.entry) FROM items WHERE inode = ?1"
    case .entryOfName:
      "SELECT \(Self.entry) FROM items WHERE parent = ?1 AND name = ?2 AND hidden = 0"
    case .children:
      """
      SELECT \(Self.entry), name FROM items INDEXED BY items_by_parent
      WHERE parent = ?1 AND inode > ?2 AND hidden = 0 ORDER BY inode
      """
    case .details:
      "SELECT item, content_version, metadata_version, checksum, name, target FROM items WHERE inode = ?1"
    case .inodeOfItem: "SELECT inode FROM items WHERE item = ?1"
    case .parentAndName: "SELECT parent, name FROM items WHERE inode = ?1"
    default: nil
    }
  }

  private var rowSQL: String? {
    switch self {
    case .rowOfInode: "SELECT \(Self.row) FROM items WHERE inode = ?1"
    case .rowOfItem: "SELECT \(Self.row) FROM items WHERE item = ?1"
    case .childRows: "SELECT \(Self.row) FROM items WHERE parent = ?1 ORDER BY inode"
    case .rowsOfName:
      "SELECT \(Self.row) FROM items WHERE parent = ?1 AND name = ?2 AND hidden = 0"
    case .hiddenRowsOfName:
      "SELECT \(Self.row) FROM items WHERE parent = ?1 AND name = ?2 AND hidden = 1 ORDER BY inode"
    case .insert:
      """
      INSERT INTO items (\(Self.stored)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,
        ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)
      """
    case .update:
      """
      UPDATE items SET size = ?4, modified = ?5, modified_ns = ?6, created = ?7, created_ns = ?8,
        changed = ?9, changed_ns = ?10, permissions = ?11, populated = ?13, serial = ?14,
        epoch = ?15, content_version = ?18, metadata_version = ?19, checksum = ?20, target = ?21
      WHERE inode = ?1
      """
    // Apart, since SQLite rewrites the index of every column that is named, changed or not.
    case .place: "UPDATE items SET parent = ?2, name = ?3, hidden = ?4 WHERE inode = ?1"
    case .setContent: "UPDATE items SET residency = ?2 WHERE inode = ?1"
    case .hide: "UPDATE items SET hidden = 1 WHERE inode = ?1"
    case .delete: "DELETE FROM items WHERE inode = ?1"
    default: nil
    }
  }

  private var contentSQL: String? {
    switch self {
    case .publish:
      "UPDATE items SET residency = 2 WHERE inode = ?1 AND serial = ?2 AND kind = 0 AND hidden = 0"
    case .setResidency:
      """
      UPDATE items SET residency = ?3
      WHERE inode = ?1 AND serial = ?2 AND kind = 0 AND residency < 2 AND hidden = 0
      """
    case .evict: "UPDATE items SET residency = 0, serial = ?2, epoch = ?3 WHERE inode = ?1"
    case .withContent:
      """
      SELECT \(Self.entry) FROM items INDEXED BY items_with_content
      WHERE residency > 0 AND inode > ?1 ORDER BY inode LIMIT ?2
      """
    case .populatedFolders:
      "SELECT inode FROM items WHERE kind = 1 AND populated = 1 ORDER BY inode"
    case .residency: "SELECT residency FROM items WHERE inode = ?1 AND serial = ?2 AND kind = 0"
    case .counts:
      """
      SELECT (SELECT count(*) FROM items), count(*) FILTER (WHERE residency = 2),
        count(*) FILTER (WHERE residency = 1),
        ifnull(sum(size) FILTER (WHERE residency = 2), 0),
        (SELECT ifnull(sum(bytes), 0) FROM ranges)
      FROM items INDEXED BY items_with_content WHERE residency > 0
      """
    case .ranges: "SELECT ranges FROM ranges WHERE inode = ?1"
    case .saveRanges: "INSERT OR REPLACE INTO ranges (inode, bytes, ranges) VALUES (?1, ?2, ?3)"
    case .deleteRanges: "DELETE FROM ranges WHERE inode = ?1"
    default: nil
    }
  }

  private var stateSQL: String? {
    switch self {
    case .counters: "SELECT inode, serial, sequence FROM counters"
    case .commits: "SELECT commits FROM counters"
    case .setCommits: "UPDATE counters SET commits = ?1"
    case .setCounters: "UPDATE counters SET inode = ?1, serial = ?2, sequence = ?3"
    case .state: "SELECT value FROM state WHERE key = ?1"
    case .setState: "INSERT OR REPLACE INTO state (key, value) VALUES (?1, ?2)"
    case .setting: "SELECT value FROM settings WHERE key = ?1"
    case .setSetting: "INSERT OR REPLACE INTO settings (key, value) VALUES (?1, ?2)"
    case .deleteSetting: "DELETE FROM settings WHERE key = ?1"
    default: nil
    }
  }
}
