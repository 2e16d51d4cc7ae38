public import Platform

/// Why a call was made: an opaque number that a store hands on to whoever keeps the ledger.
public struct Cause: RawRepresentable, Hashable, Sendable {
  /// The number of a ledger record; 0 when no request caused the call.
  public let rawValue: UInt64
  /// Wraps a number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
  /// The drive itself: polling, population at start, and the like.
  public static let housekeeping = Cause(rawValue: 0)
}

/// The remote account: the truth that devices replicate.
///
/// Every call may suspend for as long as the network takes, ends early with `.cancelled` when its task
/// is cancelled, and never blocks its thread for longer than a local file operation does.
///
/// The shape follows Apple's `NSFileProviderReplicatedExtension` and `NSFileProviderEnumerator`.
/// - Fidelity: one account, no sharing and no permissions between accounts.
public protocol CloudStore: Sendable {
  /// What this store can do.
  var capabilities: CloudCapabilities { get }

  /// The present state of one item.
  func item(_ identifier: ItemIdentifier, cause: Cause) async throws(CloudError) -> Item

  /// One page of a folder's items; nil asks for the first page.
  ///
  /// Every item that exists during the whole enumeration is in exactly one page.
  func enumerate(
    _ folder: ItemIdentifier, page: EnumerationPage?, cause: Cause
  ) async throws(CloudError) -> Enumeration

  /// The anchor of the present state: `changes(since:)` of it tells what comes later.
  func currentAnchor(cause: Cause) async throws(CloudError) -> SyncAnchor

  /// What has changed since an anchor, in the order in which it happened.
  func changes(since anchor: SyncAnchor, cause: Cause) async throws(CloudError) -> ChangeBatch

  /// Calls `handler` after a change that `changes(since:)` will tell, until the token goes away.
  ///
  /// The handler runs on any thread and must be short.
  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation

  /// Sends a range of one version's content to `sink`, in order, in pieces of the store's choice.
  ///
  /// - Throws: `.versionGone` when that version is not the present one (or changes meanwhile).
  func content(
    of identifier: ItemIdentifier, version: String, range: ByteRange, to sink: any ContentSink,
    cause: Cause
  ) async throws(CloudError)

  /// Makes an item and returns its state.
  ///
  /// - Throws: `.nameTaken` when the folder has that name already.
  func create(
    _ template: ItemTemplate, content: (any ContentSource)?, cause: Cause
  ) async throws(CloudError) -> Item

  /// Changes content, metadata or both, if the item still has the base version.
  ///
  /// A base version of nil changes whatever is there.
  /// - Throws: `.versionGone` when it has another version.
  func modify(
    _ identifier: ItemIdentifier, base: ItemVersion?, changes: ItemChanges,
    content: (any ContentSource)?, cause: Cause
  ) async throws(CloudError) -> Item

  /// Gives an item another name, folder, or both, if it still has the base version.
  ///
  /// - Throws: `.nameTaken` when the name is taken there and `replacing` is false.
  func move(
    _ identifier: ItemIdentifier, to parent: ItemIdentifier, name: FileName, base: ItemVersion?,
    replacing: Bool, cause: Cause
  ) async throws(CloudError) -> Item

  /// Deletes an item, if it still has the base version; a folder that is not empty only recursively.
  func delete(
    _ identifier: ItemIdentifier, base: ItemVersion?, recursively: Bool, cause: Cause
  ) async throws(CloudError)

  /// How much room the account has.
  func quota(cause: Cause) async throws(CloudError) -> Quota
}

/// What a store can do; a capability that is missing is refused with `.unsupported`.
public struct CloudCapabilities: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt32
  /// Wraps the bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// A range can be fetched without what lies before it.
  public static let ranges = CloudCapabilities(rawValue: 1 << 0)
  /// create, modify, move and delete work.
  public static let writing = CloudCapabilities(rawValue: 1 << 1)
  /// Changes are pushed to observers; without it somebody must poll.
  public static let pushesChanges = CloudCapabilities(rawValue: 1 << 2)
  /// An item keeps its identifier when it is renamed or moved.
  public static let stableIdentifiers = CloudCapabilities(rawValue: 1 << 3)
  /// Items carry a checksum of their content.
  public static let checksums = CloudCapabilities(rawValue: 1 << 4)
}

/// How much room an account has, in bytes.
public struct Quota: Hashable, Sendable {
  /// All the account may hold; nil when there is no limit.
  public let total: Int64?
  /// What it holds.
  public let used: Int64
  /// Describes an account's room.
  public init(total: Int64?, used: Int64) {
    self.total = total
    self.used = used
  }
}

/// Where content goes as it arrives.
public protocol ContentSink: Sendable {
  /// Takes one piece; the next one is sent when this returns.
  ///
  /// - Throws: whatever shall end the transfer.
  func receive(_ bytes: ContentBytes, at offset: Int64) async throws(CloudError)
}

/// One piece of content. It is shared, not copied, on its way from a store to a sink.
public typealias ContentBytes = ArraySlice<UInt8>

/// Where uploaded content comes from.
public protocol ContentSource: Sendable {
  /// The length in bytes.
  var size: Int64 { get }
  /// Up to `count` bytes from a position, and at least one where there is one.
  func read(at offset: Int64, count: Int) async throws(CloudError) -> ContentBytes
}
