import Catalog
import Cloud
import Ledger
import Platform
import Profiles

/// One attempt to make the cloud have what the device has of one item.
struct Upload: Sendable {
  let item: PendingItem
  let drive: Drive
  let uploader: Uploader

  /// What a change is sent upon, where that is not what the catalog knows.
  private struct Base {
    let version: ItemVersion
    /// Whether the date is of content that is not ours.
    let keepsDate: Bool
  }

  var catalog: Catalog { drive.catalog }
  var cloud: any CloudStore { drive.cloud }

  func run() async -> UploadEnd {
    guard let entry = (try? catalog.entry(of: item.inode)) ?? nil,
      let details = (try? catalog.details(of: item.inode)) ?? nil, let name = details.name,
      let folder = (try? catalog.details(of: entry.parent)) ?? nil
    else { return .later("the catalog does not say what and where it is") }
    guard uploader.take(details.item) else { return .blocked(by: details.item) }
    defer { uploader.release(details.item) }
    // Its last upload may have ended since the uploader looked, and nobody knows how.
    guard drive.isSettled(details.item) else { return .blocked(by: details.item) }
    let record = begin(entry, details)
    let place = OwnChanges.Place(folder: folder.item, name: name)
    if item.parts.contains(.created) {
      drive.ownChanges.beginCreating(place)
    } else {
      drive.ownChanges.note(details.version, of: details.item, isMade: false)
    }
    defer { if item.parts.contains(.created) { drive.ownChanges.endCreating(place) } }
    do throws(CloudError) {
      if let blocker = try await whoBlocks(name, in: entry.parent) {
        drive.ledger.finish(record, answer: "blocked")
        return .blocked(by: blocker)
      }
      let subject = CheckpointSubject(
        item: details.item.rawValue, path: drive.path(of: entry.inode), cause: record)
      try await drive.reach(.uploadRequested, subject)
      let sent = try await send(entry, details, name, folder.item, Cause(rawValue: record))
      try await drive.reach(.uploaded, subject)
      drive.ledger.finish(record, answer: "completed", bytes: item.sendsContent ? entry.size : 0)
      let end = try finish(sent, upon: details.version)
      try await drive.reach(.uploadNoted, subject)
      return end
    } catch {
      drive.ledger.finish(record, answer: "\(error.code)")
      if error.isRefusal { try? catalog.sendingEnded(item.inode) }
      return await resolve(error, entry, details, name)
    }
  }

  private func begin(_ entry: Entry, _ details: Details) -> UInt64 {
    drive.ledger.begin(
      Record(
        kind: .upload, device: drive.settings.device, callClass: "upload",
        path: drive.path(of: entry.inode), item: details.item.rawValue, process: 0,
        executable: ""))
  }

  /// A name that an item had which is gone on the device must be gone in the cloud first.
  ///
  /// - Returns: the item that another task is deleting; nil when the name is free.
  private func whoBlocks(
    _ name: FileName, in folder: InodeNumber
  ) async throws(CloudError) -> ItemIdentifier? {
    guard !item.parts.isDisjoint(with: [.created, .place]) else { return nil }
    guard let first = (try? catalog.pendingDeletion(of: name, in: folder)) ?? nil else {
      return nil
    }
    switch await drive.upload(first) {
    case .done, .again: return nil
    case .blocked(let blocker): return blocker
    case .later(let error): throw CloudError(.failed, error)
    }
  }

  private func send(
    _ entry: Entry, _ details: Details, _ name: FileName, _ folder: ItemIdentifier, _ cause: Cause,
    upon base: Base? = nil
  ) async throws(CloudError) -> Item {
    guard !item.parts.contains(.created) else {
      let template = ItemTemplate(
        parent: folder, name: name, kind: entry.kind, modified: entry.modified,
        permissions: entry.permissions, target: details.target)
      let sending = Sending(item, item.parts, entry, details, name, folder, upon: details.version)
      let content = try prepare(sending, entry)
      return try await cloud.create(template, content: content, cause: cause)
    }
    var version = base?.version ?? details.version
    var sent: Item?
    let rest = item.parts.intersection([.content, .metadata])
    if item.parts.contains(.place) {
      try note(Sending(item, .place, entry, details, name, folder, upon: version))
      let moved = try await cloud.move(
        details.item, to: folder, name: name, base: version, replacing: false, cause: cause)
      drive.ownChanges.note(moved.version, of: details.item, isMade: true)
      if !rest.isEmpty { _ = try noteUploaded(.place, as: moved, upon: version) }
      version = moved.version
      sent = moved
    }
    if !rest.isEmpty {
      let modified = base?.keepsDate == true ? nil : entry.modified
      let changes = ItemChanges(modified: modified, permissions: entry.permissions)
      let sending = Sending(item, rest, entry, details, name, folder, upon: version)
      sent = try await cloud.modify(
        details.item, base: version, changes: changes, content: try prepare(sending, entry),
        cause: cause)
    }
    if let sent { return sent }
    return try await cloud.item(details.item, cause: cause)
  }

