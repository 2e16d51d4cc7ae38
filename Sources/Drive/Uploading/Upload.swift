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

  private var catalog: Catalog { drive.catalog }
  private var cloud: any CloudStore { drive.cloud }

  func run() async -> UploadEnd {
    guard let entry = (try? catalog.entry(of: item.inode)) ?? nil,
      let details = (try? catalog.details(of: item.inode)) ?? nil, let name = details.name,
      let folder = (try? catalog.details(of: entry.parent)) ?? nil
    else { return .later("the catalog does not say what and where it is") }
    guard uploader.take(details.item) else { return .blocked(by: details.item) }
    defer { uploader.release(details.item) }
    let record = begin(entry, details)
    let place = OwnChanges.Place(folder: folder.item, name: name)
    if item.parts.contains(.created) {
      drive.ownChanges.beginCreating(place)
    } else {
      drive.ownChanges.note(details.version, of: details.item)
    }
    defer { if item.parts.contains(.created) { drive.ownChanges.endCreating(place) } }
    do throws(CloudError) {
      if let blocker = try await whoBlocks(name, in: entry.parent) {
        drive.ledger.finish(record, answer: "blocked")
        return .blocked(by: blocker)
      }
      let sent = try await send(entry, details, name, folder.item, Cause(rawValue: record))
      drive.ledger.finish(record, answer: "completed", bytes: item.sendsContent ? entry.size : 0)
      return try finish(sent, keepsContent: true)
    } catch {
      drive.ledger.finish(record, answer: "\(error.code)")
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
      return try await cloud.create(template, content: try source(entry), cause: cause)
    }
    var version = base?.version ?? details.version
    var sent: Item?
    if item.parts.contains(.place) {
      sent = try await cloud.move(
        details.item, to: folder, name: name, base: version, replacing: false, cause: cause)
      version = sent?.version ?? version
      drive.ownChanges.note(version, of: details.item)
    }
    if !item.parts.isDisjoint(with: [.content, .metadata]) {
      let modified = base?.keepsDate == true ? nil : entry.modified
      let changes = ItemChanges(modified: modified, permissions: entry.permissions)
      let content = item.parts.contains(.content) ? try source(entry) : nil
      sent = try await cloud.modify(
        details.item, base: version, changes: changes, content: content, cause: cause)
    }
    if let sent { return sent }
    return try await cloud.item(details.item, cause: cause)
  }

  private func source(_ entry: Entry) throws(CloudError) -> UploadSource? {
    guard entry.kind == .file else { return nil }
    return try UploadSource(entry, drive.materializer.content) { [uploader, inode = item.inode] in
      uploader.isOutdated(inode)
    }
  }

  private func finish(_ sent: Item, keepsContent: Bool) throws(CloudError) -> UploadEnd {
    drive.failures.withLock { $0[item.inode] = nil }
    drive.ownChanges.note(sent.version, of: sent.identifier)
    let isDone = try drive.noteUploaded(item, item.parts, as: sent, keepsContent: keepsContent)
    return isDone ? .done : .again
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
    if isNewContent, sendsContent, drive.settings.account.conflictCopies != .none {
      try drive.splitConflict(entry, name, theirs)
      return .again
    }
    guard let folder = try drive.read({ try catalog.details(of: entry.parent) }) else {
      throw CloudError(.notFound, "its folder is gone")
    }
    let base = Base(version: theirs.version, keepsDate: isNewContent && !sendsContent)
    return try finish(
      try await send(entry, details, name, folder.item, .housekeeping, upon: base),
      keepsContent: !isNewContent)
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
    while let deletion = try? catalog.pendingDeletions(after: last, limit: 1).first {
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
    // Others may have left just now.
    if uploader.isFirstRefusal(of: item) { return .again }
    if (try? catalog.pendingMove(besides: entry.inode)) ?? nil != nil {
      guard item.attempts > 0, item.parts.contains(.place) else {
        return .later("another change must reach the cloud first")
      }
      // Two items that exchange their names need a third one for a moment.
      guard let aside = FileName(".\(name.text.prefix(60)).exchanged-\(entry.inode.rawValue)")
      else {
        return .later("another change must reach the cloud first")
      }
      let moved = try await cloud.move(
        details.item, to: .init(rawValue: try parentItem(entry)), name: aside,
        base: details.version, replacing: false, cause: .housekeeping)
      _ = try drive.noteUploaded(item, [], as: moved, keepsContent: true)
      return .again
    }
    try drive.renameToConflictCopy(entry, name)
    return .again
  }

  private func parentItem(_ entry: Entry) throws(CloudError) -> String {
    guard let folder = (try? catalog.details(of: entry.parent)) ?? nil else {
      throw CloudError(.notFound, "its folder is gone")
    }
    return folder.item.rawValue
  }
}

extension PendingItem {
  fileprivate var sendsContent: Bool { !parts.isDisjoint(with: [.created, .content]) }
}

/// The content of a document on its way to the cloud; it ends when somebody writes into it.
struct UploadSource: ContentSource {
  let size: Int64
  private let file: ContentFile?
  private let isOutdated: @Sendable () -> Bool

  init(
    _ entry: Entry, _ folder: ContentFolder, isOutdated: @escaping @Sendable () -> Bool
  ) throws(CloudError) {
    size = entry.size
    self.isOutdated = isOutdated
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
      throw .unreadable(error)
    }
    // Part of a document must not take the place of all of it.
    guard length >= size else {
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
      guard !isOutdated() else { throw CloudError(.cancelled, "the document is being written") }
      return bytes[..<length]
    }
  }
}

extension CloudError {
  /// A content file on this device cannot be read. What the device lacks says nothing of the cloud.
  fileprivate static func unreadable(_ error: Errno) -> CloudError {
    CloudError(.failed, "its content on this device cannot be read: \(error)")
  }
}
