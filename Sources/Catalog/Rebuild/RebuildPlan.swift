internal import Cloud
internal import Platform

/// What a rebuilt catalog holds: decided before anything is done, from what was found.
///
/// What the journal tells is what it was, with its inode number. Content that only this device had and
/// of which the journal does not tell becomes a new document in a folder of its own, unless the journal is
/// known to be complete: then it is left over from something that was removed.
struct RebuildPlan: Sendable {
  /// Every row but the root's, a folder before what is in it.
  private(set) var rows: [PlannedRow] = []
  /// Content files that belong to nothing, and are not to be thrown away.
  private(set) var leftOver: [FoundContent] = []
  private(set) var recovered: [InodeNumber] = []
  private(set) var damaged: [InodeNumber] = []
  private(set) var anchor: SyncAnchor?
  /// What was sent of items that are still pending.
  private(set) var sendings: [Sending] = []
  /// The number of the next change.
  private(set) var nextSequence: UInt64 = 1
  /// The numbers to be given out next.
  private(set) var nextInode: UInt64
  private(set) var nextSerial: UInt64

  /// How many items with changes are what they were.
  var kept: Int {
    rows.count { $0.parts != nil } - recovered.count - (recovery == nil ? 0 : 1)
  }

  private let now: Timestamp
  private var recovery: InodeNumber?
  private var known: Set<InodeNumber> = [.root]
  private var names: [InodeNumber: Set<FileName>] = [:]
  private var items: Set<ItemIdentifier> = []

  struct PlannedRow: Sendable {
    var row: Row
    /// Nil when nothing is pending.
    var parts: PendingParts?
    /// As in `PendingItem`: what was sent is compared with it.
    var sequence: UInt64 = 0
  }

  /// - Parameter nameOfLost: what the damaged catalog says that an item was called.
  init(
    journal: JournalContents?, isComplete: Bool, contents: [FoundContent], numbers: Numbers,
    now: Timestamp, nameOfLost: (InodeNumber) -> FileName?
  ) {
    self.now = now
    nextInode = numbers.inode
    nextSerial = numbers.serial
    anchor = journal?.anchor
    let onlyCopies = Dictionary(
      contents.filter(\.isOnlyCopy).map { ($0.inode, [$0]) }, uniquingKeysWith: +)
    let pending = journal?.pending ?? []
    nextSequence = (pending.map(\.sequence).max() ?? 0) + 1
    for row in pending { addWithFolders(row, journal?.rows ?? [:], contents) }
    let journaled = Set(pending.map(\.row.inode))
    for (inode, files) in onlyCopies.sorted(by: { $0.key < $1.key }) {
      let unused = files.filter { file in
        !rows.contains { $0.row.inode == inode && $0.row.entry.contentSerial == file.serial }
      }
      guard let newest = unused.max(by: { $0.serial < $1.serial }) else { continue }
      let isLeftOver = isComplete || journaled.contains(inode) || known.contains(inode)
      leftOver += unused.filter { isLeftOver || $0 != newest }
      if !isLeftOver { recover(newest, nameOfLost(inode)) }
    }
    let kept = Set(rows.filter { $0.parts != nil }.map(\.row.inode))
    sendings = (journal?.sendings ?? [:]).values.filter { kept.contains($0.inode) }
  }

  /// The first numbers that are free for certain.
  struct Numbers: Sendable {
    var inode: UInt64
    var serial: UInt64
  }

  // MARK: What the journal tells

  private mutating func addWithFolders(
    _ row: JournalRow, _ journaled: [InodeNumber: JournalRow], _ contents: [FoundContent]
  ) {
    var chain = [row]
    var seen: Set<InodeNumber> = [row.row.inode]
    while let parent = chain.last?.row.entry.parent, !known.contains(parent) {
      guard let folder = journaled[parent], folder.row.entry.kind == .folder,
        seen.insert(parent).inserted
      else {
        // The way is lost, or a circle: what is in it is kept all the same.
        chain[chain.count - 1].row.entry.parent = recoveryFolder()
        break
      }
      chain.append(folder)
    }
    for row in chain.reversed() { add(row, contents) }
  }

