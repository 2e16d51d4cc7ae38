internal import Cloud
internal import Platform

extension Row {
  /// A row for an item that the device has not known.
  init(_ item: Item, inode: InodeNumber, parent: InodeNumber, serial: UInt64, now: Timestamp) {
    let permissions = item.permissions.map { $0 & 0o7777 }
    entry = Entry(
      inode: inode, parent: parent, kind: item.kind, size: item.size, modified: item.modified,
      created: item.created, changed: now,
      permissions: permissions ?? item.kind.defaultPermissions,
      residency: Entry.residency(of: item.kind, isPopulated: false), isPopulated: false,
      contentSerial: serial, epoch: 0)
    name = item.name
    self.item = item.identifier
    version = item.version
    checksum = item.checksum
    target = item.target
    self.permissions = permissions
    isHidden = false
  }

  /// Takes over what the cloud says now. Other content makes a file dataless, with a new serial.
  mutating func update(
    with item: Item, parent: InodeNumber, now: Timestamp, nextSerial: () -> UInt64
  ) {
    let old = self
    // A cloud that keeps none does not take away what a program has set here.
    permissions = item.permissions.map { $0 & 0o7777 } ?? permissions
    entry.permissions = permissions ?? entry.kind.defaultPermissions
    entry.modified = item.modified
    entry.created = item.created
    if name != nil {
      entry.parent = parent
      name = item.name ?? name
    }
    if entry.kind != .folder, isOtherContent(item) {
      entry.size = item.size
      entry.contentSerial = nextSerial()
      entry.residency = Entry.residency(of: entry.kind, isPopulated: false)
    }
    // The cloud's date of creation, which an upload brings back, is nothing that a program sees change.
    var seen = old.entry
    seen.created = entry.created
    if entry != seen || name != old.name { entry.changed = now }
    version = item.version
    checksum = item.checksum
    target = item.target
  }

  private func isOtherContent(_ item: Item) -> Bool {
    item.version.content != version.content || item.size != entry.size || item.target != target
  }

  /// Takes the name away; content of an item that nobody can name is of no use.
  mutating func hide(nextSerial: () -> UInt64) {
    isHidden = true
    guard entry.kind == .file, entry.residency != .dataless else { return }
    entry.residency = .dataless
    entry.contentSerial = nextSerial()
  }
}
