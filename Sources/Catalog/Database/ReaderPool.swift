internal import Platform

/// Connections that read, each taken by one thread at a time.
///
/// A reader keeps its read transaction open between queries as long as nothing was committed: that
/// saves the two lock calls with which SQLite begins and ends each one, half of a point query's time. An
/// idle reader never keeps a snapshot that is not the newest, since that would stop the write-ahead log
/// from being reused.
final class ReaderPool: Sendable {
  private struct State: Sendable {
    /// Counts commits.
    var generation: UInt64 = 0
    /// Whether the writer has changed something that readers do not see.
    var isBehind = false
    var idle: [Connection] = []
    var isClosed = false
  }

  let file: DatabaseFile
  private let state = Locked(State())
  /// More readers than that are closed when they come back.
  private static let maximumIdle = 8

  init(_ file: DatabaseFile) { self.file = file }

  /// Lends a reader whose snapshot holds everything committed so far.
  @inline(__always)
  func read<Value>(
    _ body: (Connection) throws(CatalogError) -> Value
  ) throws(CatalogError) -> Value {
    let reader = try take()
    defer { giveBack(reader) }
    return try body(reader)
  }

  /// Whether the writer has changed something that readers do not see.
  var isBehind: Bool { state.withLock { $0.isBehind } }

  /// Tells that the writer has changed something that it will commit later.
  ///
  /// - Returns: whether that is news.
  func fallBehind() -> Bool {
    state.withLock { state in
      defer { state.isBehind = true }
      return !state.isBehind
    }
  }

  /// Tells that something was committed: snapshots of idle readers end.
  func commitHappened() {
    state.withLock { state in
      state.generation += 1
      state.isBehind = false
      for reader in state.idle { Self.endSnapshot(of: reader) }
    }
  }

  /// Closes the idle readers now and the others when they come back.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.idle.removeAll()
    }
  }

  private func take() throws(CatalogError) -> Connection {
    let (idle, generation, isClosed) = state.withLock { state in
      (state.idle.popLast(), state.generation, state.isClosed)
    }
    guard !isClosed else { throw .closed }
    let reader = if let idle { idle } else { try open() }
    guard reader.snapshot != generation else { return reader }
    do {
      Self.endSnapshot(of: reader)
      try reader.run(.begin)
      // The transaction begins with its first query, so it may even show more than this generation.
      reader.snapshot = generation
      return reader
    } catch {
      giveBack(reader)
      throw error
    }
  }

  private func giveBack(_ reader: Connection) {
    state.withLock { state in
      if reader.snapshot != state.generation { Self.endSnapshot(of: reader) }
      guard !state.isClosed, state.idle.count < Self.maximumIdle else { return }
      state.idle.append(reader)
    }
  }

  private func open() throws(CatalogError) -> Connection {
    let reader = try Connection(file, creating: false)
    try reader.execute(Schema.connectionPragmas + "PRAGMA query_only = ON;")
    return reader
  }

  private static func endSnapshot(of reader: Connection) {
    guard reader.snapshot != nil else { return }
    reader.snapshot = nil
    // A read transaction that cannot be ended is ended with its connection.
    try? reader.run(.commit)
  }
}
