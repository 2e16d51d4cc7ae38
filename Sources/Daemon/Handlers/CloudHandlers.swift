import Cloud
import Control
import Drive
import Foundation
import Platform

/// The methods `cloud.*`: the truth itself, whatever the network and the devices are like.
extension ControlMethods {
  mutating func registerCloud(_ world: World) {
    register(CloudList.self) { params, _ throws(ControlError) in
      let items = try await ControlError.translatingCloud { () async throws(CloudError) in
        try await world.store.list(params.path)
      }
      return CloudList.Result(items: items)
    }
    register(CloudRead.self) { params, _ throws(ControlError) in
      guard (0...1 << 20).contains(params.count), params.offset >= 0 else {
        throw ControlError(
          .invalidParameters, "read at most 1,048,576 bytes at a time, from an offset of 0 or more")
      }
      return try await ControlError.translatingCloud { () async throws(CloudError) in
        try await world.store.read(params)
      }
    }
    register(CloudRefresh.self) { _, _ throws(ControlError) in
      try await ControlError.translatingCloud { () async throws(CloudError) in
        try await (world.store as? DirectoryStore)?.rescan()
      }
      var changes = 0
      for device in world.devices {
        do throws(Errno) {
          changes += try await device.drive.synchronize()
          await device.drive.settleCachesInTime()
        } catch {
          throw ControlError(
            .offline, "the device '\(device.name)' cannot reach the cloud", errno: error)
        }
      }
      return CloudRefresh.Result(changes: changes)
    }
  }
}

extension CloudStore {
  /// Finds an item by its path, from the root down.
  func find(_ path: String) async throws(CloudError) -> Item {
    var item = try await self.item(.root, cause: .housekeeping)
    for part in path.split(separator: "/") {
      guard let next = try await children(of: item).first(where: { $0.name?.text == String(part) })
      else {
        throw CloudError(.notFound, "There is no \(path) in the cloud.")
      }
      item = next
    }
    return item
  }

  fileprivate func children(of folder: Item) async throws(CloudError) -> [Item] {
    guard folder.kind == .folder else {
      throw CloudError(.failed, "\(folder.name?.text ?? "/") is not a folder.")
    }
    var items: [Item] = []
    var page: EnumerationPage?
    repeat {
      let found = try await enumerate(folder.identifier, page: page, cause: .housekeeping)
      items += found.items
      page = found.next
    } while page != nil
    return items
  }

  fileprivate func list(_ path: String) async throws(CloudError) -> [CloudItemInfo] {
    let item = try await find(path)
    let base = "/" + path.split(separator: "/").joined(separator: "/")
    guard item.kind == .folder else { return [CloudItemInfo(item, path: base)] }
    return try await children(of: item).map {
      CloudItemInfo($0, path: (base == "/" ? "" : base) + "/" + ($0.name?.text ?? ""))
    }.sorted { $0.name < $1.name }
  }

  fileprivate func read(_ params: CloudRead.Params) async throws(CloudError) -> CloudRead.Result {
    let item = try await find(params.path)
    guard item.kind == .file else {
      throw CloudError(.failed, "\(params.path) is not a document.")
    }
    let sink = MemorySink()
    let range = ByteRange(offset: params.offset, count: params.count).clamped(to: item.size)
    try await content(
      of: item.identifier, version: item.version.content, range: range, to: sink,
      cause: .housekeeping)
    return CloudRead.Result(
      data: Data(sink.bytes.withLock { $0 }), size: item.size, version: item.version.content)
  }
}

private struct MemorySink: ContentSink {
  let bytes = Locked<[UInt8]>([])
  func receive(_ piece: ContentBytes, at offset: Int64) async throws(CloudError) {
    bytes.withLock { $0 += piece }
  }
}

extension CloudItemInfo {
  init(_ item: Item, path: String) {
    self.init(
      path: path, name: item.name?.text ?? "", kind: ItemType(item.kind), size: item.size,
      modified: item.modified.nanosecondsSince1970, item: item.identifier.rawValue,
      version: item.version.content)
  }
}