  private mutating func add(_ journaled: JournalRow, _ contents: [FoundContent]) {
    var row = journaled.row
    guard let name = row.name, known.insert(row.inode).inserted else { return }
    var parts = row.pending
    if !items.insert(row.item).inserted {
      // Another item took its place in the cloud: this one's content is new, and its folder was.
      guard parts?.contains(.content) == true || row.entry.kind != .file else { return }
      row.item = .local(row.inode)
      row.version = .none
      row.checksum = nil
      parts = .everything(of: row.entry.kind)
      items.insert(row.item)
    }
    row.name = freeName(name, in: row.entry.parent)
    if let parts { settle(&row, parts, journaled.isWriting, contents) }
    row.pending = nil
    rows.append(PlannedRow(row: row, parts: parts, sequence: journaled.sequence))
  }

  private mutating func settle(
    _ row: inout Row, _ parts: PendingParts, _ wasWriting: Bool, _ contents: [FoundContent]
  ) {
    switch row.entry.kind {
    case .folder: row.entry.isPopulated = parts.contains(.created)
    case .symlink: break
    case .file where parts.isDisjoint(with: [.created, .content]):
      // What it was before the change is in the cloud, and comes from there when it is needed.
      row.entry.contentSerial = takeSerial()
    case .file:
      row.entry.residency = .materialized
      let (inode, serial) = (row.inode, row.entry.contentSerial)
      guard let file = contents.first(where: { $0.inode == inode && $0.serial == serial }) else {
        if row.entry.size > 0 { damaged.append(row.inode) }
        return
      }
      if wasWriting {
        row.entry.size = file.size
        row.entry.modified = file.modified
      } else if file.size < row.entry.size {
        damaged.append(row.inode)
      }
    }
  }

  // MARK: What it does not tell

  private mutating func recover(_ file: FoundContent, _ name: FileName?) {
    let parent = recoveryFolder()
    guard let name = name ?? FileName("document \(file.inode)"), file.size > 0 else { return }
    known.insert(file.inode)
    recovered.append(file.inode)
    var row = newRow(name, in: parent, .file, inode: file.inode, serial: file.serial)
    row.entry.size = file.size
    row.entry.modified = file.modified
    row.entry.residency = .materialized
    rows.append(
      PlannedRow(row: row, parts: .everything(of: .file), sequence: takeSequence()))
  }

  private mutating func recoveryFolder() -> InodeNumber {
    if let recovery { return recovery }
    let inode = InodeNumber(rawValue: nextInode)
    nextInode += 1
    guard let name = FileName("Recovered \(now.day)") else { return .root }
    var row = newRow(name, in: .root, .folder, inode: inode, serial: takeSerial())
    row.entry.isPopulated = true
    known.insert(inode)
    rows.append(
      PlannedRow(row: row, parts: .everything(of: .folder), sequence: takeSequence()))
    recovery = inode
    return inode
  }

  private mutating func newRow(
    _ name: FileName, in parent: InodeNumber, _ kind: ItemKind, inode: InodeNumber, serial: UInt64
  ) -> Row {
    let entry = Entry(
      inode: inode, parent: parent, kind: kind, size: 0, modified: now, created: now, changed: now,
      permissions: kind.defaultPermissions, residency: .dataless, isPopulated: false,
      contentSerial: serial, epoch: 0)
    return Row(
      entry: entry, name: freeName(name, in: parent), item: .local(inode), version: .none,
      checksum: nil, target: nil, permissions: entry.permissions, isHidden: false)
  }

  private mutating func takeSequence() -> UInt64 {
    nextSequence += 1
    return nextSequence - 1
  }

  private mutating func takeSerial() -> UInt64 {
    nextSerial += 1
    return nextSerial - 1
  }

  private mutating func freeName(_ name: FileName, in parent: InodeNumber) -> FileName {
    var candidate = name
    var number = 1
    while !names[parent, default: []].insert(candidate).inserted {
      number += 1
      let suffix = Array(" (\(number))".utf8)
      let start = name.bytes.prefix(FileName.maximumLength - suffix.count)
      candidate = FileName(start + suffix) ?? name
    }
    return candidate
  }
}
