internal import Cloud
public import Platform

extension Catalog {
  /// Makes a file materialized, if the serial is still the item's, and forgets its saved ranges.
  ///
  /// Publishing what is published already succeeds.
  /// - Returns: whether the item is materialized with that serial now; false when another version or an
  ///   eviction came in between, or the item is gone or no file.
  public func publish(
    _ inode: InodeNumber, contentSerial: UInt64
  ) throws(CatalogError) -> Bool {
    try write { transaction throws(CatalogError) in
      let connection = transaction.connection
      try connection.run(.publish) { statement in
        statement.bind(1, inode)
        statement.bind(2, contentSerial)
      }
      guard connection.changes > 0 else { return false }
      try connection.run(.deleteRanges) { $0.bind(1, inode) }
      return true
    }
  }

  /// Remembers which bytes of a file are here, if the serial is still the item's: it becomes partial,
  /// or dataless when the set is empty.
  ///
  /// - Returns: whether it was remembered; false as in `publish`, and for a materialized item.
  public func saveRanges(
    _ ranges: RangeSet, of inode: InodeNumber, contentSerial: UInt64
  ) throws(CatalogError) -> Bool {
    try write { transaction throws(CatalogError) in
      let connection = transaction.connection
      let residency: Residency = ranges.isEmpty ? .dataless : .partial
      try connection.run(.setResidency) { statement in
        statement.bind(1, inode)
        statement.bind(2, contentSerial)
        statement.bind(3, Int64(residency.rawValue))
      }
      guard connection.changes > 0 else { return false }
      guard !ranges.isEmpty else {
        try connection.run(.deleteRanges) { $0.bind(1, inode) }
        return true
      }
      try connection.run(.saveRanges) { statement in
        statement.bind(1, inode)
        statement.bind(2, ranges.byteCount)
        statement.bind(3, ranges.stored)
      }
      return true
    }
  }

  /// The bytes that are here of a partial file; empty for every other item.
  public func savedRanges(of inode: InodeNumber) throws(CatalogError) -> RangeSet {
    try read { connection throws(CatalogError) in
      try connection.first(.ranges) {
        $0.bind(1, inode)
      } _: {
        RangeSet(stored: $0.bytes(0))
      }
        ?? RangeSet()
    }
  }

  /// Makes a file dataless, with a new content serial.
  ///
  /// - Parameter newEpoch: whether the kernel shall know it by another node from now on, because the
  ///   present one is still in use.
  /// - Returns: the entry now; nil when there is no such file, or when its content is not in the cloud
  ///   yet: then it stays, whoever asks.
  public func evict(
    _ inode: InodeNumber, newEpoch: Bool = false
  ) throws(CatalogError) -> Entry? {
    try write { transaction throws(CatalogError) in
      let connection = transaction.connection
      guard let entry = try connection.entry(of: inode), entry.kind == .file,
        try transaction.parts(of: inode).isDisjoint(with: [.created, .content])
      else { return nil }
      let serial = transaction.nextSerial()
      try connection.run(.evict) { statement in
        statement.bind(1, inode)
        statement.bind(2, serial)
        statement.bind(3, Int64(newEpoch ? entry.epoch &+ 1 : entry.epoch))
      }
      if entry.residency == .partial { try connection.run(.deleteRanges) { $0.bind(1, inode) } }
      return try connection.entry(of: inode)
    }
  }

  /// Files with content here, whole or in part, in the order of their inode numbers; begins behind
  /// `inode`.
  public func materialized(
    limit: Int, after inode: InodeNumber = InodeNumber(rawValue: 0)
  ) throws(CatalogError) -> [Entry] {
    try read { connection throws(CatalogError) in
      var entries: [Entry] = []
      try connection.forEach(.withContent) { statement in
        statement.bind(1, inode)
        statement.bind(2, Int64(limit))
      } _: { row throws(CatalogError) in
        entries.append(try Entry(row, connection))
        return true
      }
      return entries
    }
  }

  /// The folders whose children are known, in the order of their inode numbers.
  public func populatedFolders() throws(CatalogError) -> [InodeNumber] {
    try read { connection throws(CatalogError) in
      var folders: [InodeNumber] = []
      try connection.forEach(.populatedFolders) { _ in
      } _: { row throws(CatalogError) in
        folders.append(row.inode(0))
        return true
      }
      return folders
    }
  }

  /// How much the catalog says of a content file that was found on the disk: nil when it is of no use
  /// and can be deleted, since its serial is not, or no longer, that file's.
  ///
  /// `dataless` means that a transfer may be writing it right now, or was when the process ended.
  public func residency(
    of inode: InodeNumber, contentSerial: UInt64
  ) throws(CatalogError) -> Residency? {
    try read { connection throws(CatalogError) in
      try connection.first(.residency) { statement in
        statement.bind(1, inode)
        statement.bind(2, contentSerial)
      } _: { row in
        Residency(rawValue: UInt8(truncatingIfNeeded: row.integer(0)))
      } ?? nil
    }
  }

  /// How many items there are, and how much content.
  public func counts() throws(CatalogError) -> Counts {
    let counts = try read { connection throws(CatalogError) in
      try connection.first(.counts) { _ in
      } _: { row in
        Counts(
          items: Int(row.integer(0)), materialized: Int(row.integer(1)),
          partial: Int(row.integer(2)), contentBytes: row.integer(3) + row.integer(4))
      }
    }
    return counts ?? Counts(items: 0, materialized: 0, partial: 0, contentBytes: 0)
  }
}

/// How many items a device knows, and how much of their content is on it.
public struct Counts: Hashable, Sendable {
  /// All items, folders and the root among them.
  public let items: Int
  /// Files whose whole content is here.
  public let materialized: Int
  /// Files of which some ranges are here.
  public let partial: Int
  /// The bytes of content that are here.
  public let contentBytes: Int64

  /// Describes a device's content.
  public init(items: Int, materialized: Int, partial: Int, contentBytes: Int64) {
    self.items = items
    self.materialized = materialized
    self.partial = partial
    self.contentBytes = contentBytes
  }
}

extension RangeSet {
  /// Pairs of offset and count, 8 bytes each, little-endian.
  var stored: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(ranges.count * 16)
    for range in ranges {
      for number in [range.offset, range.count] {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
      }
    }
    return bytes
  }

  /// Reads what `stored` has written. Pairs that make no sense are left out: those bytes are then
  /// fetched again.
  init(stored bytes: UnsafeBufferPointer<UInt8>) {
    self.init()
    let raw = UnsafeRawBufferPointer(bytes)
    for start in stride(from: 0, to: raw.count - 15, by: 16) {
      let offset = Int64(littleEndian: raw.loadUnaligned(fromByteOffset: start, as: Int64.self))
      let count = Int64(littleEndian: raw.loadUnaligned(fromByteOffset: start + 8, as: Int64.self))
      guard offset >= 0, count >= 0, !offset.addingReportingOverflow(count).overflow else {
        continue
      }
      insert(ByteRange(offset: offset, count: count))
    }
  }
}
