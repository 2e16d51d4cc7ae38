public import Platform

/// What became different in a catalog, and therefore in what the kernel may have cached.
///
/// The changes of one transaction are its net effect: an item that was renamed back and forth is not
/// among them. Removals come first, the deepest before its folder; additions come last.
public enum CatalogChange: Hashable, Sendable {
  /// The name is there now, and was not.
  case added(InodeNumber, parent: InodeNumber, name: FileName)
  /// Size or content version are other ones. `new` is dataless, with another content serial.
  case contentChanged(old: Entry, new: Entry, name: FileName)
  /// Times or permissions are other ones.
  case metadataChanged(old: Entry, new: Entry, name: FileName)
  /// The item has another name or folder. Changed metadata is in `new`; changed content is told by a
  /// `contentChanged` of its own.
  case moved(old: Entry, oldName: FileName, new: Entry, newName: FileName)
  /// The name is not there any more. Its content, if any, is of no use: should the item come back
  /// (`added` with the same inode number), it is dataless with another content serial.
  case removed(Entry, name: FileName)
}
