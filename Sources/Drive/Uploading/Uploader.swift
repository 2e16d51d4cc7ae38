import Catalog
import Cloud
import Ledger
import Platform
import Profiles

/// Brings what programs have changed on this device to the cloud.
///
/// It works from what the catalog says is pending, not from a list of its own, so it goes on after a
/// restart where it was. One upload an item, several at once; who must come first (a folder before what
/// is in it, a deletion before a new item of that name) is looked up each time.
///
/// INVARIANT: an item is in `running` while a task works on it.
final class Uploader: Sendable {
  struct Running: Sendable {
    /// Whether the content has changed since the upload began to read it.
    var isOutdated = false
    /// Whether it is found out what became of an earlier upload.
    var isSettling = false
  }

  struct Refusal: Sendable {
    let sequence: UInt64
    /// Whether nothing else was pending that could free the name.
    var isAlone = false
    /// Whether it has made room for another item.
    var isAside = false
  }

  struct State: Sendable {
    var running: [InodeNumber: Running] = [:]
    var runningDeletions: Set<ItemIdentifier> = []
    /// Items of the cloud that are being changed there.
    var busy: Set<ItemIdentifier> = []
    /// When an item's upload may begin that the account has wait; an item that is not here may at once.
    var waiting: [InodeNumber: WorldTime] = [:]
    /// When the first of them may begin, as far as that is known: a look is due then.
    var nextLook: WorldTime?
    /// When an upload that has failed is tried again.
    var due: [InodeNumber: WorldTime] = [:]
    var dueDeletions: [ItemIdentifier: WorldTime] = [:]
    var dueSettlements: [InodeNumber: WorldTime] = [:]
    /// Items that a process before this one was making in the cloud when it died.
    var left: [InodeNumber: OwnChanges.Place] = [:]
    var attempts: [String: Int] = [:]
    /// The state of an item that the cloud refused last, since its name was taken.
    var refused: [InodeNumber: Refusal] = [:]
    var isLooking = false
    var isWatched = false
    var isWanted = false
    var isStopped = false
    var finished: [Ticket<Void>] = []

    func isFree(_ deletion: PendingDeletion, _ now: WorldTime) -> Bool {
      !isStopped && runningDeletions.count < Uploader.maximumRunning
        && !runningDeletions.contains(deletion.item)
        && dueDeletions[deletion.item].map { $0 <= now } ?? true
    }

    func refusal(of item: PendingItem) -> Refusal? {
      refused[item.inode].flatMap { $0.sequence == item.sequence ? $0 : nil }
    }
  }

  let clock: any WorldClock
  let workers: WorkerPool
  let state = Locked(State())
  let pace = UploadPace()
  private let owner = Locked<Owner>(Owner())

  private struct Owner: Sendable { weak var drive: Drive? }

  private static let moment = Duration.milliseconds(20)

  /// How many uploads run at once.
  static let maximumRunning = 4

  init(clock: any WorldClock, workers: WorkerPool) {
    self.clock = clock
    self.workers = workers
  }

  func attach(_ drive: Drive) { owner.withLock { $0.drive = drive } }
  var drive: Drive? { owner.withLock { $0.drive } }

  /// An item has something for the cloud; its upload begins after the account's delay.
  func schedule(_ inode: InodeNumber) {
    guard let drive else { return }
    pace.programsChangeSomething()
    let delay = drive.settings.account.uploadDelay
    guard delay > .zero else { return look() }
    let due = clock.now + delay
    let isFirst = state.withLock { state in
      state.waiting[inode] = due
      // What has failed before is new now.
      state.due[inode] = nil
      defer { state.nextLook = state.nextLook ?? due }
      return state.nextLook == nil
    }
    if isFirst { lookLater(at: due) }
  }

  /// One timer for all that wait, since thousands may; those that may begin within the same moment begin
  /// together.
  private func lookLater(at time: WorldTime) {
    _ = clock.schedule(at: time) { [weak self] in
      guard let self else { return }
      let now = clock.now
      let next = state.withLock { state in
        // The time of others has come, and some of them are gone.
        state.waiting = state.waiting.filter { $0.value > now }
        state.nextLook = state.waiting.values.min().map { max($0, now + Self.moment) }
        return state.nextLook
      }
      look()
      if let next { lookLater(at: next) }
    }
  }

  /// The content changes from now on: an upload that reads it will not be committed.
  func contentChanges(_ inode: InodeNumber) {
    state.withLock { $0.running[inode]?.isOutdated = true }
  }

  /// Whether the content has changed since the running upload began to read it.
  func isOutdated(_ inode: InodeNumber) -> Bool {
    state.withLock { $0.running[inode]?.isOutdated ?? true }
  }

  /// An item went on this device.
  func itemWent(_ inode: InodeNumber) {
    contentChanges(inode)
    schedule(inode)
  }

  /// Forgets all waiting after failures, as when the network has come back.
  func retry() {
    state.withLock { state in
      state.due = [:]
      state.waiting = [:]
      state.dueDeletions = [:]
      state.dueSettlements = [:]
      state.attempts = [:]
    }
    look()
  }

  /// Looks for something to do, soon.
  func look() {
    let begins = state.withLock { state in
      guard !state.isStopped else { return false }
      state.isWanted = true
      defer { state.isLooking = true }
      return !state.isLooking
    }
    if begins { workers.start { [self] in lookAround() } }
  }

