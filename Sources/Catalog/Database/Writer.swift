internal import Platform

/// The connection that changes the catalog, and the numbers that it gives out.
///
/// Changes by programs are in the redo log when they are answered, and are committed together a moment
/// later, at latest with the next change of another kind: a commit costs more than what it is about. Until
/// then only this connection sees them.
///
/// INVARIANT: what is in `group` is in the open transaction, if one is open; else it must be made again
/// before anything else.
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
  private let redo: RedoLog
  /// How many commits there were that the redo log counts.
  private var commits: UInt64
  /// What is not committed yet.
  private var group: [RedoLog.Record] = []
  private var changes = JournalChanges()
  private var isInTransaction = false
  private var changesBefore: Int64 = 0

  /// After a transaction of so many rows the cached pages are given back.
  private static let manyChanges: Int64 = 10_000
  /// So many changes are committed together at most.
  private static let largestGroup = 256

  /// - Throws: also when what a killed process has left cannot be made again.
  init(_ file: consuming CatalogFile) throws(CatalogError) {
    let connection = file.connection
    counters = try Counters(connection)
    reserved = counters
    commits = try connection.commits()
    logPages = .allocate(capacity: 1)
    logPages.initialize(to: 0)
    connection.observeLog(logPages)
    checkpointer = Checkpointer(file.database)
    journal = Journal(path: file.journalPath, session: file.session, boot: file.boot)
    redo = RedoLog(path: file.redoPath)
    group = redo.records(after: commits)
    self.file = file
    if !group.isEmpty { try commit() }
  }

  deinit {
    checkpointer.close()
    // The connection lives a moment longer than its counter, and commits nothing in it.
    logPages.deallocate()
  }

  /// Whether there are changes that no other connection sees.
  var isAhead: Bool { !group.isEmpty }

  /// Makes a change of a kind that the redo log can tell.
  ///
  /// - Returns: what `body` says; after a refusal nothing has changed.
  func perform<Value>(
    _ operation: LocalOperation, at now: Timestamp,
    _ body: (inout Transaction) throws(CatalogError) -> Result<Value, Errno>
  ) throws(CatalogError) -> Result<Value, Errno> {
    try begin()
    var transaction = Transaction(connection: file.connection, now: now, counters: counters)
    let result = try undoing { () throws(CatalogError) in try body(&transaction) }
    guard case .success = result else { return result }
    let record = RedoLog.Record(operation: operation, time: now, counters: counters)
    let isLogged = group.count < Self.largestGroup && redo.append(record, after: commits)
    if isLogged {
      counters = transaction.counters
      changes.add(transaction.changes)
      group.append(record)
    } else {
      try commit(transaction)
    }
    return result
  }

  /// Runs `body` in a transaction, and commits it.
  func transaction<Value>(
    at now: Timestamp, _ body: (inout Transaction) throws(CatalogError) -> Value
  ) throws(CatalogError) -> Value {
    try begin()
    var transaction = Transaction(connection: file.connection, now: now, counters: counters)
    let value = try undoing { () throws(CatalogError) in try body(&transaction) }
    try commit(transaction)
    return value
  }

  /// Runs queries that see everything.
  func read<Value>(
    _ body: (Connection) throws(CatalogError) -> Value
  ) throws(CatalogError) -> Value {
    if isAhead { try begin() }
    return try body(file.connection)
  }

  /// Commits what was changed so far.
  func commit() throws(CatalogError) {
    guard isAhead else { return }
    try begin()
    try commit(Transaction(connection: file.connection, now: .now, counters: counters))
  }

  /// Opens the transaction, and makes again what was undone.
  private func begin() throws(CatalogError) {
    guard !isInTransaction else { return }
    changesBefore = file.connection.totalChanges
    try file.connection.run(.beginImmediate)
    isInTransaction = true
    changes = JournalChanges()
    for record in group {
      var transaction = Transaction(
        connection: file.connection, now: record.time, counters: record.counters)
      let refusal = try undoing { () throws(CatalogError) in
        try transaction.repeating(record.operation)
      }
      if let refusal {
        undo()
        throw .corrupt(file.connection.path, "a change cannot be made again: \(refusal)")
      }
      counters = transaction.counters
      changes.add(transaction.changes)
    }
  }

  private func undoing<Value>(
    _ body: () throws(CatalogError) -> Value
  ) throws(CatalogError) -> Value {
    do throws(CatalogError) {
      return try body()
    } catch {
      undo()
      throw error
    }
  }

  private func undo() {
    // After some errors SQLite has rolled back by itself; a second time does no harm.
    try? file.connection.run(.rollback)
    isInTransaction = false
  }

  /// Commits the open transaction with what the last change in it has done.
  private func commit(_ last: Transaction) throws(CatalogError) {
    let connection = file.connection
    changes.add(last.changes)
    let reservation = last.counters.reservation(beyond: reserved)
    let next = isAhead ? commits + 1 : commits
    var draft: Journal.Draft?
    do throws(CatalogError) {
      try reservation?.save(connection)
      if next != commits { try connection.run(.setCommits) { $0.bind(1, next) } }
      draft = try journal.draft(changes, last.counters, connection)
      if let draft { journal.begin(draft) }
      try connection.run(.commit)
    } catch {
      undo()
      if let draft { journal.cancel(draft) }
      throw error
    }
    isInTransaction = false
    if let draft { journal.finish(draft, connection) }
    (counters, reserved, commits) = (last.counters, reservation ?? reserved, next)
    if isAhead { redo.begin() }
    group.removeAll(keepingCapacity: true)
    changes = JournalChanges()
    afterCommit()
  }

  private func afterCommit() {
    if checkpointer.logHasGrown(to: logPages.pointee) {
      // What fails now is tried again after the next commit; nothing is lost.
      _ = try? file.connection.checkpoint(truncating: false)
    }
    if file.connection.totalChanges - changesBefore > Self.manyChanges {
      file.connection.releaseMemory()
    }
  }

  /// Gives the room of the write-ahead log back to the disk.
  ///
  /// - Returns: whether there was any.
  func makeRoom() -> Bool {
    guard !isInTransaction, logPages.pointee > 0 else { return false }
    return (try? file.connection.checkpoint(truncating: true)) == true
  }

  /// Records a clean end.
  func end() throws(CatalogError) {
    checkpointer.close()
    try commit()
    try counters.save(file.connection)
    journal.end(counters, file.connection)
    try file.end()
    redo.remove()
  }
}

/// The numbers to be given out next.
struct Counters: Hashable, Sendable {
  var inode: UInt64
  var serial: UInt64
  var sequence: UInt64

  init(inode: UInt64, serial: UInt64, sequence: UInt64) {
    (self.inode, self.serial, self.sequence) = (inode, serial, sequence)
  }

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

  private static let reserve: UInt64 = 1024

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

extension Connection {
  /// How many commits there were that the redo log counts.
  fileprivate func commits() throws(CatalogError) -> UInt64 {
    let commits = try first(.commits) { _ in
    } _: {
      $0.unsigned(0)
    }
    return commits ?? 0
  }
}
