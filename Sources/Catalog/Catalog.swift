internal import Cloud
public import Platform

/// The durable state of a device: which items it knows, under which inode numbers, and how much of
/// each is here.
///
/// Every change is one transaction of a write-ahead log, so it is there as a whole or not at all.
/// Durability: what a call has changed survives a killed process (the log is written before the call
/// returns) but the last changes may be lost in a power cut (nothing waits for the disk). The file
/// itself survives both. `wasPowerCut` tells after the fact; then content that was published may be
/// torn, since nobody waited for it either.
///
/// All calls block for local file operations only: a read for microseconds and never for a writer, a
/// change for as long as its size needs. Any thread may call. All throw `CatalogError`; after `close()`
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

  let readers: ReaderPool
  let names = NameCache()
  private let writer: Locked<Writer?>
  private let now: @Sendable () -> Timestamp

  /// Opens `DIRECTORY/catalog.sqlite`, or makes it with nothing but the root, whose children are unknown.
  ///
  /// The directory must be there. After a power cut the whole file is checked, which takes about a
  /// second for a million items; else only its head.
  /// - Parameters:
  ///   - bootIdentifier: names the running kernel; nil asks the system.
  ///   - now: the time for `Entry.changed`.
  /// - Throws: `corrupt`, `newerFormat`, `locked`, `full` or `io`.
  public init(
    directory: String, bootIdentifier: String? = nil,
    now: @escaping @Sendable () -> Timestamp = { .now }
  ) throws(CatalogError) {
    let file = try CatalogFile.open(
      directory: directory, bootIdentifier: bootIdentifier ?? CatalogFile.bootIdentifier(),
      now: now())
    wasPowerCut = file.wasPowerCut
    readers = ReaderPool(path: file.path)
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
    try writer.withLock { writer throws(CatalogError) in
      guard let writer else { throw CatalogError.closed }
      return try writer.transaction(at: now(), body) {
        readers.commitHappened()
        names.commitHappened()
      }
    }
  }
}
