extension Query {
  /// The columns of a `PendingItem`, in the order in which it reads them.
  private static let pending =
    "inode, parts, sequence, writing, attempts, error, not_before, not_before_ns"
  private static let deletion = """
    sequence, item, content_version, metadata_version, kind, parent, name, attempts, error, \
    not_before, not_before_ns
    """
  /// The columns of a `Sending`, in the order in which it reads them.
  private static let sending = """
    inode, sequence, parts, item, content_version, folder, name, kind, size, modified, modified_ns, \
    permissions, checksum, metadata_version, target
    """
  /// A local change is a reason to try again at once.
  private static let fresh =
    "attempts = 0, error = NULL, not_before = NULL, not_before_ns = NULL"

  /// The text of what local changes need.
  var localSQL: String? {
    placeSQL ?? pendingSQL ?? deletionSQL ?? sendingSQL ?? xattrSQL ?? pinSQL
  }

  // No statement names a column that it does not mean to change: SQLite rewrites its indices.
  private var placeSQL: String? {
    switch self {
    case .shownEntry:
      """
      SELECT \(Self.entry), (SELECT parts FROM pending WHERE pending.inode = items.inode)
      FROM items WHERE inode = ?1 AND hidden = 0
      """
    case .hasChildren: "SELECT 1 FROM items INDEXED BY items_by_parent WHERE parent = ?1 LIMIT 1"
    case .hiddenOfName:
      """
      SELECT inode FROM items INDEXED BY items_hidden
      WHERE parent = ?1 AND name = ?2 AND hidden = 1 ORDER BY inode LIMIT 1
      """
    case .show: "UPDATE items SET hidden = 0 WHERE inode = ?1"
    case .setName: "UPDATE items SET name = ?2, changed = ?3, changed_ns = ?4 WHERE inode = ?1"
    case .setPlace:
      "UPDATE items SET name = ?2, changed = ?3, changed_ns = ?4, parent = ?5 WHERE inode = ?1"
    case .setChanged: "UPDATE items SET changed = ?2, changed_ns = ?3 WHERE inode = ?1"
    case .touchFolder:
      """
      UPDATE items SET modified = ?2, modified_ns = ?3, changed = ?2, changed_ns = ?3
      WHERE inode = ?1
      """
    case .setAttributes:
      """
      UPDATE items SET size = ?2, modified = ?3, modified_ns = ?4, changed = ?5, changed_ns = ?6,
        permissions = ifnull(?7, permissions)
      WHERE inode = ?1
      """
    case .setEmptied:
      """
      UPDATE items SET size = 0, serial = ?2, modified = ?3, modified_ns = ?4, changed = ?3,
        changed_ns = ?4
      WHERE inode = ?1
      """
    case .setIdentity:
      """
      UPDATE items SET item = ?2, content_version = ?3, metadata_version = ?4, checksum = ?5
      WHERE inode = ?1
      """
    case .setItem: "UPDATE items SET item = ?2 WHERE inode = ?1"
    default: nil
    }
  }

  private var pendingSQL: String? {
    switch self {
    case .partsOfInode: "SELECT parts FROM pending WHERE inode = ?1"
    // An item that the cloud does not have has no place there either (1 is `created`, 8 is `place`).
    case .notePending:
      """
      INSERT INTO pending (inode, sequence, parts, writing, attempts)
      VALUES (?1, ?2, ?3, ifnull(?4, 0), 0)
      ON CONFLICT (inode) DO UPDATE SET sequence = ?2, parts = parts | (?3 & ~((parts & 1) * 8)),
        writing = ifnull(?4, writing), \(Self.fresh)
      """
    case .replacePending:
      """
      INSERT INTO pending (inode, sequence, parts, writing, attempts) VALUES (?1, ?2, ?3, 0, 0)
      ON CONFLICT (inode) DO UPDATE SET sequence = ?2, parts = ?3, \(Self.fresh)
      """
    case .setParts: "UPDATE pending SET parts = ?2, \(Self.fresh) WHERE inode = ?1"
    case .deletePending: "DELETE FROM pending WHERE inode = ?1"
    case .pendingAfter:
      "SELECT \(Self.pending) FROM pending WHERE sequence > ?1 ORDER BY sequence LIMIT ?2"
    case .pendingOfInode: "SELECT \(Self.pending) FROM pending WHERE inode = ?1"
    case .writingEntries:
      """
      SELECT \(Self.entry) FROM pending CROSS JOIN items USING (inode)
      WHERE writing = 1 ORDER BY sequence
      """
    case .pendingCounts:
      """
      SELECT (SELECT count(*) FROM pending)
          + (SELECT count(*) FROM sendings WHERE inode NOT IN (SELECT inode FROM pending)),
        (SELECT count(*) FROM deletions),
        (SELECT count(*) FROM pending WHERE attempts > 0)
          + (SELECT count(*) FROM deletions WHERE attempts > 0)
      """
    case .pendingFailed:
      """
      UPDATE pending SET attempts = attempts + 1, error = ?2, not_before = ?3, not_before_ns = ?4
      WHERE inode = ?1
      """
    case .hasPending: "SELECT 1 FROM pending LIMIT 1"
    case .journalRow:
      """
      SELECT \(Self.stored), parts, sequence, writing
      FROM items LEFT JOIN pending USING (inode) WHERE inode = ?1
      """
    case .pendingInodes: "SELECT inode FROM pending ORDER BY sequence"
    // 8 is `place`.
    case .pendingMove:
      "SELECT \(Self.pending) FROM pending WHERE parts & 8 AND inode != ?1 ORDER BY sequence LIMIT 1"
    default: nil
    }
  }

