import Cloud
import Drive
import Fuse
import Glibc
import Platform

/// What the drive tells of an item, in the kernel's terms.
struct NodeView: Sendable {
  private let user: uid_t
  private let group: gid_t

  init(_ settings: DriveSettings) {
    user = settings.user
    group = settings.group
  }

  func attributes(_ item: ItemAttributes) -> Attributes {
    Attributes(
      inode: item.inode, mode: Self.type(of: item.kind) | mode_t(item.permissions),
      linkCount: item.links, user: user, group: group, size: item.size, blocks: item.blocks,
      modificationTime: item.modified, changeTime: item.changed)
  }

  func timed(_ item: ItemAttributes) -> TimedAttributes {
    TimedAttributes(attributes(item), timeout: Self.timeout(item.isCacheable))
  }

  func entry(_ found: Found) -> Entry {
    Entry(
      node: found.node, attributes: attributes(found.attributes),
      entryTimeout: Self.timeout(found.isCacheable),
      attributeTimeout: Self.timeout(found.attributes.isCacheable))
  }

  /// What is local is kept until the drive says otherwise; anything else is asked for at every call.
  static func timeout(_ isCacheable: Bool) -> CacheTimeout { isCacheable ? .forever : .zero }

  static func type(of kind: ItemKind) -> mode_t {
    switch kind {
    case .file: S_IFREG
    case .folder: S_IFDIR
    case .symlink: S_IFLNK
    }
  }
}
