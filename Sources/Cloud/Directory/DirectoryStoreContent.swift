internal import Glibc
public import Platform

extension DirectoryStore {
  /// Reads a file in pieces of 1 MiB, each checked to be of that version before it is handed on.
  ///
  /// The content of a symbolic link is its target.
  /// - Throws: `.versionGone` when the file changes while it is read; what was handed on before then was
  ///   all of the old version.
  public func content(
    of identifier: ItemIdentifier, version: String, range: ByteRange, to sink: any ContentSink,
    cause: Cause
  ) async throws(CloudError) {
    let id = try id(of: identifier)
    let source = try await perform { core throws(CloudError) in
      try core.openContent(
        id, version: version, isSequential: range.count > OpenedContent.pieceSize)
    }
    switch source {
    case .target(let bytes):
      let part = range.clamped(to: Int64(bytes.count))
      guard !part.isEmpty else { return }
      try await sink.receive(bytes[Int(part.offset)..<Int(part.end)], at: part.offset)
    case .file(let file):
      do {
        try await file.send(range, to: sink)
      } catch {
        if error.code == .versionGone {
          // The observers shall hear of it as soon as the reader does.
          _ = thread.submit { core in _ = try? core.freshRow(id) }
        }
        throw error
      }
    }
  }
}

/// Where the bytes of an item come from.
enum DirectoryContent: Sendable {
  case target([UInt8])
  case file(OpenedContent)
}

/// A file that was opened as one version of an item.
final class OpenedContent: Sendable {
  static let pieceSize: Int64 = 1 << 20

  private let descriptor: FileDescriptor
  private let status: EntryStatus
  private let folder: CloudFolder
  private let name: String

  init(
    _ descriptor: consuming FileDescriptor, status: EntryStatus, folder: CloudFolder, name: String
  ) {
    self.descriptor = descriptor
    self.status = status
    self.folder = folder
    self.name = name
  }

  func send(_ range: ByteRange, to sink: any ContentSink) async throws(CloudError) {
    let range = range.clamped(to: status.size)
    var buffer = ContentBytes()
    var position = range.offset
    try check()
    while position < range.end {
      if Task.isCancelled { throw .cancelledByCaller }
      let count = Int(min(Self.pieceSize, range.end - position))
      try fill(&buffer, count, at: position)
      // Checked after the bytes were read and before anybody gets them: no mix of versions gets out.
      try check()
      try await sink.receive(buffer, at: position)
      position += Int64(count)
    }
  }

  /// Reads into the buffer, which is used again unless the sink kept the last piece.
  private func fill(
    _ buffer: inout ContentBytes, _ count: Int, at position: Int64
  ) throws(CloudError) {
    if buffer.count != count { buffer = ContentBytes(repeating: 0, count: count) }
    var failure: Errno?
    let done = buffer.withUnsafeMutableBytes { bytes in
      do throws(Errno) {
        return try descriptor.read(into: bytes, at: position)
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw CloudError(errno: failure, "\(name) cannot be read") }
    guard done == count else { throw gone }
  }

  private func check() throws(CloudError) {
    let now = try folder.status(of: descriptor)
    guard now?.size == status.size, now?.modified == status.modified else { throw gone }
  }

  private var gone: CloudError {
    CloudError(.versionGone, "\(name) was changed while it was read; ask for its new version.")
  }
}

extension DirectoryCore {
  /// The root's state; only its name and identifier never change.
  func rootItem() throws(CloudError) -> Item {
    guard let status = try folder.status(of: folder.openRoot()) else {
      throw CloudError(.offline, "The cloud folder \(folder.path) is not a folder any more.")
    }
    return IndexRow(id: IndexRow.root, parent: IndexRow.root, name: nil, status: status)
      .item(index.generation)
  }

  /// Opens the content of an item, if it has the version.
  func openContent(
    _ id: Int64, version: String, isSequential: Bool
  ) throws(CloudError) -> DirectoryContent {
    guard id != IndexRow.root else {
      throw CloudError(.failed, "The root is a folder: it has no content.")
    }
    let row = try freshRow(id)
    guard row.status.kind != .folder, let name = row.name else {
      throw CloudError(.failed, "\(row.name?.text ?? "/") is a folder: it has no content.")
    }
    guard row.status.contentVersion == version else {
      throw CloudError(.versionGone, "\(name) has no content version \(version) any more.")
    }
    if let target = row.status.target { return .target(target) }
    return .file(try openFile(row, name, isSequential: isSequential))
  }

  private func openFile(
    _ row: IndexRow, _ name: FileName, isSequential: Bool
  ) throws(CloudError) -> OpenedContent {
    guard let path = try index.path(of: row.parent) else {
      throw CloudError(.notFound, "There is no folder that holds \(name) any more.")
    }
    let parent = try folder.open(path)
    // Non-blocking: should a named pipe have taken the name meanwhile, the open must not wait.
    let number = CPath.with(name.bytes) {
      openat(parent.rawValue, $0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    }
    guard number >= 0 else {
      throw CloudError(errno: Errno.current, "\(name) cannot be opened for reading")
    }
    let file = FileDescriptor(owning: number)
    guard try folder.status(of: file)?.identity == row.status.identity else {
      throw CloudError(.versionGone, "\(name) was replaced while it was opened.")
    }
    if isSequential { posix_fadvise(file.rawValue, 0, 0, POSIX_FADV_SEQUENTIAL) }
    return OpenedContent(file, status: row.status, folder: folder, name: name.text)
  }
}
