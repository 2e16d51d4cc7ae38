internal import Glibc
internal import Platform

/// The directory store's state, used by its own thread only: the folder, the index and the watches.
final class DirectoryCore {
  let folder: CloudFolder
  let index: DirectoryIndex
  let watches: Watches
  let staging: Staging
  /// Whether what happened while the store was closed (or the folder was away) has been found.
  private var isCaughtUp = false
  /// Enumerated folders that the system would not watch: they are looked at whenever somebody asks.
  private var unwatched: Set<Int64> = []
  private var pending = Watches.Hints()
  private var hasNews = false

  init(_ settings: DirectorySettings) throws(CloudError) {
    folder = settings.folder
    watches = Watches(limit: settings.maximumWatches)
    index = try DirectoryIndex(
      at: settings.index + "/cloud.sqlite", root: folder.root, generation: settings.generation,
      historyLimit: settings.historyLimit, fileSystem: settings.fileSystem)
    staging = Staging(
      folder, index: settings.index, token: try index.stagingToken(), places: settings.places,
      hook: settings.hook)
    heal()
  }

  func close() {
    staging.leave()
    index.close()
  }

  /// Notes that changes were recorded.
  func noteNews() { hasNews = true }

  /// Whether changes were recorded since the last call.
  func takeNews() -> Bool {
    defer { hasNews = false }
    return hasNews
  }

  /// Reads the events that are there, and looks where they point.
  func followEvents() {
    let hints = watches.read()
    pending.areLost = pending.areLost || hints.areLost
    pending.folders.formUnion(hints.folders)
    pending.looks.merge(hints.looks) { old, new in Self.join(old, new) }
    guard !pending.isEmpty else { return }
    // What fails here stays pending, and the next call tries again.
    try? followPending()
  }

  private func followPending() throws(CloudError) {
    if pending.areLost {
      try rescan()
    } else {
      var looks = pending.looks
      for id in pending.folders { try Self.addPlace(of: index.row(id), to: &looks) }
      try look(looks)
    }
    pending = Watches.Hints()
  }

  /// Looks at every enumerated folder.
  func rescan() throws(CloudError) {
    let folders = try index.enumeratedFolders()
    try look(Dictionary(uniqueKeysWithValues: folders.map { ($0, Look.whole) }))
    isCaughtUp = true
  }

  /// Finds what no event tells: what happened while the store was closed, and in unwatched folders.
  func catchUp() throws(CloudError) {
    guard isCaughtUp else { return try rescan() }
    guard !unwatched.isEmpty else { return }
    try look(Dictionary(uniqueKeysWithValues: unwatched.map { ($0, Look.whole) }))
  }

  /// Whether there are folders of which no event tells.
  var mustScan: Bool { !unwatched.isEmpty }

  /// Looks at what no event tells of; what fails is looked at again the next time.
  func scan() { if mustScan { try? catchUp() } }

  /// Looks at names or folders and brings the index in line with what is there.
  func look(_ looks: [Int64: Look]) throws(CloudError) {
    try checkRoot()
    var rest = looks
    var observations: [Int64: Observation] = [:]
    while let id = rest.keys.min(), let look = rest.removeValue(forKey: id) {
      guard let row = try index.row(id), !row.isGone else { continue }
      do {
        observations[id] = try observe(row, look)
      } catch  where error.code == .notFound {
        // The folder itself is not where it was: its own folder must tell.
        if id != IndexRow.root { try Self.addPlace(of: row, to: &rest, unless: observations) }
      } catch  where error.code != .offline {
        // It is there and cannot be read: that deletes nothing.
        continue
      }
    }
    try reconcile(observations.keys.sorted().compactMap { observations[$0] })
  }

  /// Lists a folder for a caller, who is told when it cannot be read.
  func enumerate(_ id: Int64) throws(CloudError) {
    try look(at: id)
    guard let row = try index.row(id), !row.isGone else { throw Self.missing }
    guard row.status.kind == .folder else {
      throw CloudError(.failed, "\(row.name?.text ?? "/") is not a folder.")
    }
    let observation: Observation
    do {
      observation = try observe(row, .whole)
    } catch  where error.code == .notFound {
      throw Self.missing
    }
    try reconcile([observation])
    try index.setEnumerated(id)
  }

