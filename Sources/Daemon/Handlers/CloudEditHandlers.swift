import Cloud
import Control
import Foundation
import Glibc
import Platform

/// The methods `cloud.*` that change the truth itself, as another device would, past the network.
extension ControlMethods {
  mutating func registerCloudEdits(_ world: World) {
    register(CloudPut.self) { params, _ throws(ControlError) in
      let source = try Self.source(of: params)
      return try await ControlError.translatingCloud { () async throws(CloudError) in
        try await world.store.put(source, params)
      }
    }
    register(CloudMakeFolder.self) { params, _ throws(ControlError) in
      try await ControlError.translatingCloud { () async throws(CloudError) in
        let (folder, name) = try await world.store.place(params.path)
        let item = try await world.store.create(
          ItemTemplate(parent: folder, name: name, kind: .folder, modified: .now), content: nil,
          cause: .housekeeping)
        return CloudItemInfo(item, path: params.path)
      }
    }
    register(CloudMove.self) { params, _ throws(ControlError) in
      try await ControlError.translatingCloud { () async throws(CloudError) in
        let item = try await world.store.findBelowRoot(params.path)
        let (folder, name) = try await world.store.place(params.target)
        let moved = try await world.store.move(
          item.identifier, to: folder, name: name, base: nil, replacing: params.replaces,
          cause: .housekeeping)
        return CloudItemInfo(moved, path: params.target)
      }
    }
    register(CloudDelete.self) { params, _ throws(ControlError) in
      try await ControlError.translatingCloud { () async throws(CloudError) in
        let item = try await world.store.findBelowRoot(params.path)
        try await world.store.delete(
          item.identifier, base: nil, recursively: params.recursively, cause: .housekeeping)
        return Nothing()
      }
    }
  }

  private static func source(
    of params: CloudPut.Params
  ) throws(ControlError) -> any ContentSource {
    switch (params.data, params.source) {
    case (let data?, nil): return DataSource(bytes: Array(data))
    case (nil, let path?) where path.hasPrefix("/"):
      do throws(Errno) { return try FileSource(path) } catch {
        throw ControlError(
          error == .noSuchFile ? .notFound : .refused, "'\(path)' cannot be read: \(error)",
          errno: error)
      }
    default:
      throw ControlError(
        .invalidParameters, "give either the data, or the absolute path of a source")
    }
  }
}

extension CloudStore {
  /// The folder and the name of a path that need not lead to anything.
  fileprivate func place(
    _ path: String
  ) async throws(CloudError) -> (folder: ItemIdentifier, name: FileName) {
    var parts = path.split(separator: "/").map(String.init)
    guard let last = parts.popLast(), let name = FileName(last) else {
      throw CloudError(.failed, "'\(path)' is no name in a folder of the cloud.")
    }
    let folder = try await find(parts.joined(separator: "/"))
    guard folder.kind == .folder else {
      throw CloudError(.failed, "/\(parts.joined(separator: "/")) is not a folder.")
    }
    return (folder.identifier, name)
  }

  fileprivate func findBelowRoot(_ path: String) async throws(CloudError) -> Item {
    let item = try await find(path)
    guard item.identifier != .root else {
      throw CloudError(.failed, "The cloud's top folder cannot be moved or deleted.")
    }
    return item
  }

  fileprivate func put(
    _ source: any ContentSource, _ params: CloudPut.Params
  ) async throws(CloudError) -> CloudItemInfo {
    let (folder, name) = try await place(params.path)
    var old: Item?
    do throws(CloudError) { old = try await find(params.path) } catch {
      guard error.code == .notFound else { throw error }
    }
    if let old {
      guard old.kind == .file else {
        throw CloudError(.failed, "\(params.path) is not a document.")
      }
      guard params.replaces else {
        let item = try await modify(
          old.identifier, base: nil, changes: ItemChanges(modified: .now), content: source,
          cause: .housekeeping)
        return CloudItemInfo(item, path: params.path)
      }
      try await delete(old.identifier, base: old.version, recursively: false, cause: .housekeeping)
    }
    let item = try await create(
      ItemTemplate(parent: folder, name: name, kind: .file, modified: .now), content: source,
      cause: .housekeeping)
    return CloudItemInfo(item, path: params.path)
  }
}

/// Content that came with a request.
private struct DataSource: ContentSource {
  let bytes: [UInt8]
  var size: Int64 { Int64(bytes.count) }

  func read(at offset: Int64, count: Int) async throws(CloudError) -> ContentBytes {
    bytes[Int(offset)...].prefix(count)
  }
}

/// Content that lies in a file.
private final class FileSource: ContentSource {
  private let file: FileDescriptor
  private let path: String
  let size: Int64

  init(_ path: String) throws(Errno) {
    self.path = path
    file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG else { throw .invalid }
    size = Int64(status.st_size)
  }

  func read(at offset: Int64, count: Int) async throws(CloudError) -> ContentBytes {
    do throws(Errno) {
      var bytes = [UInt8](repeating: 0, count: Int(min(Int64(count), size - offset)))
      let result = bytes.withUnsafeMutableBytes { buffer in
        Result { () throws(Errno) in try file.read(into: buffer, at: offset) }
      }
      let got = try result.get()
      guard got > 0 || bytes.isEmpty else { throw .io }
      return bytes.prefix(got)
    } catch {
      throw CloudError(errno: error, "'\(path)' cannot be read to its end")
    }
  }
}
