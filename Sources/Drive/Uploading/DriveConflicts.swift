import Catalog
import Cloud
import Ledger
import Platform
import Profiles

/// What becomes of changes that met others in the cloud. Nothing that a program closed is lost.
extension Drive {
  /// The cloud has parts of an item now. What another device did to it meanwhile was not taken in while
  /// it was pending, and is from now on.
  ///
  /// - Returns: whether nothing is pending any more.
  /// - Throws: when the catalog cannot be written; then everything stays pending.
  func noteUploaded(
    _ inode: InodeNumber, _ sequence: UInt64, _ parts: PendingParts, as sent: Item,
    upon base: ItemVersion?, contentIsCurrent: Bool
  ) throws(CloudError) -> Bool {
    var isDone = false
    try revise { () throws(CatalogError) in
      var changes: [CatalogChange] = []
      ownStatements.note(sent)
      isDone =
        try catalog.uploaded(
          inode, sequence: sequence, parts: parts, as: sent, upon: base,
          contentIsCurrent: contentIsCurrent, changes: &changes) ?? false
      // Under the lock, since somebody may be about to write it again.
      if isDone, !parts.isDisjoint(with: [.created, .content]),
        let entry = try catalog.entry(of: inode)
      {
        try? materializer.content.mark(ContentKey(entry), isOnlyCopy: false)
      }
      return changes
    }
    return isDone
  }

  /// The cloud has an item no more that has changes here: it becomes a new one.
  func becomeNew(_ inode: InodeNumber) throws(CloudError) {
    try revise { () throws(CatalogError) in
      var changes: [CatalogChange] = []
      _ = try catalog.becomeNew(inode, changes: &changes)
      return changes
    }
  }

  /// Deletes an item in the cloud that is gone on this device.
  ///
  /// What somebody else has changed meanwhile comes back.
  func upload(_ deletion: PendingDeletion) async -> UploadEnd {
    guard uploader.take(deletion.item) else { return .blocked(by: deletion.item) }
    defer { uploader.release(deletion.item) }
    guard isSettled(deletion.item) else { return .blocked(by: deletion.item) }
    let path = Self.path(of: deletion.name, in: path(of: deletion.parent))
    let record = ledger.begin(
      Record(
        kind: .upload, device: settings.device, callClass: "delete", path: path,
        item: deletion.item.rawValue, process: 0, executable: ""))
    let subject = CheckpointSubject(item: deletion.item.rawValue, path: path, cause: record)
    let end = await attempt(deletion, Cause(rawValue: record), subject)
    ledger.finish(record, answer: end.answer)
    return end
  }

  /// Whether it is known what became of every change of an item that was sent to the cloud: else its version
  /// there may be one of this device's own.
  func isSettled(_ item: ItemIdentifier) -> Bool {
    (try? !catalog.sendings().contains { $0.item == item }) ?? false
  }

  private func attempt(
    _ deletion: PendingDeletion, _ cause: Cause, _ subject: CheckpointSubject,
    isAgain: Bool = false
  ) async -> UploadEnd {
    ownChanges.note(deletion.base, of: deletion.item, isMade: false)
    do throws(CloudError) {
      try await reach(.uploadRequested, subject)
      let base = deletion.kind == .folder ? nil : deletion.base
      try await cloud.delete(deletion.item, base: base, recursively: false, cause: cause)
    } catch {
      switch error.code {
      case .notFound: break
      case .versionGone: return await meet(deletion, cause)
      case .notEmpty:
        if othersLeave(besides: deletion.item) { return .later(error.message) }
        // The last of them may have left between the refusal and that look.
        return isAgain
          ? await restore(deletion) : await attempt(deletion, cause, subject, isAgain: true)
      default: return .later(error.message)
      }
    }
    do throws(CloudError) {
      try await reach(.uploaded, subject)
      guard noteDeleted(deletion) else { return .later("the catalog cannot be written") }
      try await reach(.uploadNoted, subject)
    } catch {
      return .later(error.message)
    }
    return .done
  }

  /// The cloud has the item no more.
  ///
  /// - Returns: whether the catalog knows.
  private func noteDeleted(_ deletion: PendingDeletion) -> Bool {
    // First, for a listing that is applied between the two.
    ownStatements.noteDeleted(deletion.item)
    return (try? catalog.deletionDone(deletion.item)) != nil
  }

  /// Whether something may still leave a folder in the cloud that is gone here.
  private func othersLeave(besides item: ItemIdentifier) -> Bool {
    do {
      return try catalog.pendingMove(besides: nil) != nil
        || catalog.hasPendingDeletion(besides: item)
    } catch {
      return true
    }
  }

