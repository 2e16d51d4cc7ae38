public import Cloud
public import Platform

extension Catalog {
  /// The entry of an item; nil when there is none (any more).
  public func entry(of inode: InodeNumber) throws(CatalogError) -> Entry? {
    try read { connection throws(CatalogError) in
      try connection.entry(of: inode)
    }
  }

  /// The entry that shows under a name; nil when none does, or the folder's children are unknown.
  public func entry(
    named name: Span<UInt8>, in parent: InodeNumber
  ) throws(CatalogError) -> Entry? {
    switch names.find(name, in: parent) {
    case .known(let entry): return entry
    case .unknown(let load, let generation):
      let entry = try name.withUnsafeBufferPointer { bytes throws(CatalogError) in
        try read { connection throws(CatalogError) in
          try connection.entry(named: bytes, in: parent)
        }
      }
      if let load { try keepNames(of: parent, upTo: load, generation) }
      return entry
    }
  }

  private func keepNames(
    of folder: InodeNumber, upTo limit: Int, _ generation: UInt64
  ) throws(CatalogError) {
    var kept = FolderNames()
    try forEachChild(of: folder) { entry, name in
      kept.append(entry, name)
      return kept.count <= limit
    }
    guard kept.count <= limit else { return }
    kept.seal()
    names.keep(kept, of: folder, generation: generation)
  }

  /// Up to `limit` children of a folder in the order of their inode numbers, which is a cursor that
  /// stays good whatever changes meanwhile; begins behind `inode`.
  public func children(
    of parent: InodeNumber, after inode: InodeNumber = InodeNumber(rawValue: 0),
    limit: Int = .max
  ) throws(CatalogError) -> [NamedEntry] {
    guard limit > 0 else { return [] }
    var children: [NamedEntry] = []
    var invalid: InodeNumber?
    try forEachChild(of: parent, after: inode) { entry, name in
      guard let name = name.withUnsafeBufferPointer({ FileName($0) }) else {
        invalid = entry.inode
        return false
      }
      children.append(NamedEntry(entry: entry, name: name))
      return children.count < limit
    }
    if let invalid { throw .corrupt("the catalog", "item \(invalid) has an impossible name") }
    return children
  }

  /// Calls `body` with each child of a folder behind `inode`, ascending, until it returns false.
  ///
  /// `body` sees one state of the folder, however long it takes, and may call the catalog.
  public func forEachChild(
    of parent: InodeNumber, after inode: InodeNumber = InodeNumber(rawValue: 0),
    _ body: (Entry, Span<UInt8>) -> Bool
  ) throws(CatalogError) {
    func eachChild(
      _ connection: Connection, _ body: (Entry, Span<UInt8>) -> Bool
    ) throws(CatalogError) {
      try connection.forEach(.children) { statement in
        statement.bind(1, parent)
        statement.bind(2, inode)
      } _: { row throws(CatalogError) in
        let entry = try Entry(row, connection)
        return body(entry, row.bytes(15).span)
      }
    }
    do throws(CatalogError) {
      try commit()
    } catch {
      // A full disk is no reason to list nothing. The writer is needed for that, so no call of ours may
      // come before all is read.
      let children = try read { connection throws(CatalogError) in
        var children: [(Entry, [UInt8])] = []
        try eachChild(connection) { entry, name in
          children.append((entry, name.withUnsafeBufferPointer { Array($0) }))
          return true
        }
        return children
      }
      for (entry, name) in children where !body(entry, name.span) { return }
      return
    }
    try readCommitted { connection throws(CatalogError) in try eachChild(connection, body) }
  }

  /// What is known of an item beyond its entry; nil when there is no such item.
  public func details(of inode: InodeNumber) throws(CatalogError) -> Details? {
    try read { connection throws(CatalogError) in
      try connection.first(.details) {
        $0.bind(1, inode)
      } _: { row in
        Details(
          item: ItemIdentifier(rawValue: row.text(0)),
          version: ItemVersion(content: row.text(1), metadata: row.text(2)),
          checksum: row.blob(3).map(Checksum.init(sha256:)), name: FileName(row.bytes(4)),
          target: row.blob(5))
      }
    }
  }

  /// The inode number of a cloud's item; nil when the device does not know the item.
  public func inode(of item: ItemIdentifier) throws(CatalogError) -> InodeNumber? {
    try read { connection throws(CatalogError) in
      try connection.first(.inodeOfItem) {
        $0.bind(1, item.rawValue)
      } _: {
        $0.inode(0)
      }
    }
  }

  /// Where an item lies, as text: "/a/b", and "/" for the root. Nil when there is no such item.
  ///
  /// Bytes that are not UTF-8 become U+FFFD, so this is for people and records, not for opening.
  public func path(of inode: InodeNumber) throws(CatalogError) -> String? {
    try read { connection throws(CatalogError) in
      var names: [String] = []
      var next = inode
      while next != .root {
        let place = try connection.first(.parentAndName) {
          $0.bind(1, next)
        } _: { row in
          (row.inode(0), String(decoding: row.bytes(1), as: UTF8.self))
        }
        // A damaged file might hold a circle; no folder is that deep.
        guard let place, names.count < 65536 else { return nil }
        names.append(place.1)
        next = place.0
      }
      return "/" + names.reversed().joined(separator: "/")
    }
  }

  /// The entry at a path below the root, as far as the device knows; asks no cloud.
  public func resolve(_ path: [FileName]) throws(CatalogError) -> Entry? {
    try read { connection throws(CatalogError) in
      var entry = try connection.entry(of: .root)
      for name in path {
        guard let folder = entry else { return nil }
        entry = try name.bytes.withUnsafeBufferPointer { bytes throws(CatalogError) in
          try connection.entry(named: bytes, in: folder.inode)
        }
      }
      return entry
    }
  }
}

extension Connection {
  @inline(__always)
  func entry(of inode: InodeNumber) throws(CatalogError) -> Entry? {
    try first(.entryOfInode) {
      $0.bind(1, inode)
    } _: { row throws(CatalogError) in
      try Entry(row, self)
    }
  }

  @inline(__always)
  func entry(
    named name: UnsafeBufferPointer<UInt8>, in parent: InodeNumber
  ) throws(CatalogError) -> Entry? {
    try first(.entryOfName) { statement in
      statement.bind(1, parent)
      statement.bindInPlace(2, name)
    } _: { row throws(CatalogError) in
      try Entry(row, self)
    }
  }
}
