public import Platform

/// Why a change that a program made on the device was not done.
///
/// Nothing has changed then.
public enum LocalChangeError: Error, Hashable, Sendable {
  /// What the program asked for is not possible, as the system call's page says.
  case refused(Errno)
  /// The catalog could not be read or written.
  case catalog(CatalogError)
}

/// What a rename does with an item that has the new name already, as in renameat2(2).
public enum RenameMode: Hashable, Sendable {
  /// It goes.
  case replacing
  /// The rename is refused (RENAME_NOREPLACE).
  case noReplace
  /// The two exchange their places (RENAME_EXCHANGE).
  case exchange
}

/// What a rename has changed.
public struct LocalRename: Hashable, Sendable {
  /// The item now.
  public let moved: Entry
  /// The item before.
  public let previous: Entry
  /// The item that had the new name and is gone.
  public let replaced: Entry?
  /// The item that has the old name now, after an exchange.
  public let exchanged: Entry?

  /// Describes a rename.
  public init(moved: Entry, previous: Entry, replaced: Entry? = nil, exchanged: Entry? = nil) {
    self.moved = moved
    self.previous = previous
    self.replaced = replaced
    self.exchanged = exchanged
  }
}

/// What became of an item whose local content lost a race.
public struct LocalConflict: Hashable, Sendable {
  /// The item with its local content, before.
  public let original: Entry
  /// The item as the cloud says, dataless.
  public let now: Entry
  /// The new item that has the local content.
  public let copy: Entry
  /// What is different of the original item, and of others whose names that concerns.
  public let changes: [CatalogChange]

  /// Describes a conflict.
  public init(original: Entry, now: Entry, copy: Entry, changes: [CatalogChange]) {
    self.original = original
    self.now = now
    self.copy = copy
    self.changes = changes
  }
}
