internal import Glibc
internal import Platform

/// A cloud that is a folder: what lies in it is in the cloud, and whoever edits it by hand is another
/// device.
///
/// A sidecar index, which never lies in the folder, gives items identifiers that survive renames and
/// moves (by device, inode number and birth time) and remembers what was seen, so that changes made
/// while the store was closed are found. A folder is looked at when somebody enumerates it, and watched
/// from then on; opening a huge tree costs nothing. An editor that writes a new file and renames it over
/// the old one makes a new item: the feed says `.replaced(old:new:)`.
///
/// - Two names of one file (hard links) are two items.
/// - Sockets, devices and named pipes are not listed. A symbolic link is an item, never followed.
/// - A file or folder that may not be read is listed; reading it fails with `.denied`.
/// - While the folder itself is not there (moved, unmounted), every call fails with `.offline`; nothing
///   in it is taken for deleted.
/// - A file is reported when its writer closes it; one that is being written may be seen half-written,
///   as in any folder.
/// - Where the system has no inotify watch left, changes are found when somebody asks for them, and by a
///   look every 30 seconds.
/// - A damaged index is an error that says what to do; the store never makes a new one by itself, since
///   every identifier would change.
///
/// What it writes is staged elsewhere on the same file system and put in place by one rename: whoever
/// watches the folder sees under each name only whole versions, and no temporary name. (Only where the
/// cloud's folder is itself where a file system is mounted, or what lies beside it may not be written to,
/// is there a hidden folder in it for as long as the store writes: `.fauxdrive-staging-` and a number.
/// Names that begin so are never listed.) See `DirectoryCore.giveBack` for the races with other writers.
///
/// - Fidelity: see `EntryStatus.contentVersion` for what a content version can tell; there are no
///   checksums.
public final class DirectoryStore: CloudStore {
  let thread: DirectoryThread
  let folder: CloudFolder
  let generation: String
  private let pageSize: Int
  private let isWatching: Bool

  /// Opens a folder as a cloud.
  ///
  /// - Parameters:
  ///   - directory: the folder.
  ///   - index: a private folder for the index, not inside `directory`; made when missing.
  ///   - pageSize: the most items of a page, and changes of a batch.
  ///   - historyLimit: how many changes an anchor may lie back before it expires.
  ///   - generation: the prefix of the identifiers, if the index is new; drawn at random by default, so
  ///     that a new index never gives an identifier that an old one gave.
  /// - Throws: a `CloudError` that says what is wrong with the folder or the index.
  public convenience init(
    _ directory: String, index: String, pageSize: Int = 1000, historyLimit: Int = 100_000,
    generation: String? = nil
  ) throws(CloudError) {
    try self.init(
      directory, index: index, pageSize: pageSize, historyLimit: historyLimit,
      generation: generation, hook: .none)
  }

  /// Opens a folder as a cloud whose writes a test can steer.
  ///
  /// - Parameters:
  ///   - hook: what happens at the steps of each write.
  ///   - places: where to stage what is written, in order of preference.
  ///   - maximumWatches: how many folders are watched at most; the system has a limit of its own.
  ///   - scanInterval: how often folders that are not watched are looked at, in real time.
  ///   - fileSystem: the name of SQLite's file system for the index; nil for the system's.
  package init(
    _ directory: String, index: String, pageSize: Int = 1000, historyLimit: Int = 100_000,
    generation: String? = nil, hook: WritingHook, places: [StagingPlace] = StagingPlace.allCases,
    maximumWatches: Int = .max, scanInterval: Duration = .seconds(30), fileSystem: String? = nil
  ) throws(CloudError) {
    precondition(pageSize > 0 && historyLimit >= 0, "sizes must be positive")
    self.pageSize = pageSize
    folder = try CloudFolder(at: directory)
    let settings = DirectorySettings(
      folder: folder, index: try Self.prepare(index, for: folder), generation: generation,
      historyLimit: historyLimit, places: places, hook: hook,
      maximumWatches: maximumWatches, scanInterval: scanInterval, fileSystem: fileSystem)
    thread = try DirectoryThread(settings)
    self.generation = thread.generation
    isWatching = thread.isWatching
    try thread.start()
  }

  deinit {
    thread.stop()
    thread.letGo()
  }

  /// Ends the store's thread and closes the index; later calls fail. Blocks for as long as what was
  /// asked before takes.
  public func close() {
    thread.stop()
    thread.join()
  }

  /// Reading and writing, with identifiers that last; changes are pushed if the system has inotify.
  public var capabilities: CloudCapabilities {
    let always: CloudCapabilities = [.ranges, .writing, .stableIdentifiers]
    return isWatching ? always.union(.pushesChanges) : always
  }