  /// Has it written down before the cloud can take the change, and gives the content that goes with it.
  private func prepare(_ sending: Sending, _ entry: Entry) throws(CloudError) -> UploadSource? {
    let hasContent = !sending.parts.isDisjoint(with: [.created, .content])
    guard entry.kind == .file, hasContent else {
      try note(sending)
      return nil
    }
    // There is nothing to read that could tell when it ends.
    if entry.size == 0 { try note(sending.with(ContentHasher().finish())) }
    return try UploadSource(entry, drive.materializer.content) { [uploader, inode = item.inode] in
      uploader.isOutdated(inode)
    } willEnd: { checksum throws(CloudError) in
      try note(sending.with(checksum))
    }
  }

  func note(_ sending: Sending) throws(CloudError) {
    try drive.read { try catalog.noteSending(sending) }
  }

  private func finish(_ sent: Item, upon base: ItemVersion) throws(CloudError) -> UploadEnd {
    drive.failures.withLock { $0[item.inode] = nil }
    drive.ownChanges.note(sent.version, of: sent.identifier, isMade: true)
    return try noteUploaded(item.parts, as: sent, upon: base) ? .done : .again
  }

  func noteUploaded(
    _ parts: PendingParts, as sent: Item, upon base: ItemVersion
  ) throws(CloudError) -> Bool {
    try drive.noteUploaded(
      item.inode, item.sequence, parts, as: sent, upon: base,
      contentIsCurrent: !uploader.isOutdated(item.inode))
  }

  private func resolve(
    _ error: CloudError, _ entry: Entry, _ details: Details, _ name: FileName
  ) async -> UploadEnd {
    do throws(CloudError) {
      switch error.code {
      case .cancelled: return .again
      case .versionGone: return try await meet(entry, details, name)
      case .notFound where !item.parts.contains(.created):
        // It was deleted elsewhere; what was written here is kept, as a new item.
        try drive.becomeNew(entry.inode)
        return .again
      case .nameTaken: return try await giveWay(entry, details, name)
      default: break
      }
      return fail(error)
    } catch {
      return fail(error)
    }
  }

  private func fail(_ error: CloudError) -> UploadEnd {
    drive.failures.withLock { $0[item.inode] = error.message }
    return .later(error.message)
  }

  /// Somebody else has changed the item. Where both have new content, both are kept; otherwise nothing is
  /// lost by going on from their version.
  private func meet(
    _ entry: Entry, _ details: Details, _ name: FileName
  ) async throws(CloudError) -> UploadEnd {
    let theirs = try await cloud.item(details.item, cause: .housekeeping)
    let isNewContent = theirs.version.content != details.version.content
    let sendsContent = item.parts.contains(.content)
    // What this device has sent itself is older than what it has.
    let isTheirs = isNewContent && !drive.ownChanges.hasMade(theirs.version, of: details.item)
    if isTheirs, sendsContent, drive.settings.account.conflictCopies != .none {
      try drive.splitConflict(entry, name, theirs)
      return .again
    }
    guard let folder = try drive.read({ try catalog.details(of: entry.parent) }) else {
      throw CloudError(.notFound, "its folder is gone")
    }
    let base = Base(version: theirs.version, keepsDate: isTheirs && !sendsContent)
    return try finish(
      try await send(entry, details, name, folder.item, .housekeeping, upon: base),
      upon: theirs.version)
  }

  /// Another item has the name in the cloud: this one gets the name of a conflict copy, unless the other
  /// is about to leave.
  private func giveWay(
    _ entry: Entry, _ details: Details, _ name: FileName
  ) async throws(CloudError) -> UploadEnd {
    // An item that is gone on the device may still have the name in the cloud, whatever it was called here
    // at last.
    var failure: String?
    var last: UInt64 = 0
    while let deletion = try drive.read({ try catalog.pendingDeletions(after: last, limit: 1) })
      .first
    {
      last = deletion.sequence
      switch await drive.upload(deletion) {
      case .done, .again: break
      case .blocked(let blocker): return .blocked(by: blocker)
      case .later(let error): failure = error
      }
    }
    if let failure {
      return .later("an item that is gone here keeps the name in the cloud: \(failure)")
    }
    let hasDeleted = last > 0
    let hasMoves = try drive.read { try catalog.pendingMove(besides: entry.inode) } != nil
    // Others may have left just now.
    let mayHaveRoom = uploader.mayHaveRoom(for: item, isAlone: !hasDeleted && !hasMoves)
    if mayHaveRoom || hasDeleted { return .again }
    if hasMoves { return try await stepAside(entry, details, name) }
    try drive.renameToConflictCopy(entry, name)
    return .again
  }
}