  private var deletionSQL: String? {
    switch self {
    case .noteDeletion:
      """
      INSERT OR REPLACE INTO deletions
        (item, sequence, content_version, metadata_version, kind, parent, name, attempts)
      SELECT item, ?2, content_version, metadata_version, kind, parent, name, 0 FROM items
      WHERE inode = ?1
        AND NOT EXISTS (SELECT 1 FROM pending WHERE pending.inode = ?1 AND parts & 1)
      """
    case .insertDeletion:
      """
      INSERT OR REPLACE INTO deletions
        (item, sequence, content_version, metadata_version, kind, parent, name, attempts)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)
      """
    case .moveDeletion:
      "UPDATE deletions SET content_version = ?2, metadata_version = ?3 WHERE item = ?1"
    case .deleteDeletion: "DELETE FROM deletions WHERE item = ?1"
    case .deletionFailed:
      """
      UPDATE deletions SET attempts = attempts + 1, error = ?2, not_before = ?3, not_before_ns = ?4
      WHERE item = ?1
      """
    case .deletionsAfter:
      "SELECT \(Self.deletion) FROM deletions WHERE sequence > ?1 ORDER BY sequence LIMIT ?2"
    case .deletionOfName:
      """
      SELECT \(Self.deletion) FROM deletions WHERE parent = ?1 AND name = ?2 ORDER BY sequence LIMIT 1
      """
    case .hasDeletion: "SELECT 1 FROM deletions WHERE item = ?1"
    case .hasAnyDeletion: "SELECT 1 FROM deletions LIMIT 1"
    case .hasOtherDeletion: "SELECT 1 FROM deletions WHERE item != ?1 LIMIT 1"
    default: nil
    }
  }

  private var sendingSQL: String? {
    switch self {
    case .noteSending:
      """
      INSERT OR REPLACE INTO sendings (inode, sequence, parts, item, content_version, folder, name, kind,
        size, modified, modified_ns, permissions, checksum, metadata_version, target)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
      """
    case .deleteSending: "DELETE FROM sendings WHERE inode = ?1"
    case .sendings: "SELECT \(Self.sending) FROM sendings ORDER BY sequence"
    case .sendingOfInode: "SELECT \(Self.sending) FROM sendings WHERE inode = ?1"
    default: nil
    }
  }

  private var xattrSQL: String? {
    switch self {
    case .xattr: "SELECT value FROM xattrs WHERE inode = ?1 AND name = ?2"
    case .xattrNames: "SELECT name FROM xattrs WHERE inode = ?1 ORDER BY name"
    case .setXattr: "INSERT OR REPLACE INTO xattrs (inode, name, value) VALUES (?1, ?2, ?3)"
    case .deleteXattr: "DELETE FROM xattrs WHERE inode = ?1 AND name = ?2"
    case .copyXattrs:
      "INSERT INTO xattrs (inode, name, value) SELECT ?2, name, value FROM xattrs WHERE inode = ?1"
    default: nil
    }
  }

  private var pinSQL: String? {
    switch self {
    case .setPin: "INSERT OR REPLACE INTO pins (inode, state) VALUES (?1, ?2)"
    case .deletePin: "DELETE FROM pins WHERE inode = ?1"
    case .pinAbove:
      """
      WITH RECURSIVE above (inode, distance) AS (
        SELECT ?1, 0
        UNION ALL
        SELECT items.parent, distance + 1 FROM above JOIN items USING (inode)
        WHERE items.parent > 0 AND distance < 65536)
      SELECT state, distance FROM above JOIN pins USING (inode) ORDER BY distance LIMIT 1
      """
    case .hasPins: "SELECT 1 FROM pins LIMIT 1"
    case .pinnedItems: "SELECT inode FROM pins WHERE state = ?1 ORDER BY inode"
    default: nil
    }
  }
}
