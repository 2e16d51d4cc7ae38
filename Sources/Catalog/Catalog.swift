internal import Cloud
internal import Glibc
public import Platform

/// The durable state of a device: which items it knows, under which inode numbers, and how much of
/// each is here.
///
/// Every change is there as a whole or not at all. Durability: what a call has changed survives a killed
/// process (a log is written before the call returns) but the last changes may be lost in a power cut
/// (nothing waits for the disk). The file itself survives both. `wasPowerCut` tells after the fact; then content that was published may be
/// torn, since nobody waited for it either.
///
/// All calls block for local file operations only: a read for microseconds, a listing never for
/// a writer, a change for as long as its size needs. Any thread may call. All throw `CatalogError`; after `close()`
/// with the code `misuse`.
///
/// One process at a time may have a catalog open; a second one gets the error `locked`.
public final class Catalog: Sendable {
  /// Whether the machine stopped (another boot, and no clean close) while the catalog was open: then do
  /// not trust any content file, but evict what `materialized` enumerates, and then call `trustContent()`.
  /// Content that is not in the cloud yet cannot be evicted; it is all that there is.
  /// Until that was done it stays true, at the next start too.
  ///
  /// After a clean close content counts as durable; whoever closes the catalog must have synchronized
  /// the content files before.
  public let wasPowerCut: Bool

  /// Why the catalog must be taken for damaged, if a call has met that; it is rebuilt at the next start.
  public var damage: CatalogError? { met.withLock { $0.damage } }

  private struct Met: Sendable {
    var damage: CatalogError?
    var handler: (@Sendable (CatalogError) -> Void)?
  }

  let readers: ReaderPool
  let names = NameCache()
  /// Whether anything was pinned or unpinned; nil as long as nobody has looked.
  let hasPins = Locked<Bool?>(nil)
  private let writer: Locked<Writer?>
  private let now: @Sendable () -> Timestamp
  private let paths: CatalogPaths
  /// Real time, whatever the world's clock says. One for all catalogs, since it has a thread that stays.
  private static let clock = SystemClock()
  /// Whether a commit of what programs change is under way.
  let isCommitDue = Locked(false)
  private let met = Locked(Met())

  /// Opens `DIRECTORY/catalog.sqlite`, or makes it with nothing but the root, whose children are unknown.
  ///
  /// The directory must be there. How thoroughly the file is checked depends on how it was left; see
  /// `CatalogCheck`. After an unclean end that takes about three seconds for a million items.
  /// - Parameters:
  ///   - bootIdentifier: names the running kernel; nil asks the system.
  ///   - mustExist: whether a catalog that is missing or empty is damage. With a journal beside it it is.
  ///   - isThorough: whether everything is checked however the catalog was left.
  ///   - now: the time for `Entry.changed`.
  /// - Throws: `corrupt` (see `rebuild`), `newerFormat`, `locked`, `full` or `io`.
  public convenience init(
    directory: String, bootIdentifier: String? = nil, mustExist: Bool = false,
    isThorough: Bool = false, now: @escaping @Sendable () -> Timestamp = { .now }
  ) throws(CatalogError) {
    try self.init(
      directory: directory, bootIdentifier: bootIdentifier, mustExist: mustExist,
      isThorough: isThorough, fileSystem: nil, now: now)
  }

  /// Opens a catalog upon a file system of SQLite's that a test has made.
  package convenience init(
    directory: String, bootIdentifier: String? = nil, mustExist: Bool = false,
    isThorough: Bool = false, fileSystem: String?,
    now: @escaping @Sendable () -> Timestamp = { .now }
  ) throws(CatalogError) {
    let opening = CatalogOpening(
      paths: CatalogPaths(directory: directory),
      boot: bootIdentifier ?? CatalogFile.bootIdentifier(), mustExist: mustExist,
      isThorough: isThorough, fileSystem: fileSystem)
    let lock = try CatalogFile.lock(opening.paths)
    let file = try CatalogFile.open(opening, lock: lock, now: now())
    try self.init(file, paths: opening.paths, now: now)
  }

  init(
    _ file: consuming CatalogFile, paths: CatalogPaths, now: @escaping @Sendable () -> Timestamp
  ) throws(CatalogError) {
    wasPowerCut = file.wasPowerCut
    readers = ReaderPool(file.database)
    self.paths = paths
    self.now = now
    writer = Locked(try Writer(file))
  }

  /// Ends the use of the catalog: every later call fails. Closing twice does nothing.
  ///
  /// A catalog that goes away without it counts as not cleanly closed.
  public func close() {
    readers.close()
    names.commitHappened()
    writer.withLock { writer in
      // An error here leaves the mark of an unclean end, which is then true.
      try? writer?.end()
      writer = nil
    }
  }

