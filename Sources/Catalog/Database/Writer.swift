internal import Platform

/// The connection that changes the catalog, and the numbers that it gives out.
///
/// Unchecked because it is reached only under the catalog's lock.
final class Writer: @unchecked Sendable {
  private let file: CatalogFile
  private var counters: Counters
  /// What the file says; the numbers below are given out, or may be without writing.
  private var reserved: Counters
  private let logPages: UnsafeMutablePointer<CInt>
  private let checkpointer: Checkpointer
  private let journal: Journal

  /// After a transaction of so many rows the cached pages are given back.
  private static let manyChanges: Int64 = 10_000

  init(_ file: consuming CatalogFile) throws(CatalogError) {
    let connection = file.connection
    counters = try Counters(connection)
    reserved = counters
    logPages = .allocate(capacity: 1)
    logPages.initialize(to: 0)
    connection.observeLog(logPages)
    checkpointer = Checkpointer(file.database)
    journal = Journal(path: file.journalPath, session: file.session, boot: file.boot)
    self.file = file
  }

  deinit {
    checkpointer.close()
    // The connection lives a moment longer than its counter, and commits nothing in it.
    logPages.deallocate()
  }

  /// Runs `body` in a transaction; `committed` is called if it changed anything.
  func transaction<Value>(
    at now: Timestamp, _ body: (inout Transaction) throws(CatalogError) -> Value,
    committed: () -> Void
  ) throws(CatalogError) -> Value {
    let connection = file.connection
    let changesBefore = connection.totalChanges
    var transaction = Transaction(connection: connection, now: now, counters: counters)
    try connection.run(.beginImmediate)
    let value: Value
    let reservation: Counters?
    var draft: Journal.Draft?
    do {
      value = try body(&transaction)
      reservation = transaction.counters.reservation(beyond: reserved)
      try reservation?.save(connection)
      draft = try journal.draft(transaction.changes, transaction.counters, connection)
      if let draft { journal.begin(draft) }
      try connection.run(.commit)
    } catch {
      // After some errors SQLite has rolled back by itself; a second time does no harm.
      try? connection.run(.rollback)
      if let draft { journal.cancel(draft) }
      throw error
    }
    if let draft { journal.finish(draft, connection) }
    counters = transaction.counters
    reserved = reservation ?? reserved
    let changed = connection.totalChanges - changesBefore
    guard changed > 0 else { return value }
    committed()
    if checkpointer.logHasGrown(to: logPages.pointee) {
      // What fails now is tried again after the next commit; nothing is lost.
      _ = try? connection.checkpoint(truncating: false)
    }
    if changed > Self.manyChanges { connection.releaseMemory() }
    return value
  }

  /// Gives the room of the write-ahead log back to the disk.
  ///
  /// - Returns: whether there was any.
  func makeRoom() -> Bool {
    guard logPages.pointee > 0 else { return false }
    return (try? file.connection.checkpoint(truncating: true)) == true
  }

  /// Records a clean end.
  func end() throws(CatalogError) {
    checkpointer.close()
    try counters.save(file.connection)
    journal.end(counters, file.connection)
    try file.end()
  }
}

/// The numbers to be given out next.
struct Counters: Hashable, Sendable {
  var inode: UInt64
  var serial: UInt64
  var sequence: UInt64

  init(_ connection: Connection) throws(CatalogError) {
    let stored = try connection.first(.counters) { _ in
    } _: {
      ($0.unsigned(0), $0.unsigned(1), $0.unsigned(2))
    }
    guard let stored else { throw .corrupt(connection.path, "it has no counters") }
    (inode, serial, sequence) = stored
  }

  /// What the file must say so that these were not given out by the next process as well; nil when
  /// that is so already. Some numbers in reserve save most transactions a page, and a process that is
  /// killed loses at most those.
  func reservation(beyond reserved: Counters) -> Counters? {
    let isReserved =
      inode <= reserved.inode && serial <= reserved.serial && sequence <= reserved.sequence
    if isReserved { return nil }
    var next = self
    next.inode += Self.reserve
    next.serial += Self.reserve
    next.sequence += Self.reserve
    return next
  }

  private static let reserve: UInt64 = 64

  func save(_ connection: Connection) throws(CatalogError) {
    try connection.run(.setCounters) { statement in
      statement.bind(1, inode)
      statement.bind(2, serial)
      statement.bind(3, sequence)
    }
  }
}

/// A transaction in progress.
struct Transaction {
  let connection: Connection
  let now: Timestamp
  private(set) var counters: Counters
  /// What the journal must be told.
  var changes = JournalChanges()

  init(connection: Connection, now: Timestamp, counters: Counters) {
    self.connection = connection
    self.now = now
    self.counters = counters
  }

  /// A number that no item has had.
  mutating func nextInode() throws(CatalogError) -> InodeNumber {
    guard counters.inode < 1 << 40 else {
      throw CatalogError(
        .full, "the device has used up its 2^40 inode numbers: remove it and add it again")
    }
    counters.inode += 1
    return InodeNumber(rawValue: counters.inode - 1)
  }

  /// A number that no content file has had.
  mutating func nextSerial() -> UInt64 {
    counters.serial += 1
    return counters.serial - 1
  }

  /// A number greater than that of every local change before.
  mutating func nextSequence() -> UInt64 {
    counters.sequence += 1
    return counters.sequence - 1
  }
}
