import Cloud
import Foundation
import Platform

/// What another device does in a cloud, and what a look into it shows.
struct CloudHands {
  let put: ([UInt8], String) throws -> Void
  let delete: (String) throws -> Void
  let tree: () throws -> [String: DeviceScript.Thing]

  /// A cloud in memory.
  init(_ store: MemoryStore) {
    put = { bytes, path in try store.put(bytes, at: path) }
    delete = { try store.delete(at: $0) }
    tree = {
      var tree: [String: DeviceScript.Thing] = [:]
      for (path, bytes) in try store.tree() {
        let isFolder = path.hasSuffix("/")
        tree[isFolder ? String(path.dropLast()) : path] = isFolder ? .folder : .file(bytes)
      }
      return tree
    }
  }

  /// A cloud that is a folder, without the one in which its store stages what it writes.
  init(folder: String) {
    put = { bytes, path in
      let url = URL(filePath: folder + "/" + path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: url, options: .atomic)
    }
    delete = { try FileManager.default.removeItem(atPath: folder + "/" + $0) }
    tree = {
      var tree: [String: DeviceScript.Thing] = [:]
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder)
      where !path.hasPrefix(".fauxdrive-staging-") {
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: folder + "/" + path, isDirectory: &isFolder)
        let bytes =
          isFolder.boolValue ? nil : try Data(contentsOf: URL(filePath: folder + "/" + path))
        tree[path] = bytes.map { .file(Array($0)) } ?? .folder
      }
      return tree
    }
  }
}