  /// Whether `close()` was not called yet.
  var isOpen: Bool { writer.withLock { $0 != nil } }

  /// Tells that whatever a power cut may have torn was evicted or verified.
  public func trustContent() throws(CatalogError) {
    try write { transaction throws(CatalogError) in
      try transaction.connection.setState(CatalogFile.suspectKey, "no")
    }
  }

  /// Runs one transaction: all of it or nothing.
  func write<Value: Sendable>(
    _ body: (inout Transaction) throws(CatalogError) -> Value
  ) throws(CatalogError) -> Value {
    try withWriter { writer throws(CatalogError) in try writer.transaction(at: now(), body) }
  }

  /// Makes a change that the redo log can tell, which is committed a moment later.
  func write<Value: Sendable>(
    _ operation: LocalOperation,
    _ body: (inout Transaction) throws(CatalogError) -> Result<Value, Errno>
  ) throws(CatalogError) -> Result<Value, Errno> {
    try withWriter { writer throws(CatalogError) in
      try writer.perform(operation, at: now(), body)
    }
  }

  /// Commits what programs have changed so far.
  func commit() throws(CatalogError) {
    guard readers.isBehind else { return }
    try withWriter { writer throws(CatalogError) in try writer.commit() }
  }

  /// Runs `body` while nothing is changed or committed: a copy that it makes of the catalog's files is what a
  /// process leaves that is killed. It must not call the catalog. For tests.
  package func whileNothingIsCommitted(_ body: () throws -> Void) throws {
    try writer.withLock { _ in try body() }
  }

  private func withWriter<Value: Sendable>(
    _ body: (Writer) throws(CatalogError) -> Value
  ) throws(CatalogError) -> Value {
    do throws(CatalogError) {
      return try writer.withLock { writer throws(CatalogError) in
        guard let writer else { throw CatalogError.closed }
        defer { tellReaders(writer) }
        do throws(CatalogError) {
          return try body(writer)
        } catch {
          // The log may be all that is in the way, since it grows until it is copied into the database.
          guard error.code == .full else { throw error }
          readers.commitHappened()
          guard writer.makeRoom() else { throw error }
          return try body(writer)
        }
      }
    } catch {
      if error.code == .corrupt { damageWasMet(error) }
      throw error
    }
  }

  /// Readers and names are of what was there before.
  private func tellReaders(_ writer: Writer) {
    names.commitHappened()
    guard writer.isAhead else { return readers.commitHappened() }
    if readers.fallBehind() { commitSoon() }
  }

  /// Commits in a moment what nobody else does until then.
  private func commitSoon() {
    let isFirst = isCommitDue.withLock { isDue in
      defer { isDue = true }
      return !isDue
    }
    guard isFirst else { return }
    _ = Self.clock.schedule(after: Self.patience) { [weak self] in
      guard let self else { return }
      isCommitDue.withLock { $0 = false }
      // What fails now is in the redo log, and is tried again with the next change.
      try? commit()
    }
  }

  private static let patience = Duration.milliseconds(100)

  /// Runs queries that take a moment.
  @inline(__always)
  func read<Value: Sendable>(
    _ body: (Connection) throws(CatalogError) -> Value
  ) throws(CatalogError) -> Value {
    if readers.isBehind { return try readAhead(body) }
    return try readCommitted(body)
  }

  /// Runs queries that may take long, or during which the catalog may be called: they see what is committed.
  @inline(__always)
  func readCommitted<Value>(
    _ body: (Connection) throws(CatalogError) -> Value
  ) throws(CatalogError) -> Value {
    do throws(CatalogError) {
      return try readers.read(body)
    } catch {
      if error.code == .corrupt { damageWasMet(error) }
      throw error
    }
  }

  /// Sees what only the writer does.
  private func readAhead<Value: Sendable>(
    _ body: (Connection) throws(CatalogError) -> Value
  ) throws(CatalogError) -> Value {
    do throws(CatalogError) {
      return try writer.withLock { writer throws(CatalogError) in
        guard let writer else { throw CatalogError.closed }
        return try writer.read(body)
      }
    } catch {
      if error.code == .corrupt { damageWasMet(error) }
      throw error
    }
  }

  /// Calls `handler` once when a call meets damage, on its thread.
  public func whenDamaged(_ handler: @escaping @Sendable (CatalogError) -> Void) {
    met.withLock { $0.handler = handler }
  }

  /// The next start shall look at everything, whatever the end of this process.
  private func damageWasMet(_ error: CatalogError) {
    let (isFirst, handler) = met.withLock { met in
      defer { met.damage = met.damage ?? error }
      return (met.damage == nil, met.handler)
    }
    guard isFirst else { return }
    _ = try? FileDescriptor.open(paths.suspicion, O_WRONLY | O_CREAT)
    handler?(error)
  }
}
