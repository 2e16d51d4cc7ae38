internal import Cloud
internal import Glibc
public import Platform

extension Catalog {
  /// Makes a new catalog in place of a damaged one, which is set aside with all its files.
  ///
  /// It knows nothing of the cloud but what has changes here, so everything is listed anew when somebody
  /// asks, and no content is fetched. No deletion is pending in it. Inode numbers and serials are greater
  /// than any that were given out, but what has changes here keeps its own.
  ///
  /// A process that dies meanwhile leaves a device that is rebuilt at the next start.
  /// - Parameters:
  ///   - damage: what was wrong.
  ///   - contents: every content file that is on the device.
  ///   - fileSystem: the name of SQLite's file system; nil for the system's.
  ///   - setAside: called before anything else is done for each content file that belongs to nothing and may
  ///     be a last copy, with the folder that it shall be moved to.
  /// - Throws: `locked`, `full` or `io`; the damaged catalog is then set aside or where it was.
  public static func rebuild(
    directory: String, after damage: CatalogError, contents: [FoundContent],
    bootIdentifier: String? = nil, fileSystem: String? = nil,
    now: @escaping @Sendable () -> Timestamp = { .now }, setAside: (FoundContent, String) -> Void
  ) throws(CatalogError) -> (catalog: Catalog, report: CatalogRebuild) {
    let boot = bootIdentifier ?? CatalogFile.bootIdentifier()
    let opening = CatalogOpening(
      paths: CatalogPaths(directory: directory), boot: boot, fileSystem: fileSystem)
    let lock = try CatalogFile.lock(opening.paths)
    let rebuilding = try Rebuilding(opening, damage, now(), contents)
    for file in rebuilding.plan.leftOver { setAside(file, rebuilding.aside + "/content") }
    try rebuilding.fill()
    let file = try CatalogFile.open(opening, lock: lock, now: now())
    let catalog = try Catalog(file, paths: opening.paths, now: now)
    return (catalog, try rebuilding.report(catalog))
  }
}

/// The steps of a rebuild.
private struct Rebuilding {
  let plan: RebuildPlan
  /// The folder in which the damaged catalog is kept.
  let aside: String
  private let paths: CatalogPaths
  private let database: DatabaseFile
  private let now: Timestamp
  private let damage: CatalogError
  private let session: UInt64

  /// Sets the damaged catalog aside, and looks what is left.
  init(
    _ opening: CatalogOpening, _ damage: CatalogError, _ now: Timestamp, _ contents: [FoundContent]
  ) throws(CatalogError) {
    (paths, self.damage, self.now) = (opening.paths, damage, now)
    database = opening.database
    aside = try Self.makeFolder(paths.directory + "/damaged-" + now.stamp)
    try Self.move(paths, to: aside)
    let journal = JournalContents(at: paths.journal)
    let salvage = Salvage(aside + "/catalog.sqlite")
    let isComplete = journal.map { $0.isComplete(boot: opening.boot) } ?? false
    session = max(journal?.session ?? 0, salvage.session)
    plan = RebuildPlan(
      journal: journal, isComplete: isComplete, contents: contents,
      numbers: Self.numbers(journal, isComplete, salvage, contents, now), now: now,
      nameOfLost: salvage.name)
  }

  /// Makes the new database, in one transaction.
  func fill() throws(CatalogError) {
    let connection = try Connection(database, creating: true)
    try connection.execute(Schema.writerPragmas)
    try CatalogFile.upgrade(connection, from: 0, now) { connection throws(CatalogError) in
      for planned in plan.rows {
        try connection.run(.insert) { planned.row.bind(to: $0) }
        guard let parts = planned.parts else { continue }
        try connection.run(.replacePending) { statement in
          statement.bind(1, planned.row.inode)
          statement.bind(2, planned.sequence)
          statement.bind(3, Int64(parts.rawValue))
        }
      }
      for sending in plan.sendings {
        try connection.run(.noteSending) { sending.bind(to: $0) }
      }
      try connection.run(.setCounters) { statement in
        statement.bind(1, plan.nextInode)
        statement.bind(2, plan.nextSerial)
        statement.bind(3, plan.nextSequence)
      }
      // No older than the journal, which would be damage again.
      try connection.setState(CatalogFile.sessionKey, String(session))
      if let anchor = plan.anchor {
        try connection.setState(Transaction.anchorKey, anchor.rawValue)
      }
    }
  }

  func report(_ catalog: Catalog) throws(CatalogError) -> CatalogRebuild {
    func paths(_ inodes: [InodeNumber]) throws(CatalogError) -> [String] {
      var paths: [String] = []
      for inode in inodes { if let path = try catalog.path(of: inode) { paths.append(path) } }
      return paths
    }
    return CatalogRebuild(
      reason: damage.reason, setAside: aside,
      kept: plan.kept,
      recovered: try paths(plan.recovered),
      damaged: try paths(plan.damaged), leftOver: plan.leftOver.count)
  }

  private static func makeFolder(_ wanted: String) throws(CatalogError) -> String {
    for attempt in 1..<1000 {
      let path = attempt == 1 ? wanted : "\(wanted)-\(attempt)"
      if mkdir(path, 0o700) == 0 { return path }
      guard errno == EEXIST else { break }
    }
    let error = Errno.current
    throw CatalogError(
      error == .noSpace ? .full : .io,
      "the damaged catalog cannot be set aside: \(wanted): \(error)")
  }

  /// The journal stays, since it is needed until the new catalog is whole; a second name keeps it.
  private static func move(_ paths: CatalogPaths, to folder: String) throws(CatalogError) {
    link(paths.journal, folder + "/catalog.journal")
    for part in paths.databaseParts.reversed() {
      let name = part.split(separator: "/").last ?? ""
      guard rename(part, "\(folder)/\(name)") != 0, errno != ENOENT else { continue }
      throw CatalogError(.io, "the damaged catalog \(part) cannot be set aside: \(Errno.current)")
    }
    // What it tells counts upon a database that is no more.
    if rename(paths.redo, folder + "/catalog.redo") != 0 { unlink(paths.redo) }
    unlink(paths.suspicion)
  }

  /// Numbers that were not given out: the journal knows. Without it they begin far behind all that are
  /// known, by a number that grows with time, since a catalog may have been lost before.
  private static func numbers(
    _ journal: JournalContents?, _ isComplete: Bool, _ salvage: Salvage,
    _ contents: [FoundContent], _ now: Timestamp
  ) -> RebuildPlan.Numbers {
    let counters = salvage.counters
    let rows = journal?.rows.values.map(\.row) ?? []
    let inodes = contents.map(\.inode.rawValue) + rows.map(\.inode.rawValue)
    let serials = contents.map(\.serial) + rows.map(\.entry.contentSerial)
    let inode = [
      InodeNumber.firstFree.rawValue, journal?.inode ?? 0, counters?.inode ?? 0,
      (inodes.max() ?? 0) + 1, isComplete ? 0 : now.hours << 20,
    ].max()
    let serial = [
      2, journal?.serial ?? 0, counters?.serial ?? 0, (serials.max() ?? 0) + 1,
      isComplete ? 0 : now.hours << 20,
    ].max()
    return RebuildPlan.Numbers(inode: inode ?? 0, serial: serial ?? 0)
  }
}

extension JournalContents {
  /// Whether nothing is missing: no line is damaged, and no power cut has taken the last ones.
  fileprivate func isComplete(boot: String) -> Bool {
    damagedLines == 0 && (hasEnded || self.boot == boot)
  }
}
