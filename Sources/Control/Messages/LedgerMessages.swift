public import Ledger

/// Which records are meant; what is absent does not matter.
public struct LedgerFilter: Codable, Hashable, Sendable {
  /// Only records with a greater number.
  public var after: UInt64?
  /// Only records about these.
  public var kinds: [RecordKind]?
  /// Only records of these call classes.
  public var callClasses: [String]?
  /// Only records whose path matches this glob; "*" also matches slashes.
  public var path: String?
  /// Only records of this device.
  public var device: String?
  /// Only records of this process.
  public var process: Int32?
  /// Only records of this executable; without a slash its last part is meant.
  public var executable: String?
  /// Only records with this answer.
  public var answer: String?
  /// Only records that started this.
  public var started: String?
  /// Only records that this record caused.
  public var cause: UInt64?
  /// Only records that are held or running (true), or complete (false).
  public var isOpen: Bool?

  /// Says all of it.
  public init(
    after: UInt64? = nil, kinds: [RecordKind]? = nil, callClasses: [String]? = nil,
    path: String? = nil, device: String? = nil, process: Int32? = nil, executable: String? = nil,
    answer: String? = nil, started: String? = nil, cause: UInt64? = nil, isOpen: Bool? = nil
  ) {
    self.after = after
    self.kinds = kinds
    self.callClasses = callClasses
    self.path = path
    self.device = device
    self.process = process
    self.executable = executable
    self.answer = answer
    self.started = started
    self.cause = cause
    self.isOpen = isOpen
  }
}

/// Returns records, oldest first.
public enum LedgerQuery: ControlMethod {
  /// "ledger.query"
  public static let name = "ledger.query"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// Which records.
    public var filter: LedgerFilter
    /// How many at most, up to 10000.
    public var limit: Int

    /// Says all of it.
    public init(filter: LedgerFilter = LedgerFilter(), limit: Int = 1000) {
      self.filter = filter
      self.limit = limit
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      filter = try container.decodeIfPresent(LedgerFilter.self, forKey: .filter) ?? LedgerFilter()
      limit = try container.decodeIfPresent(Int.self, forKey: .limit) ?? 1000
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// The records.
    public var records: [Record]
    /// Whether there are no more; if not, ask again `after` the last one.
    public var isComplete: Bool
    /// How many records are gone because the memory for them is bounded.
    public var dropped: UInt64

    /// Says all of it.
    public init(records: [Record], isComplete: Bool, dropped: UInt64) {
      self.records = records
      self.isComplete = isComplete
      self.dropped = dropped
    }
  }
}

/// Sends every record, also those to come, when it is complete; ends only by cancellation.
public enum LedgerFollow: ControlMethod {
  /// "ledger.follow"
  public static let name = "ledger.follow"
  /// "record"
  public static let notification = "record"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// Which records.
    public var filter: LedgerFilter

    /// Says all of it.
    public init(filter: LedgerFilter = LedgerFilter()) {
      self.filter = filter
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      filter = try container.decodeIfPresent(LedgerFilter.self, forKey: .filter) ?? LedgerFilter()
    }
  }

  /// What it gets.
  public typealias Result = Nothing

  /// What it is told meanwhile.
  public typealias Progress = Record
}

/// Waits until so many complete records are there; open ones count if the filter says `isOpen`.
public enum LedgerAwait: ControlMethod {
  /// "ledger.await"
  public static let name = "ledger.await"

  /// What the caller says.
  public struct Params: Codable, Hashable, Sendable {
    /// Which records.
    public var filter: LedgerFilter
    /// How many.
    public var count: Int
    /// How long to wait, in milliseconds of real time; absent waits for ever.
    public var timeoutMilliseconds: Int64?

    /// Says all of it.
    public init(
      filter: LedgerFilter = LedgerFilter(), count: Int = 1, timeoutMilliseconds: Int64? = nil
    ) {
      self.filter = filter
      self.count = count
      self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// Reads it; what has a default may be absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      filter = try container.decodeIfPresent(LedgerFilter.self, forKey: .filter) ?? LedgerFilter()
      count = try container.decodeIfPresent(Int.self, forKey: .count) ?? 1
      timeoutMilliseconds = try container.decodeIfPresent(Int64.self, forKey: .timeoutMilliseconds)
    }
  }

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// The first of them, oldest first.
    public var records: [Record]

    /// Says all of it.
    public init(records: [Record]) {
      self.records = records
    }
  }
}

/// Forgets all complete records; numbers go on.
public enum LedgerClear: ControlMethod {
  /// "ledger.clear"
  public static let name = "ledger.clear"

  /// What the caller says.
  public typealias Params = Nothing

  /// What it gets.
  public struct Result: Codable, Hashable, Sendable {
    /// How many were forgotten.
    public var removed: Int

    /// Says all of it.
    public init(removed: Int) {
      self.removed = removed
    }
  }
}
