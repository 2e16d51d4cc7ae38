import Catalog
import Cloud
import Platform
import Profiles

/// Who waits for a folder's children.
final class Populations: Sendable {
  private struct State: Sendable {
    var waiting: [InodeNumber: [UInt64: Waiter]] = [:]
    var running: Set<InodeNumber> = []
    var tasks: [InodeNumber: Task<Void, Never>] = [:]
    var lastProgress: [InodeNumber: WorldTime] = [:]
    var nextWaiter: UInt64 = 1
    var isStopped = false
  }

  private let clock: any WorldClock
  private let patience: Patience
  private let state = Locked(State())

  init(clock: any WorldClock) {
    self.clock = clock
    patience = Patience(clock: clock)
  }

  /// A ticket that ends when the children are known, or as the terms say.
  func wait(for folder: InodeNumber, _ terms: WaitTerms) -> Ticket<Void> {
    let ticket = Ticket<Void>()
    let waiter = Waiter(need: .document, terms: terms, since: clock.now, ticket: ticket)
    let number: UInt64? = state.withLock { state in
      guard !state.isStopped else { return nil }
      state.nextWaiter += 1
      state.waiting[folder, default: [:]][state.nextWaiter] = waiter
      return state.nextWaiter
    }
    guard let number else {
      ticket.finish(.failure(.io))
      return ticket
    }
    ticket.whenFinished { [weak self] _ in
      self?.state.withLock { $0.waiting[folder]?[number] = nil }
    }
    patience.watch(waiter) { [weak self] in self?.state.withLock { $0.lastProgress[folder] } }
    return ticket
  }

  /// Whether a folder's children are being fetched.
  func isRunning(_ folder: InodeNumber) -> Bool { state.withLock { $0.running.contains(folder) } }

  /// How many callers wait.
  var heldReplies: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

  /// Runs `body` for a folder unless it runs already.
  func begin(
    _ folder: InodeNumber, on workers: WorkerPool,
    _ body: @escaping @Sendable () async -> CloudError?
  ) {
    let begins = state.withLock { !$0.isStopped && $0.running.insert(folder).inserted }
    guard begins else { return }
    let task = workers.start { [self] in finish(folder, await body()) }
    state.withLock { if $0.running.contains(folder) { $0.tasks[folder] = task } }
  }

  /// A page has arrived: patience starts anew.
  func progressed(_ folder: InodeNumber) {
    let now = clock.now
    state.withLock { $0.lastProgress[folder] = now }
  }

  /// Ends every wait with EIO.
  func stop() {
    let (tasks, waiters): ([Task<Void, Never>], [Waiter]) = state.withLock { state in
      state.isStopped = true
      return (Array(state.tasks.values), state.waiting.values.flatMap(\.values))
    }
    for task in tasks { task.cancel() }
    for waiter in waiters { waiter.ticket.finish(.failure(.io)) }
  }

  private func finish(_ folder: InodeNumber, _ error: CloudError?) {
    let waiters: [Waiter] = state.withLock { state in
      state.running.remove(folder)
      state.tasks[folder] = nil
      state.lastProgress[folder] = nil
      return Array((state.waiting.removeValue(forKey: folder) ?? [:]).values)
    }
    for waiter in waiters {
      waiter.ticket.finish(
        error.map { waiter.terms.result(after: $0, isByName: true) } ?? .success(()))
    }
  }
}

extension Drive {
  /// Fetches the children of a folder, unless that runs already.
  func populate(_ folder: InodeNumber, cause: UInt64) {
    populations.begin(folder, on: workers) { [self] in
      do throws(CloudError) {
        let before = try await feed.begin(self)
        try await enumerate(folder, Cause(rawValue: cause))
        // What the feed applied meanwhile may be newer than the pages: it is applied once more.
        try await feed.replay(self, since: before)
        return nil
      } catch {
        return error
      }
    }
  }

  /// Reads every page of a folder and puts the children into the catalog in one transaction.
  func enumerate(_ folder: InodeNumber, _ cause: Cause) async throws(CloudError) {
    guard let details = try read({ try catalog.details(of: folder) }) else {
      throw CloudError(.notFound, "the folder is gone")
    }
    var items: [Item] = []
    var page: EnumerationPage?
    let start = ownStatements.beginListing()
    defer { ownStatements.endListing() }
    repeat {
      let enumeration = try await cloud.enumerate(details.item, page: page, cause: cause)
      populations.progressed(folder)
      items += enumeration.items
      page = enumeration.next
    } while page != nil
    try revise(populated: folder) { () throws(CatalogError) in
      try catalog.populate(
        folder, with: ownStatements.amended(items, of: details.item, since: start))
    }
    let isLarge = items.count > Self.large
    items = []
    if isLarge { Memory.giveBack() }
  }

  /// A folder of so many items takes megabytes while it is enumerated.
  private static var large: Int { 5000 }

  /// Runs a catalog call for a caller that speaks of clouds.
  func read<Value>(_ body: () throws -> Value) throws(CloudError) -> Value {
    do { return try body() } catch { throw CloudError(.failed, "the catalog failed: \(error)") }
  }
}