  /// Tells where an upload is; a test may hold it there.
  func reach(
    _ checkpoint: Checkpoint, _ subject: CheckpointSubject
  ) async throws(CloudError) {
    do {
      try await checkpoints.reach(checkpoint, subject)
    } catch {
      let place = "a test at \(checkpoint.rawValue)"
      switch error {
      case .failed(let errno): throw CloudError(errno: errno, "failed by \(place)")
      case .cancelled: throw CloudError(.cancelled, "cancelled by \(place)")
      }
    }
  }

  /// The item has another version than it had when it went here: one that this device has sent just
  /// before, or somebody else's.
  private func meet(_ deletion: PendingDeletion, _ cause: Cause) async -> UploadEnd {
    do throws(CloudError) {
      let theirs = try await cloud.item(deletion.item, cause: .housekeeping)
      guard ownChanges.hasMade(theirs.version, of: deletion.item) else {
        return await restore(deletion)
      }
      try await cloud.delete(
        deletion.item, base: theirs.version, recursively: false, cause: cause)
      return noteDeleted(deletion) ? .done : .again
    } catch {
      return error.code == .notFound ? await restore(deletion) : .later(error.message)
    }
  }

  private func restore(_ deletion: PendingDeletion) async -> UploadEnd {
    do throws(CloudError) {
      let theirs = try await cloud.item(deletion.item, cause: .housekeeping)
      try revise { () throws(CatalogError) in try catalog.takeBack(theirs) }
      return .done
    } catch {
      guard error.code == .notFound else { return .later(error.message) }
      return noteDeleted(deletion) ? .done : .later(error.message)
    }
  }

  /// Gives the local content a name of its own, and the item what the cloud says.
  func splitConflict(_ entry: Entry, _ name: FileName, _ theirs: Item) throws(CloudError) {
    let folder = materializer.content
    let copyName = try freeConflictName(of: name, in: entry.parent)
    try revise { () throws(CatalogError) in
      do throws(LocalChangeError) {
        return try catalog.splitConflict(
          entry.inode, with: theirs, copyName: copyName
        ) { original, copy throws(Errno) in
          guard original.size > 0 else { return }
          try folder.link(ContentKey(original), as: ContentKey(copy))
        }.changes
      } catch {
        throw error.catalogError
      }
    }
    noteConflict(entry, copyName)
  }

  /// Another item has the name: this one makes way.
  func renameToConflictCopy(_ entry: Entry, _ name: FileName) throws(CloudError) {
    let copyName = try freeConflictName(of: name, in: entry.parent)
    try revise { () throws(CatalogError) in
      do throws(LocalChangeError) {
        let renamed = try catalog.rename(
          name, in: entry.parent, to: copyName, in: entry.parent, .noReplace, keepsIdentity: false)
        return [
          .moved(old: renamed.previous, oldName: name, new: renamed.moved, newName: copyName)
        ]
      } catch {
        throw error.catalogError
      }
    }
    noteConflict(entry, copyName)
    workers.start { [self] in try? await show(name, in: entry.parent) }
  }

  private func freeConflictName(
    of name: FileName, in folder: InodeNumber
  ) throws(CloudError) -> FileName {
    for attempt in 0..<1000 {
      let candidate =
        settings.account.conflictCopies.name(
          ofCopyOf: name, from: settings.device, at: .now, attempt: attempt)
        ?? FileName("\(name.text) \(attempt + 2)")
      guard let candidate else { break }
      let taken = try read { try catalog.entry(named: candidate.bytes.span, in: folder) }
      if taken == nil { return candidate }
    }
    throw CloudError(.failed, "no name is left for a conflict copy of \(name)")
  }

  private func noteConflict(_ entry: Entry, _ copyName: FileName) {
    let record = ledger.begin(
      .init(
        kind: .conflict, device: settings.device, callClass: "conflict",
        path: path(of: entry.inode), item: "", process: 0, executable: ""))
    ledger.finish(record, answer: copyName.text)
  }

  /// Finds what the cloud has under a name that this device has not seen there.
  private func show(_ name: FileName, in folder: InodeNumber) async throws(CloudError) {
    guard let details = try read({ try catalog.details(of: folder) }) else { return }
    var page: EnumerationPage?
    repeat {
      let listed = try await cloud.enumerate(details.item, page: page, cause: .housekeeping)
      if let item = listed.items.first(where: { $0.name == name }) {
        return try note(.updated(item))
      }
      page = listed.next
    } while page != nil
  }
}

extension UploadEnd {
  /// For the ledger.
  fileprivate var answer: String {
    switch self {
    case .done: "completed"
    case .again: "again"
    case .blocked: "blocked"
    case .later(let error): error
    }
  }
}

extension LocalChangeError {
  /// A refusal where none can be means that the catalog and the drive do not agree.
  fileprivate var catalogError: CatalogError {
    switch self {
    case .catalog(let error): error
    case .refused(let error): CatalogError(.io, "a conflict could not be settled: \(error)")
    }
  }
}
