internal import Cloud
internal import Platform

extension Sending {
  /// Appends the fields of its line.
  func write(to bytes: inout [UInt8]) {
    JournalText.append(
      [
        .tag("S"), .number(inode.rawValue), .number(sequence), .number(UInt64(parts.rawValue)),
        .text(item.rawValue), .text(base.content), .text(base.metadata), .text(folder.rawValue),
        .bytes(name.bytes), .number(UInt64(bitPattern: kind.stored)),
        .number(UInt64(bitPattern: size)), .time(modified), .number(UInt64(permissions)),
        .optional(checksum?.sha256), .optional(target),
      ], to: &bytes)
  }

  /// Reads the fields of its line; nil when one is wrong.
  init?(_ fields: inout JournalFields) {
    guard let inode = fields.number(), let sequence = fields.number(), let parts = fields.number(),
      let item = fields.text(), let content = fields.text(), let metadata = fields.text(),
      let folder = fields.text(), let name = fields.bytes().flatMap({ FileName($0) }),
      let kind = fields.number().flatMap({ ItemKind(stored: Int64(bitPattern: $0)) }),
      let size = fields.number(), let modified = fields.time(),
      let permissions = fields.number(), let checksum = fields.optional(),
      let target = fields.optional()
    else { return nil }
    self.init(
      inode: InodeNumber(rawValue: inode), sequence: sequence,
      parts: PendingParts(rawValue: UInt8(truncatingIfNeeded: parts)),
      item: ItemIdentifier(rawValue: item),
      base: ItemVersion(content: content, metadata: metadata),
      folder: ItemIdentifier(rawValue: folder), name: name, kind: kind,
      size: Int64(bitPattern: size), modified: modified,
      permissions: UInt16(truncatingIfNeeded: permissions),
      checksum: checksum.map(Checksum.init(sha256:)), target: target)
  }
}
