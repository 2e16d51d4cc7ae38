internal import CFuse
public import Platform

/// How the kernel shall treat an open file or folder.
public struct OpenMode: OptionSet, Hashable, Sendable {
  /// The bits of `FOPEN_*`.
  public let rawValue: UInt32
  /// Wraps the bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// FOPEN_DIRECT_IO: no page cache; each read and write comes here, and can be interrupted.
  public static let directIO = OpenMode(rawValue: 1 << 0)
  /// FOPEN_KEEP_CACHE: what the page cache has of the node is still right.
  ///
  /// For a folder: what `cacheDirectory` kept is still right.
  public static let keepCache = OpenMode(rawValue: 1 << 1)
  /// FOPEN_NONSEEKABLE.
  public static let nonSeekable = OpenMode(rawValue: 1 << 2)
  /// FOPEN_CACHE_DIR: the kernel may keep the listing.
  public static let cacheDirectory = OpenMode(rawValue: 1 << 3)
  /// FOPEN_NOFLUSH: no FLUSH at close.
  public static let noFlush = OpenMode(rawValue: 1 << 5)
  /// FOPEN_PARALLEL_DIRECT_WRITES: direct writes need no lock among themselves.
  public static let parallelDirectWrites = OpenMode(rawValue: 1 << 6)
}

/// The answer to OPEN and OPENDIR.
public struct Opened: ReplyPayload, Hashable, Sendable {
  /// What later requests call the open file.
  public var handle: HandleIdentifier
  /// How the kernel shall treat it.
  public var mode: OpenMode
  /// The backing file that the kernel reads, writes and maps by itself (passthrough); nil for none.
  ///
  /// All opens of a node are of one kind at a time: while one has pages cached, an answer with a
  /// backing file makes open(2) fail with EIO, and so does, while one is passed through, an answer
  /// without one or with another. With `directIO` as well, reads and writes come here all the same, and
  /// only mappings lead to the backing file. `keepCache` must not be set.
  public var backing: BackingFile.Identifier?

  /// An open file.
  public init(
    _ handle: HandleIdentifier, mode: OpenMode = [], backing: BackingFile.Identifier? = nil
  ) {
    self.handle = handle
    self.mode = mode
    self.backing = backing
  }

  /// Sends the answer.
  public func send(to request: RequestAnswer) -> Bool {
    request.send(valueOf: fuse_open_out(self))
  }
}

/// The answer to CREATE.
public struct Created: ReplyPayload, Hashable, Sendable {
  /// The new node; counts as a lookup.
  public var entry: Entry
  /// The open file.
  public var opened: Opened

  /// A new, open file.
  public init(_ entry: Entry, _ opened: Opened) {
    self.entry = entry
    self.opened = opened
  }

  /// Sends the answer.
  public func send(to request: RequestAnswer) -> Bool {
    request.send(valueOf: (fuse_entry_out(entry), fuse_open_out(opened)))
  }
}

extension fuse_open_out {
  @inline(__always)
  init(_ opened: Opened) {
    // Since protocol 7.40 the padding carries the backing identifier.
    let passthrough = opened.backing == nil ? 0 : CFUSE_FOPEN_PASSTHROUGH
    self.init(
      fh: opened.handle.rawValue, open_flags: opened.mode.rawValue | passthrough,
      padding: opened.backing?.rawValue ?? 0)
  }
}
