import Catalog
import Cloud
import Platform

/// Names that lie in each other's way.
extension Upload {
  /// Gives the item another name in the cloud for a moment: two that exchange their names need a third one,
  /// and a new folder that shall hold who has its name in the cloud must be there first.
  func stepAside(
    _ entry: Entry, _ details: Details, _ name: FileName
  ) async throws(CloudError) -> UploadEnd {
    let isNewFolder = item.parts.contains(.created) && entry.kind == .folder
    // Once is enough: whoever is in the way then has failed, and comes again when it may.
    guard item.attempts > 0, item.parts.contains(.place) || isNewFolder, !uploader.isAside(item),
      let aside = FileName(".\(name.text.prefix(60)).exchanged-\(entry.inode.rawValue)")
    else { return .later("another change must reach the cloud first") }
    let folder = try parentItem(entry)
    if isNewFolder {
      try await make(entry, details, aside, in: folder)
    } else {
      try await move(entry, details, aside, in: folder)
    }
    return .again
  }

  private func move(
    _ entry: Entry, _ details: Details, _ aside: FileName, in folder: ItemIdentifier
  ) async throws(CloudError) {
    // Of no sequence, since this is not yet where it belongs.
    try note(
      Sending(item, .place, entry, details, aside, folder, upon: details.version, sequence: 0))
    let moved = try await cloud.move(
      details.item, to: folder, name: aside, base: details.version, replacing: false,
      cause: .housekeeping)
    drive.ownChanges.note(moved.version, of: details.item, isMade: true)
    uploader.steppedAside(item)
    _ = try noteUploaded([], as: moved, upon: details.version)
  }

  private func make(
    _ entry: Entry, _ details: Details, _ aside: FileName, in folder: ItemIdentifier
  ) async throws(CloudError) {
    let place = OwnChanges.Place(folder: folder, name: aside)
    drive.ownChanges.beginCreating(place)
    defer { drive.ownChanges.endCreating(place) }
    try note(
      Sending(item, .created, entry, details, aside, folder, upon: details.version, sequence: 0))
    let template = ItemTemplate(
      parent: folder, name: aside, kind: .folder, modified: entry.modified,
      permissions: entry.permissions)
    let made = try await cloud.create(template, content: nil, cause: .housekeeping)
    drive.ownChanges.note(made.version, of: made.identifier, isMade: true)
    uploader.steppedAside(item)
    _ = try drive.noteUploaded(
      item.inode, 0, .created, as: made, upon: details.version, contentIsCurrent: false)
  }

  private func parentItem(_ entry: Entry) throws(CloudError) -> ItemIdentifier {
    guard let folder = (try? catalog.details(of: entry.parent)) ?? nil else {
      throw CloudError(.notFound, "its folder is gone")
    }
    return folder.item
  }
}