extension PendingItem {
  fileprivate var sendsContent: Bool { !parts.isDisjoint(with: [.created, .content]) }
}

extension Sending {
  init(
    _ pending: PendingItem, _ parts: PendingParts, _ entry: Entry, _ details: Details,
    _ name: FileName, _ folder: ItemIdentifier, upon base: ItemVersion, sequence: UInt64? = nil
  ) {
    self.init(
      inode: pending.inode, sequence: sequence ?? pending.sequence, parts: parts,
      item: details.item, base: base, folder: folder, name: name, kind: entry.kind,
      size: entry.size, modified: entry.modified, permissions: entry.permissions, checksum: nil,
      target: details.target)
  }

  fileprivate func with(_ checksum: Checksum) -> Sending {
    Sending(
      inode: inode, sequence: sequence, parts: parts, item: item, base: base, folder: folder,
      name: name, kind: kind, size: size, modified: modified, permissions: permissions,
      checksum: checksum, target: target)
  }
}

extension CloudError {
  /// Whether the cloud has looked at the item or its name, and has not taken the change.
  fileprivate var isRefusal: Bool {
    switch code {
    case .versionGone, .nameTaken, .notFound, .notEmpty: true
    default: false
    }
  }
}

/// The content of a document on its way to the cloud; it ends when somebody writes into it.
struct UploadSource: ContentSource {
  let size: Int64
  private let file: ContentFile?
  private let isOutdated: @Sendable () -> Bool
  private let willEnd: @Sendable (Checksum) throws(CloudError) -> Void
  private let checksum = RunningChecksum()

  /// - Parameter willEnd: is called before the last bytes are given away, with the checksum of all.
  init(
    _ entry: Entry, _ folder: ContentFolder, isOutdated: @escaping @Sendable () -> Bool,
    willEnd: @escaping @Sendable (Checksum) throws(CloudError) -> Void
  ) throws(CloudError) {
    size = entry.size
    self.isOutdated = isOutdated
    self.willEnd = willEnd
    guard size > 0 else {
      file = nil
      return
    }
    let length: Int64
    do throws(Errno) {
      let opened = try folder.openExisting(ContentKey(entry))
      length = try opened.size()
      file = opened
    } catch {
      throw isOutdated() ? .outdated : .unreadable(error)
    }
    // Part of a document must not take the place of all of it.
    guard length >= size else {
      // Somebody who cuts it off has said so before.
      if isOutdated() { throw .outdated }
      throw CloudError(
        .failed,
        "its content on this device is damaged: \(length) of \(size) bytes are there")
    }
  }

  func read(at offset: Int64, count: Int) async throws(CloudError) -> ContentBytes {
    guard let file else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    let result: Result<Int, Errno> = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(Errno) in try file.read(into: buffer, at: offset) }
    }
    switch result {
    case .failure(let error):
      throw .unreadable(error)
    case .success(let length):
      // Whoever writes says so before the first byte: what was read until now is of one version.
      guard !isOutdated() else { throw .outdated }
      checksum.add(bytes[..<length], at: offset)
      if offset + Int64(length) == size { try willEnd(try checksum.finish(of: file)) }
      return bytes[..<length]
    }
  }
}

/// The checksum of content that is read from its beginning to its end.
///
/// Unchecked because whoever uploads reads one piece after another.
private final class RunningChecksum: @unchecked Sendable {
  private var hasher: ContentHasher?
  private var position: Int64 = 0

  func add(_ bytes: ContentBytes, at offset: Int64) {
    if offset == 0 {
      hasher = ContentHasher()
      position = 0
    }
    // Who reads in another order has it computed at the end.
    if offset != position { hasher = nil }
    hasher?.update(bytes)
    position = offset + Int64(bytes.count)
  }

  func finish(of file: ContentFile) throws(CloudError) -> Checksum {
    if let hasher = hasher.take() { return hasher.finish() }
    var hasher = ContentHasher()
    do throws(Errno) { try file.forEachPiece { hasher.update($0) } } catch {
      throw .unreadable(error)
    }
    return hasher.finish()
  }
}

extension CloudError {
  fileprivate static let outdated = CloudError(.cancelled, "the document is being written")

  /// A content file on this device cannot be read. What the device lacks says nothing of the cloud.
  fileprivate static func unreadable(_ error: Errno) -> CloudError {
    CloudError(.failed, "its content on this device cannot be read: \(error)")
  }
}
