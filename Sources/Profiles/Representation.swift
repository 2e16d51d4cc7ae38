public import Platform

/// How much of a document is brought, and when a caller gets its bytes (as in Microsoft's cfapi).
public enum MaterializationPolicy: String, CaseIterable, Hashable, Sendable {
  /// The ranges that are asked for; a caller gets its bytes as soon as they are here.
  case partial
  /// The whole document, in order, what is asked for first; a caller gets its bytes as soon as they
  /// are here.
  case progressive
  /// The whole document; it is verified before any byte is handed out.
  case full
  /// As `full`, and before the open returns.
  case alwaysFull
}

/// How a device shows that a document is listed but not here.
public enum PlaceholderStyle: Hashable, Sendable {
  /// Nothing is ever not here: the device is a local disk.
  case none
  /// Under its own name, with its real size.
  case dataless
  /// As a small stand-in file with another name; the real name does not exist.
  case stub(prefix: String, suffix: String, opening: Starts)
}

/// What `st_blocks` says of a document that is not here.
public enum BlockCount: String, CaseIterable, Hashable, Sendable {
  /// 0 until it is materialized, as on macOS. GNU `tar --sparse` then archives zeros.
  case faithful
  /// 0 only while nobody has it open.
  case safe
}

/// Which signals end a held reply.
public enum Interruptible: String, CaseIterable, Hashable, Sendable {
  /// Every signal: the call answers EINTR.
  case anySignal
  /// Only one that ends the process.
  case fatalOnly
}

/// What refuses an eviction.
public struct EvictionRefusals: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt8
  /// Wraps the bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// A change that has not reached the cloud.
  public static let pending = EvictionRefusals(rawValue: 1 << 0)
  /// An open handle or a mapping.
  public static let open = EvictionRefusals(rawValue: 1 << 1)
  /// A pin.
  public static let pinned = EvictionRefusals(rawValue: 1 << 2)
  /// Everything: this device never evicts.
  public static let always = EvictionRefusals(rawValue: 1 << 3)
}

/// What happens to a materialized document that changes in the cloud.
public enum RemoteChangeReaction: String, CaseIterable, Hashable, Sendable {
  /// The old content is dropped; the next access fetches the new one.
  case evict
  /// The new content is fetched at once.
  case materialize
}

/// How one device shows an account: the dial, listing, eviction and errors.
public struct Representation: Hashable, Sendable {
  /// How documents that are not here are shown.
  public var placeholder: PlaceholderStyle
  /// How much is brought.
  public var materialization: MaterializationPolicy
  /// What each call class gets and starts.
  public var dial: Dial
  /// What `st_blocks` says.
  public var blocks: BlockCount
  /// Which signals end a held reply.
  public var interruptible: Interruptible
  /// How long a copy that a mere check has brought is kept without an open; nil keeps it.
  public var claimFor: Duration?
  /// What refuses an eviction.
  public var evictionRefusals: EvictionRefusals
  /// What happens when the cloud's content changes.
  public var onRemoteChange: RemoteChangeReaction
  /// What a process without a grant gets in a scoped world.
  public var withoutGrant: Errno

  /// Describes a representation.
  public init(
    placeholder: PlaceholderStyle, materialization: MaterializationPolicy, dial: Dial,
    blocks: BlockCount, interruptible: Interruptible, claimFor: Duration?,
    evictionRefusals: EvictionRefusals, onRemoteChange: RemoteChangeReaction, withoutGrant: Errno
  ) {
    self.placeholder = placeholder
    self.materialization = materialization
    self.dial = dial
    self.blocks = blocks
    self.interruptible = interruptible
    self.claimFor = claimFor
    self.evictionRefusals = evictionRefusals
    self.onRemoteChange = onRemoteChange
    self.withoutGrant = withoutGrant
  }
}