  /// Looks for something to do, unless a look is due when this item may go.
  func lookUnlessWaiting(_ inode: InodeNumber) { if !isWaiting(inode) { look() } }

  /// Takes an item of the cloud for one call, or says that another one has it.
  func take(_ item: ItemIdentifier) -> Bool { state.withLock { $0.busy.insert(item).inserted } }

  func release(_ item: ItemIdentifier) { state.withLock { _ = $0.busy.remove(item) } }

  /// A ticket that ends when everything is in the cloud.
  func whenAllIsUp() -> Ticket<Void> {
    let ticket = Ticket<Void>()
    let isStopped = state.withLock { state in
      if !state.isStopped { state.finished.append(ticket) }
      return state.isStopped
    }
    if isStopped { ticket.finish(.failure(.io)) }
    look()
    return ticket
  }

  private func tellIfAllIsUp(_ drive: Drive) {
    guard !drive.hasPendingChanges else { return watch() }
    let tickets = state.withLock { state in
      guard state.running.isEmpty, state.runningDeletions.isEmpty else { return [Ticket<Void>]() }
      defer { state.finished = [] }
      return state.finished
    }
    for ticket in tickets { ticket.finish(.success(())) }
  }

  /// Looks again after a while as long as something is pending: whatever was missed is found then.
  private func watch() {
    let begins = state.withLock { state in
      defer { state.isWatched = true }
      return !state.isWatched && !state.isStopped
    }
    guard begins else { return }
    _ = clock.schedule(after: .seconds(5)) { [weak self] in
      self?.state.withLock { $0.isWatched = false }
      self?.look()
    }
  }

  func isRunning(_ inode: InodeNumber) -> Bool { state.withLock { $0.running[inode] != nil } }

  func stop() {
    let tickets = state.withLock { state in
      state.isStopped = true
      for inode in state.running.keys { state.running[inode]?.isOutdated = true }
      return state.finished
    }
    for ticket in tickets { ticket.finish(.failure(.io)) }
  }

  private func lookAround() {
    while isWanted() {
      guard let drive else { return }
      drive.finishWriting()
      do {
        defer { tellIfAllIsUp(drive) }
        try begin(drive)
      } catch {
        // A catalog that cannot be read is told where somebody waits for it; the next change tries again.
        return state.withLock { $0.isLooking = false }
      }
    }
  }

  private func isWanted() -> Bool {
    state.withLock { state in
      guard state.isWanted, !state.isStopped else {
        state.isLooking = false
        return false
      }
      state.isWanted = false
      return true
    }
  }

  func run(_ item: PendingItem, _ drive: Drive) async {
    // It may have changed since it was looked at. What changes from now on makes this upload outdated.
    guard let item = (try? drive.catalog.pendingItem(of: item.inode)) ?? nil, isReady(item, drive)
    else {
      state.withLock { _ = $0.running.removeValue(forKey: item.inode) }
      return look()
    }
    let end = await Upload(item: item, drive: drive, uploader: self).run()
    state.withLock { _ = $0.running.removeValue(forKey: item.inode) }
    switch end {
    case .done:
      state.withLock { state in
        state.attempts["\(item.inode)"] = nil
        state.refused[item.inode] = nil
      }
      look()
    case .again: look()
    case .blocked(let item): lookUnlessBusy(item)
    case .later(let error):
      try? drive.catalog.uploadFailed(item.inode, error: error, notBefore: nil)
      let due = backOff("\(item.inode)")
      state.withLock { $0.due[item.inode] = due }
      _ = clock.schedule(at: due) { [weak self] in self?.look() }
    }
  }

  func run(_ deletion: PendingDeletion, _ drive: Drive) async {
    let end = await drive.upload(deletion)
    state.withLock { _ = $0.runningDeletions.remove(deletion.item) }
    if case .blocked(let item) = end { return lookUnlessBusy(item) }
    guard case .later(let error) = end else { return look() }
    try? drive.catalog.deletionFailed(deletion.item, error: error, notBefore: nil)
    let due = backOff(deletion.item.rawValue)
    state.withLock { $0.dueDeletions[deletion.item] = due }
    _ = clock.schedule(at: due) { [weak self] in self?.look() }
  }

  /// Whoever has the item looks when it is done with it, but may have done so a moment ago.
  private func lookUnlessBusy(_ item: ItemIdentifier) {
    if !state.withLock({ $0.busy.contains(item) }) { look() }
  }

  /// When to try again: after 1 s, then twice as long each time, at most 5 minutes.
  func backOff(_ key: String) -> WorldTime {
    let attempts = state.withLock { state in
      state.attempts[key, default: 0] += 1
      return state.attempts[key] ?? 1
    }
    return clock.now + .seconds(min(300, 1 << min(attempts - 1, 9)))
  }
}

/// How an attempt to bring a change to the cloud ended.
enum UploadEnd: Hashable, Sendable {
  /// The cloud has it.
  case done
  /// Something changed meanwhile; there is more to do.
  case again
  /// Another task works on what it needs, and has this one tried again when it has ended.
  case blocked(by: ItemIdentifier)
  /// It failed, and is tried again.
  case later(String)
}