  /// Looks again at every folder that was ever enumerated, and reports what changed.
  public func rescan() async throws(CloudError) {
    try await perform { core throws(CloudError) in try core.rescan() }
  }

  /// The present state of one item; it is looked at.
  public func item(_ identifier: ItemIdentifier, cause: Cause) async throws(CloudError) -> Item {
    let id = try id(of: identifier)
    let generation = generation
    return try await perform { core throws(CloudError) in
      if id == IndexRow.root { return try core.rootItem() }
      return try core.freshRow(id).item(generation)
    }
  }

  /// One page of a folder; the first page lists it, the others show what was found then.
  public func enumerate(
    _ folder: ItemIdentifier, page: EnumerationPage?, cause: Cause
  ) async throws(CloudError) -> Enumeration {
    let id = try id(of: folder)
    let last = page.flatMap { Int64($0.rawValue) }
    guard page == nil || last != nil else {
      throw CloudError(.failed, "This page is not one of this store.")
    }
    let (generation, pageSize) = (generation, pageSize)
    return try await perform { core throws(CloudError) in
      if last == nil { try core.enumerate(id) }
      let rows = try core.index.children(of: id, after: last ?? 0, count: pageSize + 1)
      let next = rows.count > pageSize ? rows[pageSize - 1].id : nil
      return Enumeration(
        items: rows.prefix(pageSize).map { $0.item(generation) },
        next: next.map { EnumerationPage(rawValue: String($0)) })
    }
  }

  /// The anchor of the present state.
  public func currentAnchor(cause: Cause) async throws(CloudError) -> SyncAnchor {
    try await perform { core throws(CloudError) in
      try core.catchUp()
      return core.index.anchor(try core.index.lastSerial())
    }
  }

  /// What has changed since an anchor, also one from before a restart.
  public func changes(
    since anchor: SyncAnchor, cause: Cause
  ) async throws(CloudError) -> ChangeBatch {
    let pageSize = pageSize
    return try await perform { core throws(CloudError) in
      try core.catchUp()
      return try core.index.batch(since: anchor, count: pageSize)
    }
  }

  /// Calls `handler` on the store's thread after changes in enumerated folders.
  public func observeChanges(
    _ handler: @escaping @Sendable () -> Void
  ) -> any ChangeObservation {
    let observation = thread.observers.add(handler)
    // What changed while the store was closed is news as well. An error here is met again by `changes`.
    _ = thread.submit { core in try? core.catchUp() }
    return observation
  }

  /// The room of the file system that holds the folder.
  public func quota(cause: Cause) async throws(CloudError) -> Quota {
    let path = folder.path
    return try await perform { _ throws(CloudError) in
      var status = statvfs()
      guard statvfs(path, &status) == 0 else {
        throw CloudError(errno: Errno.current, "The room of \(path) cannot be told")
      }
      let unit = Int64(status.f_frsize)
      let total = Int64(status.f_blocks) * unit
      return Quota(total: total, used: total - Int64(status.f_bavail) * unit)
    }
  }

  /// Runs `body` on the store's thread.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (DirectoryCore) throws(CloudError) -> Value
  ) async throws(CloudError) -> Value {
    let wait = Wait<Result<Value, CloudError>>()
    let isOpen = thread.submit { core in
      do throws(CloudError) {
        wait.finish(.success(try body(core)))
      } catch {
        wait.finish(.failure(error))
      }
    }
    guard isOpen else { throw .closedFolder }
    guard let result = await wait.value() else { throw .cancelledByCaller }
    return try result.get()
  }

  func id(of identifier: ItemIdentifier) throws(CloudError) -> Int64 {
    guard let id = IndexRow.id(of: identifier, generation) else {
      throw CloudError(.notFound, "There is no item \(identifier).")
    }
    return id
  }

  /// Makes the index's folder and returns its path.
  private static func prepare(_ path: String, for folder: CloudFolder) throws(CloudError) -> String
  {
    if mkdir(path, 0o700) != 0, errno != EEXIST {
      throw CloudError(errno: Errno.current, "The folder \(path) for the index cannot be made")
    }
    guard let resolved = realpath(path, nil) else {
      throw CloudError(errno: Errno.current, "The folder \(path) for the index cannot be used")
    }
    defer { free(resolved) }
    let text = String(cString: resolved)
    guard !(text + "/").hasPrefix(folder.path == "/" ? "/" : folder.path + "/") else {
      throw CloudError(
        .failed, "The index (\(path)) must not lie in the cloud folder; name another place for it.")
    }
    return text
  }
}

extension CloudError {
  static var closedFolder: CloudError { CloudError(.failed, "The cloud's folder was closed.") }
}
