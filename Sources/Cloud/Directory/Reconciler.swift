internal import Platform

/// What was found in one folder: the entries that are there, of all names or of those looked at.
struct Observation {
  let folder: Int64
  /// Nil when the whole folder was listed.
  let names: Set<FileName>?
  let entries: [Entry]
  /// Whether nobody has listed the folder before; then what is in it is news to nobody.
  let isFirst: Bool
}

/// Brings the index in line with what was found, and records what that says about the past.
///
/// All folders that were looked at together are compared together, so that a move between two of them is
/// seen as one. An identity at a new place is the old item, moved, if its old place no longer holds it;
/// otherwise it is another name of the same file (a hard link), which is an item of its own.
final class Reconciler {
  private final class Arrival {
    let folder: Int64
    let entry: Entry
    let isFirst: Bool
    /// Who had this name before.
    let displaced: IndexRow?
    /// The item that it is, if it was known.
    var known: IndexRow?
    var isSettled = false

    init(folder: Int64, entry: Entry, isFirst: Bool, displaced: IndexRow?) {
      self.folder = folder
      self.entry = entry
      self.isFirst = isFirst
      self.displaced = displaced
    }
  }

  private let index: DirectoryIndex
  /// Whether the place that a row names still holds that file.
  private let isInPlace: (IndexRow) throws(CloudError) -> Bool
  private var arrivals: [Arrival] = []
  private var kept: [(row: IndexRow, now: EntryStatus)] = []
  private var departed: [Int64: IndexRow] = [:]
  // The arrivals by the item that each turned out to be.
  private var claims: [Int64: Arrival] = [:]

  /// Whether anything was recorded.
  private(set) var hasChanges = false
  /// Enumerated folders that are gone.
  private(set) var goneFolders: [Int64] = []

  init(
    _ index: DirectoryIndex, isInPlace: @escaping (IndexRow) throws(CloudError) -> Bool
  ) {
    self.index = index
    self.isInPlace = isInPlace
  }

  func apply(_ observations: [Observation]) throws(CloudError) {
    for observation in observations { try sort(observation) }
    try identify()
    try settleAll()
    for id in departed.keys.sorted() where claims[id] == nil { try depart(id) }
    for (row, now) in kept { try refresh(row, now) }
    try index.trim()
  }

  /// Tells the entries that are where they were from those that came, and finds what left.
  private func sort(_ observation: Observation) throws(CloudError) {
    var rows: [FileName: IndexRow] = [:]
    if let names = observation.names {
      for name in names { rows[name] = try index.child(name, of: observation.folder) }
    } else {
      for row in try index.children(of: observation.folder) { row.name.map { rows[$0] = row } }
    }
    for entry in observation.entries {
      let row = rows.removeValue(forKey: entry.name)
      if let row, row.status.identity == entry.status.identity {
        kept.append((row, entry.status))
        continue
      }
      if let row { departed[row.id] = row }
      arrivals.append(
        Arrival(
          folder: observation.folder, entry: entry, isFirst: observation.isFirst, displaced: row))
    }
    for row in rows.values { departed[row.id] = row }
  }

  /// Finds out which arrival is an item that is known.
  private func identify() throws(CloudError) {
    let leaving = Dictionary(grouping: departed.values) { $0.status.identity }
    for arrival in arrivals {
      let identity = arrival.entry.status.identity
      let candidates = (leaving[identity] ?? []).sorted { $0.id < $1.id }
      if let row = candidates.first(where: { claims[$0.id] == nil }) {
        claim(row, arrival)
      } else if let row = try known(identity) {
        claim(row, arrival)
      }
    }
  }

  private func known(_ identity: FileIdentity) throws(CloudError) -> IndexRow? {
    for row in try index.rows(with: identity) where claims[row.id] == nil {
      // Without a birth time the number may have been given to another file since.
      if row.isGone {
        guard identity.hasBirth else { continue }
        return row
      }
      if departed[row.id] == nil, try !isInPlace(row) { return row }
    }
    return nil
  }

  private func claim(_ row: IndexRow, _ arrival: Arrival) {
    arrival.known = row
    claims[row.id] = arrival
  }

  /// Those first that destroy nothing: what moves out of a folder that is replaced must be out by then.
  private func settleAll() throws(CloudError) {
    let destroys = { (arrival: Arrival) in
      arrival.displaced.map { self.claims[$0.id] == nil } ?? false
    }
    for arrival in arrivals where !destroys(arrival) { try settleChain(arrival) }
    for arrival in arrivals { try settleChain(arrival) }
  }

  /// An item that takes a name waits until the one that had it has got its new one, unless they wait for
  /// each other (an exchange).
  private func settleChain(_ first: Arrival) throws(CloudError) {
    var chain: [Arrival] = []
    var next: Arrival? = first
    while let arrival = next, !arrival.isSettled {
      arrival.isSettled = true
      chain.append(arrival)
      next = arrival.displaced.flatMap { claims[$0.id] }
    }
    for arrival in chain.reversed() { try settle(arrival) }
  }

  private func settle(_ arrival: Arrival) throws(CloudError) {
    var row = IndexRow(
      id: arrival.known?.id ?? 0, parent: arrival.folder, name: arrival.entry.name,
      status: arrival.entry.status)
    if arrival.known == nil {
      row.id = try index.insert(row)
    } else {
      try index.update(row)
    }
    if let old = arrival.displaced, claims[old.id] == nil {
      departed[old.id] = nil
      try record(.replaced, row, old: old.id)
      goneFolders += try index.markGone(old.id)
    } else if arrival.known != nil || !arrival.isFirst {
      try record(.updated, row)
    }
  }

  private func depart(_ id: Int64) throws(CloudError) {
    // It may have gone with a folder above it.
    guard let row = try index.row(id), !row.isGone else { return }
    try record(.deleted, row)
    goneFolders += try index.markGone(id)
  }

  private func refresh(_ row: IndexRow, _ now: EntryStatus) throws(CloudError) {
    guard row.status != now else { return }
    let differs = row.differs(from: now)
    var row = row
    row.status = now
    try index.update(row)
    guard differs else { return }
    try record(.updated, row)
    guard now.links > 1 else { return }
    // The other names of the same file: their folders were told nothing.
    for var other in try index.rows(with: now.identity)
    where other.id != row.id && !other.isGone && other.differs(from: now) {
      guard try isInPlace(other) else { continue }
      other.status = now
      try index.update(other)
      try record(.updated, other)
    }
  }

  private func record(
    _ sort: DirectoryIndex.Sort, _ row: IndexRow, old: Int64 = 0
  ) throws(CloudError) {
    hasChanges = true
    try index.record(sort, row, old: old)
  }
}