  /// Looks at an item where it should be, and returns what the index says then.
  func freshRow(_ id: Int64) throws(CloudError) -> IndexRow {
    try look(at: id)
    guard let row = try index.row(id), !row.isGone else { throw Self.missing }
    return row
  }

  private func look(at id: Int64) throws(CloudError) {
    guard id != IndexRow.root else { return try checkRoot() }
    var looks: [Int64: Look] = [:]
    try Self.addPlace(of: index.row(id), to: &looks)
    try look(looks)
    // It may have gone to a folder that the system does not watch.
    if !unwatched.isEmpty, try index.row(id)?.isGone ?? false { try catchUp() }
  }

  private func observe(_ row: IndexRow, _ look: Look) throws(CloudError) -> Observation {
    let opened = try open(row)
    // Watched before it is listed: what changes in between is looked at again.
    if look.isWhole {
      if watches.add(row.id, opened) { unwatched.remove(row.id) } else { unwatched.insert(row.id) }
    }
    switch look {
    case .whole:
      return Observation(
        folder: row.id, names: nil, entries: try folder.list(opened), isFirst: !row.isEnumerated)
    case .names(let names):
      var entries: [Entry] = []
      for name in names.sorted() {
        guard let status = try folder.status(of: name, in: opened) else { continue }
        entries.append(Entry(name: name, status: status))
      }
      return Observation(folder: row.id, names: names, entries: entries, isFirst: !row.isEnumerated)
    }
  }

  /// Opens a folder of the cloud where the index says that it is.
  func open(_ row: IndexRow) throws(CloudError) -> FileDescriptor {
    guard let path = try index.path(of: row.id) else { throw Self.missing }
    let opened = try folder.open(path)
    guard try folder.status(of: opened)?.identity == row.status.identity else {
      throw CloudError(.notFound, "Another folder lies where \(row.name?.text ?? "/") was.")
    }
    return opened
  }

  private func reconcile(_ observations: [Observation]) throws(CloudError) {
    guard !observations.isEmpty else { return }
    let reconciler = Reconciler(index) { row throws(CloudError) in try self.isInPlace(row) }
    try index.database.transaction { () throws(CloudError) in
      try reconciler.apply(observations)
    }
    for id in reconciler.goneFolders {
      watches.remove(id)
      unwatched.remove(id)
    }
    hasNews = hasNews || reconciler.hasChanges
  }

  func isInPlace(_ row: IndexRow) throws(CloudError) -> Bool {
    guard let name = row.name, let path = try index.path(of: row.parent) else { return false }
    do {
      let opened = try folder.open(path)
      return try folder.status(of: name, in: opened)?.identity == row.status.identity
    } catch  where error.code == .notFound {
      return false
    } catch  where error.code != .offline {
      // It cannot be seen: nothing says that it has left.
      return true
    }
  }

  private func checkRoot() throws(CloudError) {
    do {
      _ = try folder.openRoot()
    } catch {
      // Watches end with a volume, so all must be looked at once it is back.
      isCaughtUp = false
      throw error
    }
  }

  static var missing: CloudError {
    CloudError(.notFound, "There is no such item in the cloud, or no longer.")
  }

  private static func addPlace(
    of row: IndexRow?, to looks: inout [Int64: Look], unless done: [Int64: Observation] = [:]
  ) throws(CloudError) {
    guard let row, !row.isGone, let name = row.name else { return }
    // A folder that was listed as a whole has told already.
    if let observation = done[row.parent] {
      guard let names = observation.names, !names.contains(name) else { return }
      looks[row.parent] = .names(names.union([name]))
    }
    looks[row.parent, default: .names([])].add(name)
  }

  private static func join(_ left: Look, _ right: Look) -> Look {
    guard case .names(let first) = left, case .names(let second) = right else { return .whole }
    return .names(first.union(second))
  }
}

/// What a directory store is opened with.
struct DirectorySettings: Sendable {
  let folder: CloudFolder
  /// The path of the index's folder.
  let index: String
  let generation: String?
  let historyLimit: Int
  let places: [StagingPlace]
  let hook: WritingHook
  /// How many folders are watched at most.
  let maximumWatches: Int
  /// How often folders that the system does not watch are looked at.
  let scanInterval: Duration
  /// The name of SQLite's file system for the index; nil for the system's.
  let fileSystem: String?
}

extension Look {
  var isWhole: Bool { if case .whole = self { true } else { false } }
}
