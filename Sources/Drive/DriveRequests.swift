import Catalog
import Cloud
import Ledger
public import Platform
import Profiles

/// What somebody asks for in so many words, by path.
extension Drive {
  /// Finds an item by its path on the device ("/a/b"). It asks the cloud for nothing.
  ///
  /// - Throws: `.notFound` when this device does not know the path.
  public func find(_ path: String) throws(DriveError) -> InodeNumber {
    guard let entry = try resolve(path) else {
      throw DriveError(
        .notFound,
        "\(path) is not known on this device; it may lie in a folder that nobody has listed yet")
    }
    return entry.inode
  }

  /// Finds an item by its path, listing the folders on the way if need be.
  ///
  /// Suspends for as long as the cloud takes.
  public func findOrFetch(_ path: String) async throws(DriveError) -> InodeNumber {
    let names = try Self.names(path)
    var inode = InodeNumber.root
    for name in names {
      try await ensurePopulated(inode)
      guard let folder = (try? catalog.entry(of: inode)) ?? nil,
        let next = try? known(name, in: folder)
      else {
        throw DriveError(.notFound, "\(path) does not exist in the cloud")
      }
      inode = next.entry.inode
    }
    return inode
  }

  /// The items of a folder; starts nothing. Nil when its children are not known on this device.
  public func children(of folder: InodeNumber) throws(DriveError) -> [ItemState]? {
    guard let entry = (try? catalog.entry(of: folder)) ?? nil else {
      throw DriveError(.notFound, "the folder is gone")
    }
    guard entry.kind == .folder else {
      throw DriveError(.wrongKind, "\(path(of: folder)) is not a folder")
    }
    guard entry.isPopulated else { return nil }
    guard let rows = try? catalog.children(of: folder, limit: .max) else {
      throw DriveError(.failed, "the device's catalog cannot be read; see the log")
    }
    return rows.compactMap { status(of: $0.entry.inode) }
  }

  /// Brings a document and suspends until it is here.
  ///
  /// - Throws: why it could not be brought; a cancelled task stops waiting, not the transfer.
  public func download(_ inode: InodeNumber, caller: Caller?) async throws(DriveError) {
    guard let wait = try startDownload(inode, caller: caller, waiting: true) else { return }
    try await awaitDownload(of: inode, wait)
  }

  /// Suspends until a download that was begun with `startDownload` has ended.
  ///
  /// - Throws: why the document could not be brought, as the profile tells it.
  public func awaitDownload(
    of inode: InodeNumber, _ wait: Ticket<Void>
  ) async throws(DriveError) {
    do throws(Errno) {
      try await wait.value()
    } catch {
      let reason = failures.withLock { $0[inode] } ?? error.description
      throw DriveError(
        error == .timedOut ? .unreachable : .failed,
        "\(path(of: inode)) could not be downloaded: \(reason)")
    }
  }

  /// Begins to bring a document, as the profile answers such requests.
  ///
  /// - Parameter waiting: whether the caller waits for it; patience begins now.
  /// - Returns: what to wait for; nil when it is here, or the profile lets nobody wait.
  /// - Throws: how the profile refuses.
  @discardableResult
  public func startDownload(
    _ inode: InodeNumber, caller: Caller?, waiting: Bool = false
  ) throws(DriveError) -> Ticket<Void>? {
    guard let entry = (try? catalog.entry(of: inode)) ?? nil else {
      throw DriveError(.notFound, "the document is gone")
    }
    guard entry.kind == .file else {
      throw DriveError(.wrongKind, "\(path(of: inode)) is not a document; name the documents in it")
    }
    let caller = caller ?? Caller(thread: 0, user: settings.user, group: settings.group)
    switch request(entry, caller, waiting: waiting) {
    case .ready: return nil
    case .pending(let wait): return wait
    case .failed(let refusal):
      throw DriveError(
        .failed, "the profile \(settings.profileName) answers \(refusal) to a request to download")
    }
  }

  /// What a request in so many words gets, and starts: at once, or for somebody who waits.
  func request(_ entry: Entry, _ caller: Caller, waiting: Bool) -> Outcome<Void> {
    guard !isLocal(entry) else {
      guard matters(entry) else { return .ready(()) }
      ledger.finish(ledger.begin(record(.explicit, entry, caller)), answer: Answer.present.text)
      return .ready(())
    }
    let reaction = settings.representation.dial[.explicit]
    let key = ContentKey(entry)
    let (answer, starts) = reaction.to(contentState(of: key))
    let record = ledger.begin(record(.explicit, entry, caller))
    let waits = waiting && answer == .wait
    let wait = waits ? materializer.wait(key, need: .document, WaitTerms(reaction)) : nil
    if starts == .content { materializer.start(key, callClass: .explicit, cause: record) }
    // The request is over; what it started is a transfer of its own.
    let said = answer == .wait ? Answer.present : answer
    ledger.finish(record, answer: said.text, started: starts.rawValue)
    if let refusal = answer.refusal { return .failed(refusal) }
    return wait.map { .pending($0) } ?? .ready(())
  }

  /// Drops a document's content and suspends until every program meets a document that is not here.
  ///
  /// - Throws: why the profile refuses, or that there is nothing to drop.
  public func evict(_ inode: InodeNumber, caller: Caller?) async throws(DriveError) {
    let delivered = Wait<Bool>()
    try evict(inode, .requested, caller: caller) { delivered.finish(true) }
    _ = await delivered.value()
  }

  private func ensurePopulated(_ folder: InodeNumber) async throws(DriveError) {
    guard let entry = (try? catalog.entry(of: folder)) ?? nil else {
      throw DriveError(.notFound, "the folder is gone")
    }
    guard entry.kind == .folder else {
      throw DriveError(.wrongKind, "\(path(of: folder)) is not a folder")
    }
    guard !entry.isPopulated else { return }
    let terms = WaitTerms(
      patience: settings.representation.dial[.explicit].patience, outOfPatience: .error(.timedOut),
      unreachable: .error(.timedOut))
    let ticket = populations.wait(for: folder, terms)
    populate(folder, cause: 0)
    do throws(Errno) {
      try await ticket.value()
    } catch {
      throw DriveError(
        error == .timedOut ? .unreachable : .failed,
        "the folder \(path(of: folder)) could not be listed: \(error)")
    }
  }

  private func resolve(_ path: String) throws(DriveError) -> Entry? {
    var entry = (try? catalog.entry(of: .root)) ?? nil
    for name in try Self.names(path) {
      guard let folder = entry else { return nil }
      entry = (try? known(name, in: folder))?.entry
    }
    return entry
  }

  private static func names(_ path: String) throws(DriveError) -> [FileName] {
    var names: [FileName] = []
    for part in path.split(separator: "/") where part != "." {
      guard let name = FileName(part) else {
        throw DriveError(.notFound, "\(path) is not a path within the drive")
      }
      names.append(name)
    }
    return names
  }
}
