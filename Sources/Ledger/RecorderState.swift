internal import Glibc
internal import Platform

/// What happened to a record.
public enum RecordEvent: Hashable, Sendable {
  /// It began, and is open.
  case began(Record)
  /// Something of it changed, and it is still open.
  case updated(Record)
  /// It is finished.
  case finished(Record)

  /// The record as it is now.
  public var record: Record {
    switch self {
    case .began(let record), .updated(let record), .finished(let record): record
    }
  }
}

/// Everything that a recorder's lock guards.
struct RecorderState: Sendable {
  var nextID: UInt64
  /// Of each thread the last ones, at most two: a rename is about two names.
  var lookups: [pid_t: [PendingLookup]] = [:]
  /// Whether a timer will look after `lookups`.
  var isCommitArmed = false

  private var reservedID: UInt64
  private var open: [UInt64: Record] = [:]
  private var finished: Ring
  private var observers: [Observer] = []
  private var nextObserver: UInt64 = 0
  private var queue: [RecordEvent] = []
  private var isDelivering = false

  /// How many numbers are reserved at a time, so that the file is asked rarely.
  private static let reservation: UInt64 = 10_000

  struct Observer: Sendable {
    let id: UInt64
    let handle: @Sendable (RecordEvent) -> Void
  }

  struct Delivery: Sendable {
    let events: [RecordEvent]
    let observers: [Observer]
  }

  init(firstID: UInt64, capacity: Int) {
    nextID = firstID
    reservedID = firstID
    finished = Ring(capacity: capacity)
  }

  // MARK: Records

  mutating func begin(_ record: Record, _ file: RecordFile?) -> UInt64 {
    let id = takeID(file)
    var record = record
    record.id = id
    if !observers.isEmpty { queue.append(.began(record)) }
    open[id] = record
    return id
  }

  mutating func update(_ id: UInt64, _ change: (inout Record) -> Void) {
    guard var record = open[id] else { return }
    change(&record)
    open[id] = record
    if !observers.isEmpty { queue.append(.updated(record)) }
  }

  mutating func finish(_ id: UInt64, _ change: (inout Record) -> Void, hasFile: Bool) {
    guard var record = open.removeValue(forKey: id) else { return }
    change(&record)
    addFinished(record, hasFile: hasFile)
  }

  mutating func addFinished(_ record: Record, hasFile: Bool) {
    if hasFile || !observers.isEmpty { queue.append(.finished(record)) }
    finished.append(record)
  }

  /// A number; before one beyond the reserved ones is given out, the file knows of it.
  mutating func takeID(_ file: RecordFile?) -> UInt64 {
    if let file, nextID >= reservedID {
      reservedID = nextID + Self.reservation
      file.reserve(upTo: reservedID)
    }
    nextID += 1
    return nextID - 1
  }

  func records(matching query: Query) -> [Record] {
    var records = finished.items.filter(query.matches)
    records += open.values.filter(query.matches)
    records += lookups.values.joined().map(\.record).filter(query.matches)
    return records.sorted { $0.id < $1.id }
  }

  /// How many finished records had to make room for later ones.
  var droppedCount: UInt64 { finished.droppedCount }

  mutating func clear() {
    finished.removeAll()
    lookups.removeAll()
  }

  // MARK: Observers

  mutating func addObserver(_ handle: @escaping @Sendable (RecordEvent) -> Void) -> UInt64 {
    nextObserver += 1
    observers.append(Observer(id: nextObserver, handle: handle))
    return nextObserver
  }

  /// Returns the observer, to be let go without the lock: its end may be the end of what it captured.
  mutating func removeObserver(_ id: UInt64) -> Observer? {
    observers.firstIndex { $0.id == id }.map { observers.remove(at: $0) }
  }

  /// Whether the caller must deliver events now: there are some, and nobody else is at it.
  mutating func claimDelivery() -> Bool {
    guard !queue.isEmpty, !isDelivering else { return false }
    isDelivering = true
    return true
  }

  /// What to deliver next. Who has claimed the delivery comes back until this is nil.
  mutating func takeDelivery() -> Delivery? {
    guard !queue.isEmpty else {
      isDelivering = false
      return nil
    }
    defer { queue.removeAll(keepingCapacity: queue.count < 64) }
    return Delivery(events: queue, observers: observers)
  }
}

/// The latest records, the oldest being overwritten.
struct Ring: Sendable {
  private(set) var items: [Record] = []
  /// How many had to make room for later ones.
  private(set) var droppedCount: UInt64 = 0
  private var next = 0
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  mutating func append(_ record: Record) {
    if items.count < capacity {
      items.append(record)
    } else {
      items[next] = record
      droppedCount += 1
      next = (next + 1) % capacity
    }
  }

  mutating func removeAll() {
    items.removeAll()
    next = 0
  }
}
