public import Catalog
public import Cloud
public import Ledger
public import Platform
import Profiles

/// One device's replica of a cloud: what programs see, what is here, and what brings the rest.
///
/// It knows neither FUSE nor the simulation: a mount hands requests in and carries answers out, and
/// the cloud behind `CloudStore` may be slow, gone, or held by a test.
///
/// Operations answer on the calling thread when they can; what must wait returns a ticket. They never
/// wait for the cloud, except through a ticket.
///
/// Lock order: `revision`, then catalog, then `table`; `materializer`, `populations` and `grants` have locks of their
/// own that are taken with no other held. Nothing replies, calls a cloud or tells the kernel with a
/// lock held.
public final class Drive: Sendable {
  // Dependencies.
  let settings: DriveSettings
  let catalog: Catalog
  let cloud: any CloudStore
  let clock: any WorldClock
  let ledger: Recorder
  let programs: Programs
  let workers: WorkerPool
  let checkpoints: any Checkpoints

  // State.
  let table = Locked(NodeTable())
  let caches = Locked<(any KernelCaches)?>(nil)
  let answers = Answers()
  /// Held while rows of the catalog change and the nodes that show them follow.
  let revision = Locked(())
  let materializer: Materializer
  let populations: Populations
  let claims: Claims
  let quota = Locked<Quota?>(nil)
  /// Whether content has come since the start that may not be on the disk yet.
  let hasPublished = Locked(false)
  /// Why the last transfer of an item failed, for `status`.
  let failures = Locked<[InodeNumber: String]>([:])
  /// Extended attributes of documents that are gone and still open.
  let keepsakes = Locked<[NodeID: [[UInt8]: [UInt8]]]>([:])
  let feed: ChangeFeed
  let uploader: Uploader
  let ownChanges = OwnChanges()
  /// What was done since the catalog was damaged; nil when it was not.
  let rebuild: CatalogRebuild?
  /// Changes that cannot be sent, since their content is not whole, as paths.
  let damagedAtStart = Locked<[String]>([])
  let ownStatements = OwnStatements()
  /// Documents whose last close could not be noted, so that it must be tried again.
  let unfinished = Locked<Set<NodeID>>([])
  let mapped = MappedContent()
  /// Names that are the same to the account.
  let folded: FoldedNames
  /// Which processes may touch what, in a scoped world.
  public let grants: Grants

  /// Opens the device whose catalog and content are given.
  ///
  /// - Throws: when the content folder cannot be made.
  public init(
    settings: DriveSettings, catalog: Catalog, contentFolder: String, cloud: any CloudStore,
    clock: any WorldClock, ledger: Recorder, programs: Programs, workers: WorkerPool,
    checkpoints: any Checkpoints, rebuild: CatalogRebuild? = nil, files: LocalFiles = .real
  ) throws {
    self.settings = settings
    self.catalog = catalog
    self.cloud = cloud
    self.clock = clock
    self.ledger = ledger
    self.programs = programs
    self.workers = workers
    self.checkpoints = checkpoints
    self.rebuild = rebuild
    grants = Grants(programs: programs)
    folded = FoldedNames(settings.account.names)
    materializer = Materializer(
      cloud: cloud, catalog: catalog,
      content: try ContentFolder(at: contentFolder, files: files), clock: clock,
      ledger: ledger, workers: workers, checkpoints: checkpoints, settings: settings)
    populations = Populations(clock: clock)
    claims = Claims(clock: clock)
    feed = ChangeFeed()
    uploader = Uploader(clock: clock, workers: workers)
    guard let root = try catalog.entry(of: .root) else {
      throw DriveError(
        .notFound, "the catalog has no root folder; remove the device and add it again")
    }
    _ = table.withLock { $0.remember(.root, root, readAt: 0) }
    materializer.attach(self)
    uploader.attach(self)
    try uploader.takeOver(self)
    try cleanUpContent()
    try findDamage()
  }

  /// Connects the drive to the kernel's caches of its mount.
  public func attach(_ caches: any KernelCaches) { self.caches.withLock { $0 = caches } }

  /// Goes on bringing to the cloud what is pending, and here what is pinned; a mount calls it when it has
  /// begun.
  public func beginUploading() {
    uploader.look()
    bringAllPinned()
  }

  /// Tries everything again at once that failed and waits, as when the network has come back.
  public func retryUploads() {
    uploader.retry()
    bringAllPinned()
  }

  /// Answers everything that waits with an error, and starts nothing more.
  ///
  /// A mount calls it before it unmounts: the kernel waits for held replies.
  public func stop() {
    feed.stop()
    uploader.stop()
    ownChanges.stop()
    claims.stop()
    populations.stop()
    materializer.stop()
  }

  /// Ends the use of the catalog, with all content durable: a power cut afterwards tears nothing.
  ///
  /// The drive must be unmounted. What cannot be made durable is fetched again after a power cut.
  public func close() {
    stop()
    for id in mapped.watched { noticeMappedAndEnd(id) }
    let isDurable =
      !hasPublished.withLock { $0 } || (try? materializer.content.synchronize()) != nil
    if isDurable { catalog.close() }
  }

  func tellKernel(_ body: @escaping @Sendable (any KernelCaches) -> Void) {
    guard let caches = caches.withLock({ $0 }) else { return }
    answers.afterThose { body(caches) }
  }

  /// Suspends until every program meets what has changed so far.
  public func settleCaches() async {
    guard caches.withLock({ $0 != nil }) else { return }
    let delivered = Wait<Bool>()
    tellKernel { $0.afterDelivery { delivered.finish(true) } }
    _ = await delivered.value()
  }
}
