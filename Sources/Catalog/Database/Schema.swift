/// The tables of a catalog and their format number.
///
/// - `items`: one row for each item that the device knows. `parent` of the root is 0. `permissions` is
///   NULL where the cloud keeps none. `residency` is about content, so only files have one that is not 0.
///   `hidden` is 1 while another item shows under the same name of the same folder (see `Revision`).
/// - `ranges`: the bytes that are here of a partial item, as pairs of offset and count.
/// - `counters`: one row; the next inode number, content serial, and sequence number of a local change,
///   and the number of the commit after which the redo log counts.
/// - `pending`: what of an item is not in the cloud yet (`PendingParts`). Meanwhile the versions in `items`
///   are the base version: what the cloud had.
/// - `deletions`: what the cloud still has and the device does not.
/// - `sendings`: calls to the cloud of which nobody knows whether it has taken them (`Sending`).
/// - `xattrs`: extended attributes, which are the device's own.
/// - `pins`: what a user said of keeping an item on the device (`Pin`).
/// - `state`, `settings`: texts by name, the catalog's own and its user's.
enum Schema {
  /// The format that this code writes and reads (`user_version`).
  static var format: Int { steps.count }
  /// Tells a catalog from other databases (`application_id`): "FxDC".
  static let application = 0x4678_4443

  /// What leads from each format to the next; a new catalog takes all of them.
  static let steps = [items, localChanges, deletionOrder, sendings, commits, pins]

  private static let items = """
    CREATE TABLE items (
      inode INTEGER PRIMARY KEY,
      parent INTEGER NOT NULL,
      kind INTEGER NOT NULL CHECK (kind IN (0, 1, 2)),
      size INTEGER NOT NULL,
      modified INTEGER NOT NULL, modified_ns INTEGER NOT NULL,
      created INTEGER NOT NULL, created_ns INTEGER NOT NULL,
      changed INTEGER NOT NULL, changed_ns INTEGER NOT NULL,
      permissions INTEGER,
      residency INTEGER NOT NULL CHECK (residency IN (0, 1, 2)),
      populated INTEGER NOT NULL,
      serial INTEGER NOT NULL,
      epoch INTEGER NOT NULL,
      hidden INTEGER NOT NULL,
      name BLOB,
      item TEXT NOT NULL,
      content_version TEXT NOT NULL,
      metadata_version TEXT NOT NULL,
      checksum BLOB,
      target BLOB
    ) STRICT;
    CREATE UNIQUE INDEX items_by_identifier ON items (item);
    CREATE UNIQUE INDEX items_by_name ON items (parent, name) WHERE hidden = 0;
    CREATE INDEX items_hidden ON items (parent, name) WHERE hidden = 1;
    CREATE INDEX items_by_parent ON items (parent);
    CREATE INDEX items_with_content ON items (inode) WHERE residency > 0;
    CREATE TABLE ranges (
      inode INTEGER PRIMARY KEY,
      bytes INTEGER NOT NULL,
      ranges BLOB NOT NULL
    ) STRICT;
    CREATE TABLE counters (inode INTEGER NOT NULL, serial INTEGER NOT NULL) STRICT;
    CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    """

  private static let localChanges = """
    CREATE TABLE pending (
      inode INTEGER PRIMARY KEY,
      sequence INTEGER NOT NULL,
      parts INTEGER NOT NULL CHECK (parts > 0),
      writing INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      error TEXT,
      not_before INTEGER, not_before_ns INTEGER
    ) STRICT;
    CREATE INDEX pending_by_sequence ON pending (sequence);
    CREATE TABLE deletions (
      item TEXT PRIMARY KEY,
      sequence INTEGER NOT NULL,
      content_version TEXT NOT NULL,
      metadata_version TEXT NOT NULL,
      kind INTEGER NOT NULL,
      parent INTEGER NOT NULL,
      name BLOB NOT NULL,
      attempts INTEGER NOT NULL,
      error TEXT,
      not_before INTEGER, not_before_ns INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE xattrs (
      inode INTEGER NOT NULL,
      name BLOB NOT NULL,
      value BLOB NOT NULL,
      PRIMARY KEY (inode, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER items_gone AFTER DELETE ON items BEGIN
      DELETE FROM pending WHERE inode = old.inode;
      DELETE FROM xattrs WHERE inode = old.inode;
    END;
    ALTER TABLE counters ADD COLUMN sequence INTEGER NOT NULL DEFAULT 1;
    """

  /// The names of everything that the steps make.
  static let names: Set<String> = {
    var names: Set<String> = []
    for line in steps.joined(separator: "\n").split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.first == "CREATE", let kind = words.firstIndex(where: kinds.contains) else {
        continue
      }
      names.insert(String(words[kind + 1]))
    }
    return names
  }()
  private static let kinds: [Substring] = ["TABLE", "INDEX", "TRIGGER"]
  /// Thousands may be pending after `rm -r`, and are asked for by their order and by their names.
  private static let deletionOrder = """
    CREATE INDEX deletions_by_sequence ON deletions (sequence);
    CREATE INDEX deletions_by_name ON deletions (parent, name);
    """

  private static let sendings = """
    CREATE TABLE sendings (
      inode INTEGER PRIMARY KEY,
      sequence INTEGER NOT NULL,
      parts INTEGER NOT NULL CHECK (parts > 0),
      item TEXT NOT NULL,
      content_version TEXT NOT NULL,
      folder TEXT NOT NULL,
      name BLOB NOT NULL,
      kind INTEGER NOT NULL,
      size INTEGER NOT NULL,
      modified INTEGER NOT NULL, modified_ns INTEGER NOT NULL,
      permissions INTEGER NOT NULL,
      checksum BLOB,
      metadata_version TEXT NOT NULL,
      target BLOB
    ) STRICT;
    """

  private static let pins = """
    CREATE TABLE pins (inode INTEGER PRIMARY KEY, state TEXT NOT NULL) STRICT;
    CREATE TRIGGER pins_gone AFTER DELETE ON items BEGIN
      DELETE FROM pins WHERE inode = old.inode;
    END;
    """

  private static let commits = "ALTER TABLE counters ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;"

  /// How each connection works.
  ///
  /// - `journal_mode = WAL`: readers never wait for the writer.
  /// - `synchronous = NORMAL`: a commit writes the log without waiting for the disk, so that a killed
  ///   process loses nothing; a power cut may lose the last transactions, but never the file.
  /// - `wal_autocheckpoint = 0`: the `Checkpointer` does it, when no reader is in the way.
  /// - `secure_delete = OFF`: some systems' SQLite overwrites deleted rows, which costs and helps nobody here.
  static let connectionPragmas = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = 16777216;
    PRAGMA mmap_size = 1073741824;
    PRAGMA cache_size = -4096;
    PRAGMA secure_delete = OFF;
    PRAGMA temp_store = MEMORY;
    """

  /// What the writer has beyond that: room for the pages of a large transaction, which would otherwise
  /// be written several times. It is used only then, and given back.
  static let writerPragmas = connectionPragmas + "PRAGMA cache_size = -65536;"
}
